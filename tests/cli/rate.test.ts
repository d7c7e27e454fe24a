// A person at the terminal rates passages: the real program, answered through its standard input.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readVotes, type StoredVoteOf } from '../../main/storage/projects/rating-votes.js';
import { addUntrainedModels } from '../support/untrained-project.js';
import { jsonLines, smallest, temporaryFolder, verisim, writeText } from './program.js';

const home = temporaryFolder();
const project = join(home, 'book');
beforeAll(async () => {
  const made = await verisim(['new', project, '--data_path', writeText(home, 1500), ...smallest]);
  expect(made.code, made.stderr).toBe(0);
  addUntrainedModels(project, ['base_model_v1', 'base_model_v2']);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const readRatings = (folder: string) => readVotes(folder).votes as readonly StoredVoteOf<'single'>[];

/** Types an answer each time a passage is shown, then ends the input. */
const rate = (typed: readonly string[], ...more: string[]) => {
  let next = 0;
  return verisim(['rate', project, '--task', 'single', '--passages', '3', '--threads', '1', ...more], {
    onOutput(output, child) {
      if (output.split('q to end? ').length <= next + 1) return;
      const line = typed[next++];
      if (line === undefined) child.stdin.end();
      else child.stdin.write(`${line}\n`);
    },
  });
};

it('asks about each passage, keeps the answers, and says what they come to', async () => {
  const { code, stdout, stderr } = await rate(['n', 'g', '', 'g']);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('Passage 1 of 9');
  // What is left out comes again: the fourth is asked about twice.
  expect(stderr.split('Passage 3 of 9')).toHaveLength(3);
  expect(stderr).toContain('Passage 4 of 9');
  expect(stdout).toContain('What you took for natural');
  expect(stdout).toMatch(/the text {3,}\d/);
  expect(stdout).toMatch(/Rate at least ten passages of base_model_v1 and of base_model_v2/);
  expect(stdout).not.toContain('Passage');
  expect(readRatings(join(project, 'ratings')).map(({ verdict }) => verdict)).toEqual([
    ...['natural', 'generated', 'generated'],
  ]);
});

it('gives the figures with --json', async () => {
  const { code, stdout, stderr } = await rate(['q'], '--json');
  expect(code, stderr).toBe(0);
  expect(jsonLines(stdout).at(-1)).toMatchObject({ event: 'done', rated: 0, waiting: 6, verdict: 'too_few' });
});

it('ends at Ctrl-C with what was said so far', async () => {
  const { code, stderr } = await verisim(['rate', project, '--task', 'single', '--passages', '3', '--threads', '1'], {
    onOutput(output, child) {
      if (output.includes('q to end? ') && !output.includes('Stopping')) child.kill('SIGINT');
    },
  });
  expect(code, stderr).toBe(0);
  expect(readRatings(join(project, 'ratings'))).toHaveLength(3);
});

it('killed at every vote, it loses none and doubles none', async () => {
  const pairs = () => readVotes(join(project, 'ratings')).votes.filter((vote) => vote.task === 'pair');
  const asked: string[] = [];
  for (let kill = 0; kill < 3; kill++) {
    let typed = false;
    await verisim(['rate', project, '--passages', '6', '--threads', '1'], {
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
    expect(pairs()).toHaveLength(kill + 1);
  }
  expect(new Set(asked).size).toBe(3);
  expect(new Set(pairs().map(({ vote }) => vote)).size).toBe(3);
});

it('writes what it comes to for others', async () => {
  const file = join(home, 'votes.csv');
  const { code, stdout, stderr } = await verisim(['rating_report', project, '--format', 'csv', '--file', file]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`Written: ${file}`);
  const all = readVotes(join(project, 'ratings')).votes;
  expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(1 + all.length);
});
