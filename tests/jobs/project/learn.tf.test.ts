/** Learning from picks and blind votes in a project on the disk: what is refused, what is held out, and the version it makes. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cycleJob, newProjectJob } from '../../../main/jobs/project/cycle.js';
import { choicesOf } from '../../../main/jobs/writing/choices.js';
import { requestLearning } from '../../../main/jobs/writing/request.js';
import { pairsBetween } from '../../../main/jobs/rating/questions.js';
import { projectFacts } from '../../../main/storage/projects/project-facts.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { addVotes } from '../../../main/storage/projects/rating-votes.js';
import { writePassages } from '../../../main/storage/projects/ratings.js';
import { addPick, readChoices } from '../../../main/storage/projects/writing.js';
import { writeText } from '../../cli/program.js';
import { faultOf } from '../../storage/fault-of.js';
import { projectRequest, quick, temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const data_path = writeText(home);
const folder = join(home, 'project');
const letters = Array.from(new Set(readFileSync(data_path, 'utf8'))).filter((letter) => letter.trim() !== '');
const letter = (at: number) => letters[at % letters.length] ?? '';
const word = (length: number, at: number) => Array.from({ length }, (_, i) => letter(at + i)).join('');

/** Short words are kept, long ones are not. */
function pick(at: number, chosen: string) {
  const drawing = { model: 'base_model_v1', temperature: 1, top_p: 0.9, min_p: 0, repetition_penalty: 1 };
  const id = at.toString(16).padStart(32, '0');
  const context = `${letter(at)}${letter(Math.floor(at / letters.length))} `;
  const others = [`${word(9, at)} ${word(8, at)}`];
  addPick(folder, { id, context, kept: chosen, chosen, others, ...drawing, at: '2026' });
}

const resumed = { folder, settings: null, given: {} };

it('refuses without a model, and with too few choices', async () => {
  await newProjectJob(projectRequest(folder, { ...quick, data_path, max_cycles: 0 }), testContext().context);
  expect(faultOf(() => requestLearning(folder))).toMatchObject({
    message: expect.stringContaining('no model yet') as string,
  });
  await cycleJob(resumed, testContext().context);
  for (let at = 0; at < 19; at++) pick(at, `${word(2, at)} ${word(1, at)} ${word(2, at)}`);
  expect(faultOf(() => requestLearning(folder))).toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('There are 19 choices; learning needs 20') as string,
  });
  expect(projectFacts(folder)).toMatchObject({ ended: 'max_cycles' });
});

it('counts a decided blind vote once for each rater, imported ones too', () => {
  const ratings = join(folder, 'ratings');
  const passages = join(ratings, 'pairs');
  mkdirSync(passages, { recursive: true });
  writePassages(passages, 'base_model_v1', [{ prompt: 'the ', text: 'a me' }]);
  writePassages(passages, 'natural', [{ prompt: 'the ', text: 'captain whale' }]);
  const [question] = pairsBetween(folder, 'base_model_v1', 'natural');
  if (!question) throw new Error('there is no pair');
  const vote = { pair: question.id, first: 'base_model_v1', second: 'natural', seconds: 5, at: '2026', task: 'pair' };
  const common = { ...vote, task: 'pair', shown_first: 'first' } as const;
  addVotes(ratings, [
    { ...common, vote: 'one', rater: 'you', outcome: 'first' },
    { ...common, vote: 'two', rater: 'ana', outcome: 'second', from: 'hash' },
    { ...common, vote: 'three', rater: 'you', outcome: 'first', repeat_of: question.id },
    { ...common, vote: 'four', rater: 'bo', outcome: 'tie' },
  ]);
  expect(choicesOf(folder).slice(19)).toEqual([
    { context: 'the ', chosen: 'a me', others: ['captain whale'] },
    { context: 'the ', chosen: 'captain whale', others: ['a me'] },
  ]);
});

it('makes a version of the next number, from choices as they were when it was requested', async () => {
  for (let at = 19; at < 60; at++) pick(at, `${word(2, at)} ${word(1, at)} ${word(2, at)}`);
  pick(60, 'Ω Ω Ω');
  requestLearning(folder);
  const stored = readFileSync(join(folder, 'writing/choices-01.json'), 'utf8');
  const choices = readChoices(folder, 1)?.choices ?? [];
  expect(choices).toHaveLength(63);
  expect(choices.filter(({ held_out }) => held_out)).toHaveLength(12);
  pick(61, 'a');
  requestLearning(folder);
  expect(readFileSync(join(folder, 'writing/choices-01.json'), 'utf8')).toBe(stored);
  expect(openProject(folder).config).toMatchObject({ max_cycles: 1, learned_cycles: [1] });
  expect(projectFacts(folder)).toMatchObject({ ended: null });

  const { context, events } = testContext((event) => event.event === 'metrics' && event.step === 3);
  await expect(cycleJob(resumed, context)).rejects.toMatchObject({ code: 'stopped' });
  const unreadable = events.find((event) => event.event === 'notice' && event.code === 'choices_unreadable');
  expect(unreadable).toMatchObject({ message: { params: { unreadable: 1, choices: 63 } } });
  const results = await cycleJob(resumed, testContext().context);
  expect(results['cycles']).toMatchObject([{ name: 'base_model_v2', choices: { learned_from: 50, held_out: 12 } }]);
  expect(existsSync(join(folder, 'checkpoints/reward_model_v1'))).toBe(false);
  expect(projectFacts(folder)).toMatchObject({ ended: 'max_cycles' });
  const log = readFileSync(join(folder, 'cycles/01/metrics.jsonl'), 'utf8').trim().split('\n');
  const rows = log.map((line) => JSON.parse(line) as { phase: string; step: number });
  const steps = rows.filter(({ phase }) => phase === 'grpo').map(({ step }) => step);
  expect(steps.length).toBeGreaterThan(3);
  expect(steps).toEqual(Array.from(steps, (_, at) => at + 1));
});

it('refuses within another cycle', async () => {
  const stop = testContext((event) => event.event === 'phase' && event.phase === 'reward_model');
  const more = { folder, settings: null, given: { max_cycles: 2 } };
  await expect(cycleJob(more, stop.context)).rejects.toMatchObject({ code: 'stopped' });
  expect(faultOf(() => requestLearning(folder))).toMatchObject({
    message: expect.stringContaining('Another cycle') as string,
  });
});

it('says that a model of other characters cannot use the choices', async () => {
  const other = join(home, 'other');
  writeFileSync(join(home, 'digits.txt'), '0123456789 '.repeat(400));
  await cycleJob(
    projectRequest(other, { ...quick, data_path: join(home, 'digits.txt'), max_cycles: 0 }),
    testContext().context,
  );
  mkdirSync(join(other, 'writing'), { recursive: true });
  appendFileSync(join(other, 'writing/picks.jsonl'), readFileSync(join(folder, 'writing/picks.jsonl')));
  requestLearning(other);
  const refused = cycleJob({ ...resumed, folder: other }, testContext().context);
  await expect(refused).rejects.toMatchObject({ code: 'unknown_character' });
});
