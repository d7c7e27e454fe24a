// Rating tasks for other people: what goes out says nothing of whose it is; what comes back is merged rightly or refused.
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashedPart, type ExportedTask, type TaskResult } from '../../../shared/rating-task.js';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import type { Queue } from '../../../main/jobs/rating/questions.js';
import { importResult, writeTask } from '../../../main/jobs/rating/task-files.js';
import { readPairVotes, readVotes } from '../../../main/storage/projects/rating-votes.js';
import { taskFolder, writePassages } from '../../../main/storage/projects/ratings.js';
import { writeText } from '../../cli/program.js';
import { faultOf } from '../../storage/fault-of.js';
import { addUntrainedModels } from '../../support/untrained-project.js';
import { projectRequest, temporaryFolder, testContext, untrained } from '../context.js';
import '../../support/messages.js';

const home = temporaryFolder();
const folder = join(home, 'book');
const ratings = join(folder, 'ratings');
const log = join(ratings, 'ratings.jsonl');
const pairs = { task: 'pair', against: 'previous' } as const;
const exportTask = (queue: Queue) => writeTask(folder, queue, { file: join(home, 'again.html'), language: 'en' });
let task: ExportedTask;

beforeAll(async () => {
  const given = { ...untrained, data_path: writeText(home, 1500), block_size: 16 };
  await newProjectJob(projectRequest(folder, given), testContext().context);
  addUntrainedModels(folder, ['base_model_v1', 'base_model_v2']);
  for (const [which, source] of ['natural', 'base_model_v1', 'base_model_v2'].entries()) {
    const passages = Array.from({ length: 12 }, (_, at) => {
      return { prompt: `The ${at}th time </script> `, text: `that ${which} whales and ${at} ships went deep.` };
    });
    writePassages(taskFolder(ratings, 'pair'), source, passages);
  }
  task = exportTask(pairs);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => rmSync(log, { force: true }));

type Answers = TaskResult['answers'];
const moment = (second: number) => new Date(1e12 + 1000 * second).toISOString();
const answerTo = (at: number, answer: Answers[number]['answer'], second = at): Answers[number] => {
  return { question: task.questions[at]?.id ?? '', answer, seconds: 2, at: moment(second) };
};
function resultOf(answers: Answers, rater = 'Ana', rater_id = '0a1b2c3d'): TaskResult {
  const said = { task_id: task.task_id, rater, rater_id, answers };
  const hash = createHash('sha256').update(hashedPart(said)).digest('hex');
  return { format: 'verisim-rating-result', format_version: 1, ...said, hash };
}
const fileOf = (...given: Parameters<typeof resultOf>) => JSON.stringify(resultOf(...given), null, 1);
const standing = () => readVotes(ratings).votes;
const refused = (text: string) => faultOf(() => importResult(folder, text));

describe('an exported task', () => {
  it('is one file without sources or true answers, and no name that follows from either', () => {
    const file = join(home, 'task.html');
    writeTask(folder, pairs, { file, language: 'de' });
    const html = readFileSync(file, 'utf8');
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/base_model|repeat_of|https?:|\/\/[a-z]/);
    expect(html).toContain('<html lang="de">');
    expect(html).toContain('Welche setzt den Text besser fort?');
    const data = /<script type="application\/json" id="task">([^]*?)<\/script>/.exec(html)?.[1] ?? '';
    expect(data).not.toMatch(/natural|<|prefer/);
    expect(JSON.parse(data)).toEqual(task);
    for (const { id } of task.questions) expect(id).toMatch(/^q\d+$/);
  });

  it('is the same again while the passages are', () => {
    expect(exportTask(pairs)).toEqual(task);
    const empty = faultOf(() => exportTask({ task: 'boundary', against: null }));
    expect(empty).toMatchObject({ code: 'bad_input', hint: 'Generate them first.' });
  });
});

