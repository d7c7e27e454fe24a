/** Whole projects, small: made, interrupted anywhere, continued to the same bytes, extended, and refused when unfit. */
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cycleJob, newProjectJob } from '../../../main/jobs/project/cycle.js';
import { openTrainingText } from '../../../main/jobs/text.js';
import { rewardExamples } from '../../../main/services/projects/reward-data.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { projectRequest, projectSettings, quick, temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const text = writeText(home);
const given = { ...quick, data_path: text };
const request = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  projectRequest(join(home, name), { ...given, ...more });

const models = ['base_model_v1', 'reward_model_v1', 'base_model_v2'];
const weights = (folder: string, name: string) =>
  readFileSync(join(folder, 'checkpoints', name, 'weights.safetensors')).toString('base64');
const predicted = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'cycles/01/reward_predictions.json'), 'utf8')) as readonly number[];
const logged = (folder: string, cycle: string) =>
  readFileSync(join(folder, 'cycles', cycle, 'metrics.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { phase: string; step: number; values: Record<string, number> })
    .map(({ phase, step, values }) => ({ phase, step, loss: values['loss'], val_loss: values['val_loss'] }));

/** On Linux, what this process has open below a folder. */
const openFilesIn = (folder: string): string[] =>
  process.platform !== 'linux'
    ? []
    : readdirSync('/proc/self/fd').flatMap((fd) => {
        const path = join('/proc/self/fd', fd);
        return existsSync(path) && readlinkSync(path).startsWith(folder) ? [readlinkSync(path)] : [];
      });

describe('a project', () => {
  const whole = request('whole');

  it('runs from text to an improved model and gives the figures of every phase', async () => {
    const { context, events } = testContext();
    const results = await cycleJob(whole, context);
    expect(results['base']).toMatchObject({ cycle: 0, name: 'base_model_v1', iterations: 20 });
    expect(results['cycles']).toHaveLength(1);
    const [cycle] = results['cycles'] as readonly Record<string, unknown>[];
    for (const key of ['val_mse', 'val_mae', 'r2', 'reward_first', 'reward_last', 'kl', 'perplexity_before']) {
      expect(cycle?.[key], key).toEqual(expect.any(Number));
    }
    expect(cycle?.['perplexity']).toBe(cycle?.['perplexity_after']);
    for (const samples of ['samples_before', 'samples_after', 'samples_text']) expect(results[samples]).toHaveLength(3);
    expect(
      readdirSync(join(whole.folder, 'checkpoints'))
        .filter((name) => !name.endsWith('.progress'))
        .sort(),
    ).toEqual([...models].sort());
    expect(readdirSync(whole.folder)).not.toContain('lock');
    const prepared = events.filter((event) => event.event === 'phase' && event.phase === 'prepare');
    expect(prepared.map((event) => event.event === 'phase' && event.state)).toEqual(['started', 'finished']);
  });

  it('counts preparing the text as part of the minutes', async () => {
    const stepsAfter = async (preparing: number) => {
      let time = 0;
      const { context, events } = testContext((event) => {
        if (event.event === 'phase' && event.phase === 'prepare' && event.state === 'started') time += 1000 * preparing;
        return event.event === 'notice' && event.code === 'train_minutes';
      });
      const minutes = request(`minutes-${preparing}`, { train_minutes: 1, max_iters: undefined });
      await faultOfAsync(cycleJob(minutes, { ...context, now: () => (time += 10) }));
      const message = events.flatMap((event) => (event.event === 'notice' ? [event.message] : []));
      return Number(/"steps":\{"count":(\d+)/u.exec(JSON.stringify(message))?.[1]);
    };
    expect((await stepsAfter(30)) / (await stepsAfter(0))).toBeCloseTo(0.5, 1);
  });

  it('keeps what the reward model makes of each validation sample, which is what its figures say', async () => {
    const predictions = predicted(whole.folder);
    const { rows, total } = await rewardExamples(whole.folder, 1, 'first', { offset: 0, count: 100 });
    expect([total, predictions.length]).toEqual([16, 16]);
    expect(rows.map((row) => row.predicted)).toEqual(predictions);
    const { reward_model: report } = JSON.parse(readFileSync(join(whole.folder, 'cycles/01/report.json'), 'utf8')) as {
      reward_model: { val_mse: number };
    };
    const errors = rows.map((row) => Math.abs((row.predicted ?? NaN) - row.truth));
    expect(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length).toBeCloseTo(report.val_mse, 6);
    const worst = await rewardExamples(whole.folder, 1, 'worst', { offset: 0, count: 3 });
    expect(worst.rows.map(({ index }) => errors[index])).toEqual(errors.toSorted((a, b) => b - a).slice(0, 3));
  });

  it('shows the finished result again without computing anything', async () => {
    const before = models.map((name) => weights(whole.folder, name));
    const { context, events } = testContext();
    const results = await cycleJob({ ...whole, given: {} }, context);
    expect(results['cycles']).toHaveLength(1);
    expect(events.filter(({ event }) => event === 'metrics' || event === 'progress')).toEqual([]);
    expect(models.map((name) => weights(whole.folder, name))).toEqual(before);
  });

  const moments: readonly (readonly [string, (event: JobEvent) => boolean])[] = [
    ['base training', (event) => event.event === 'metrics' && event.phase === 'base_training' && event.step === 10],
    ['reward data', (event) => event.event === 'progress' && event.phase === 'reward_data'],
    ['the reward model', (event) => event.event === 'metrics' && event.phase === 'reward_model'],
    ['GRPO', (event) => event.event === 'metrics' && event.phase === 'grpo' && event.step === 3],
  ];

  it('interrupted in every phase, ends with the same bytes and the same logs as in one go', async () => {
    const broken = request('broken');
    for (const [phase, stopAt] of moments) {
      const { context } = testContext(stopAt);
      await expect(cycleJob(broken, context), phase).rejects.toMatchObject({ code: 'stopped' });
      expect(readdirSync(broken.folder), phase).not.toContain('lock');
      expect(openFilesIn(broken.folder), phase).toEqual([]);
    }
    const results = await cycleJob(broken, testContext().context);
    for (const name of models) expect(weights(broken.folder, name), name).toBe(weights(whole.folder, name));
    expect(predicted(broken.folder)).toEqual(predicted(whole.folder));
    for (const cycle of ['00', '01']) expect(logged(broken.folder, cycle)).toEqual(logged(whole.folder, cycle));
    expect(results['samples_after']).toEqual((await cycleJob(whole, testContext().context))['samples_after']);
    const left = readdirSync(join(broken.folder, 'checkpoints')).filter((name) => name.endsWith('.progress'));
    for (const name of left) expect(readdirSync(join(broken.folder, 'checkpoints', name))).toEqual([]);
  });

  it('takes more cycles later, and nothing that would change what is there', async () => {
    const other = { ...whole, given: { ...whole.given, n_layer: 3 } };
    await expect(cycleJob(other, testContext().context)).rejects.toMatchObject({
      code: 'bad_input',
      field: 'n_layer',
      message: expect.stringContaining('n_layer is 1 there, 3 was requested') as string,
    });
    const results = await cycleJob({ ...whole, given: { max_cycles: 2 } }, testContext().context);
    expect((results['cycles'] as readonly { name: string }[]).map(({ name }) => name)).toEqual([
      'base_model_v2',
      'base_model_v3',
    ]);
  });

  it('works from token files too, which it keeps', async () => {
    const data = join(whole.folder, 'data');
    const binary = { input_mode: 'binary', train_bin: join(data, 'train.bin'), val_bin: join(data, 'val.bin') };
    const { data_path: _text, tokenization: _tokenization, ...rest } = given;
    const folder = join(home, 'binary');
    const results = await newProjectJob(projectRequest(folder, { ...rest, ...binary }), testContext().context);
    expect(results).toMatchObject({ tokenization: 'char' });
    for (const name of ['train.bin', 'val.bin', 'meta.pkl']) {
      expect(readFileSync(join(folder, 'data', name)).equals(readFileSync(join(data, name)))).toBe(true);
    }
  });

  it('says why token files could not be kept, and leaves nothing half copied', async () => {
    const data = join(whole.folder, 'data');
    const binary = { input_mode: 'binary', train_bin: join(data, 'train.bin'), val_bin: join(data, 'val.bin') };
    const folder = join(home, 'kept');
    mkdirSync(join(folder, 'val.bin'), { recursive: true });
    const settings = projectSettings({ project: folder, ...binary });
    const kept = openTrainingText(settings, folder, testContext().context, { keepBinary: true });
    expect(await faultOfAsync(kept)).toMatchObject({ code: 'file_not_writable' });
    expect(readdirSync(folder).sort()).toEqual(['meta.pkl', 'val.bin']);
  });
});

describe('a project that cannot be', () => {
  const impossible: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['a context longer than the text', { block_size: 60_000 }, 'text_too_short'],
    ['a text of one character', { data_path: 'same.txt' }, 'bad_input'],
    ['an empty text', { data_path: 'empty.txt' }, 'text_too_short'],
    ['binary junk', { data_path: 'junk.txt' }, 'text_encoding'],
  ];
  writeFileSync(join(home, 'same.txt'), 'a'.repeat(5000));
  writeFileSync(join(home, 'empty.txt'), '');
  writeFileSync(
    join(home, 'junk.txt'),
    Uint8Array.from({ length: 5000 }, (_, i) => (i * 97 + (i >> 3)) % 256),
  );

  it.each(impossible)('%s: is refused and leaves nothing behind', async (_name, more, code) => {
    const path = typeof more['data_path'] === 'string' ? { data_path: join(home, more['data_path']) } : {};
    const refused = request('refused', { ...more, ...path });
    await expect(newProjectJob(refused, testContext().context)).rejects.toMatchObject({ code });
    expect(existsSync(refused.folder)).toBe(false);
  });
});
