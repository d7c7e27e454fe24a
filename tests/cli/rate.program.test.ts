// A person rates at the terminal: the real program, answered through its standard input.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPairVotes, readVotes } from '../../main/storage/projects/rating-votes.js';
import { addUntrainedModels, fixRatingKey } from '../support/untrained-project.js';
import { jsonLines, smallest, temporaryFolder, verisim, writeText } from './program.js';

const home = temporaryFolder();
const project = join(home, 'book');
beforeAll(async () => {
  const made = await verisim(['new', project, '--data_path', writeText(home, 1500), ...smallest]);
  expect(made.code, made.stderr).toBe(0);
  addUntrainedModels(project, ['base_model_v1', 'base_model_v2']);
  fixRatingKey(join(project, 'ratings'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const votes = () => readPairVotes(join(project, 'ratings'));
const pairs = ['--passages', '8', '--threads', '1'];

/** Types an answer each time a passage is shown, then ends the input. */
const rate = (typed: readonly string[], ...more: string[]) => {
  let next = 0;
  return verisim(['rate', project, ...pairs, ...more], {
    onOutput(output, child) {
      if (output.split('q to end? ').length <= next + 1) return;
      const line = typed[next++];
      if (line === undefined) child.stdin.end();
      // The first passage is read, the others are not.
      else setTimeout(() => child.stdin.write(`${line}\n`), line === '1' && next === 1 ? 2200 : 0);
    },
  });
};

it('asks about each pair, stores the answers, and reports the result', async () => {
  const { code, stdout, stderr } = await rate(['1', '0', '', '9']);
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/Passage 1 of \d+/);
  // A skipped pair comes again: the fourth question is still passage 3.
  expect(stderr.match(/Passage 3 of/g)).toHaveLength(2);
  expect(stdout).toContain('Preference');
  expect(stdout).toMatch(/votes {2,}\d {2,}\d {2,}0 {2,}0/);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('2 answers were given within 2 seconds');
  expect(stdout).toMatch(/of untied votes prefer base_model_v2 \(95% CI/);
  expect(stdout).toMatch(/Undecided: about \d+ more votes would decide it/);
  expect(stdout).not.toContain('Passage');
  expect(votes().map(({ outcome }) => outcome)).toEqual([expect.stringMatching(/first|second/), 'tie', 'both_bad']);
});

it('gives the figures with --json', async () => {
  const { code, stdout, stderr } = await rate(['q'], '--json');
  expect(code, stderr).toBe(0);
  expect(jsonLines(stdout).at(-1)).toMatchObject({
    event: 'done',
    rated: 0,
    comparison: { ties: 0, hasty: 2, decided: null },
  });
});

it('ends at Ctrl-C with the answers so far', async () => {
  const { code, stderr } = await verisim(['rate', project, ...pairs], {
    onOutput(output, child) {
      if (output.includes('q to end? ') && !output.includes('Stopping')) child.kill('SIGINT');
    },
  });
  expect(code, stderr).toBe(0);
  expect(votes()).toHaveLength(3);
});

it('killed at every vote, it loses none and doubles none', async () => {
  const before = votes().length;
  const asked: string[] = [];
  for (let kill = 0; kill < 3; kill++) {
    let typed = false;
    await verisim(['rate', project, ...pairs], {
      onOutput(output, child) {
        const questions = output.split('q to end? ');
        if (questions.length > 1 && !typed) {
          asked.push(/1 ⟦[^]*⟧/.exec(questions[0] ?? '')?.[0] ?? '');
          child.stdin.write('1\n');
          typed = true;
        }
        // The next question stands there: what was said before it is on the disk.
        if (questions.length > 2) child.kill('SIGKILL');
      },
    });
    expect(votes()).toHaveLength(before + kill + 1);
  }
  expect(new Set(asked).size).toBe(3);
  expect(new Set(votes().map(({ vote }) => vote)).size).toBe(before + 3);
});

it('writes the result for others', async () => {
  const file = join(home, 'votes.csv');
  const { code, stdout, stderr } = await verisim(['rating_report', project, '--format', 'csv', '--file', file]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`Written: ${file}`);
  const all = readVotes(join(project, 'ratings')).votes;
  expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(1 + all.length);
});