describe('a result', () => {
  it('becomes votes of its rater, turned from sides to sources', () => {
    expect(importResult(folder, fileOf([answerTo(0, 'first'), answerTo(1, 'tie')]))).toEqual({
      ...{ rater: 'Ana (0a1b)', added: 2, changed: 0 },
    });
    const [vote] = readPairVotes(ratings);
    const shown = task.questions[0];
    if (shown?.task !== 'pair') throw new Error('no pair');
    // The second model's passages say 2.
    const preferred = shown.first.includes('that 2 whales') ? 'first' : 'second';
    expect(vote).toMatchObject({ first: 'base_model_v2', outcome: preferred, rater: 'Ana (0a1b)' });
  });

  // Both written by revision d708118 (25 November 2026), before tasks were in a language: its page, in Chromium, wrote the answers.
  it('to a task that an earlier version wrote is merged', () => {
    const earlier = (name: string) => join(import.meta.dirname, 'earlier', name);
    const answers = readFileSync(earlier('answers.json'), 'utf8');
    const { task_id } = JSON.parse(answers) as TaskResult;
    const kept = join(ratings, 'tasks', `${task_id}.json`);
    expect(refused(answers).message).toMatch(/another project/);
    cpSync(earlier('task.json'), kept);
    // The second question had a known answer, which no longer counts.
    expect(importResult(folder, answers)).toEqual({ rater: 'Ana (c7be)', added: 1, changed: 0 });
    expect(standing()).toHaveLength(1);
    expect(refused(answers).message).toMatch(/already imported/);
    rmSync(kept);
  });

  it('is refused where it has come before, was edited, or is of another task; nothing is kept of it then', () => {
    const file = fileOf([answerTo(0, 'first')]);
    importResult(folder, file);
    const before = readFileSync(log);
    expect(refused(file).message).toMatch(/already imported/);
    expect(refused(file.replace('"first"', '"second"')).message).toMatch(/changed after/);
    expect(refused(file.replace('Ana', 'Eva')).message).toMatch(/changed after/);
    expect(refused(file.replace(task.task_id, '0'.repeat(32))).message).toMatch(/another project/);
    expect(refused(fileOf([{ ...answerTo(0, 'tie'), question: 'q999' }])).message).toMatch(/no question q999/);
    expect(refused(fileOf([answerTo(2, 'never')])).message).toMatch(/no answer/);
    expect(refused(fileOf([answerTo(3, 'tie'), answerTo(3, 'first')])).message).toMatch(/not a file of answers/);
    expect(refused(' '.repeat(2_000_000)).message).toMatch(/not a file of answers/);
    expect(readFileSync(log)).toEqual(before);
  });

  it('of two people of one name stays apart', () => {
    importResult(folder, fileOf([answerTo(0, 'first')]));
    importResult(folder, fileOf([answerTo(0, 'second')], 'Ana', 'ffff0000'));
    expect(standing().map(({ rater }) => rater)).toEqual(['Ana (0a1b)', 'Ana (ffff)']);
  });

  it('comes to the same in whatever order several files of one person are merged', () => {
    const answer = fc.constantFrom('first', 'second', 'tie', 'both_bad', null);
    const script = fc.array(fc.tuple(fc.nat(4), answer), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(script, fc.infiniteStream(fc.nat(100)), (acts, places) => {
        // What the page would have written after each act, and in which order somebody imports that.
        const said = new Map<number, Answers[number]>();
        const files = acts.map(([at, given], second) => {
          said.set(at, answerTo(at, given, second));
          return fileOf([...said.values()]);
        });
        const wanted = [...said.values()].flatMap((one) => (one.answer === null ? [] : [one.at])).toSorted();
        rmSync(log, { force: true });
        const left = [...files];
        while (left.length > 0) {
          const [file = ''] = left.splice((places.next().value as number) % left.length, 1);
          try {
            importResult(folder, file);
          } catch (error) {
            expect(String(error)).toMatch(/already imported/);
          }
        }
        expect(
          standing()
            .map(({ at }) => at)
            .toSorted(),
        ).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('that was changed in any one of 1,000 ways is refused, or merged rightly', () => {
    const file = fileOf([answerTo(0, 'first'), answerTo(1, 'second'), answerTo(2, 'tie'), answerTo(3, null)]);
    importResult(folder, file);
    const whole = JSON.stringify(standing());
    let merged = 0;
    const change = fc.oneof(
      fc.record({
        kind: fc.constant('cut' as const),
        at: fc.nat(file.length - 1),
        length: fc.integer({ min: 1, max: 40 }),
      }),
      fc.record({ kind: fc.constant('put' as const), at: fc.nat(file.length - 1), text: fc.string({ maxLength: 8 }) }),
      fc.record({
        kind: fc.constant('flip' as const),
        at: fc.nat(file.length - 1),
        text: fc.constantFrom('0', '1', '9', 'q', '"', ' ', '\n', '{', ']', ',', 'n', 'ä'),
      }),
    );
    fc.assert(
      fc.property(change, (given) => {
        const end = given.kind === 'cut' ? given.at + given.length : given.kind === 'flip' ? given.at + 1 : given.at;
        const changed = file.slice(0, given.at) + (given.kind === 'cut' ? '' : given.text) + file.slice(end);
        rmSync(log, { force: true });
        try {
          importResult(folder, changed);
        } catch (error) {
          expect(error).toMatchObject({ name: 'UserError' });
          expect(readVotes(ratings)).toMatchObject({ votes: [], undone: [] });
          return;
        }
        // White space, say: it is the same answer to the letter.
        merged++;
        expect(JSON.stringify(standing())).toBe(whole);
      }),
      { numRuns: 1000 },
    );
    expect(merged).toBeGreaterThan(0);
  });
});
