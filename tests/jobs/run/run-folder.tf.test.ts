/** The output folder of a single command: continues the same run, refuses another, deletes only what is its own. */
import * as fc from 'fast-check';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRunFolder } from '../../../main/jobs/run/run-folder.js';
import { createSavingPace } from '../../../main/jobs/run/run-store.js';
import { temporaryFolder, testContext } from '../context.js';

const { context } = testContext();
const input = join(temporaryFolder(), 'input.txt');
writeFileSync(input, 'text');
const options = {
  command: 'train',
  phase: 'base_training' as const,
  settings: { n_layer: 2, lr: null },
  inputs: [input],
  overwrite: false,
  context,
};
const checkpoint = (step: number) => ({ weights: { w: { shape: [1], data: Float32Array.of(step) } }, state: { step } });
const metrics = (step: number) => ({ event: 'metrics', phase: 'base_training', step, values: { loss: 1 } }) as const;

describe('a run folder', () => {
  it('remembers its result', () => {
    const folder = join(temporaryFolder(), 'out');
    const run = openRunFolder(folder, options);
    expect(run.finished).toBeNull();
    run.finish({ val_loss: 1.5, nothing: NaN });
    run.close();
    const again = openRunFolder(folder, options);
    expect(again.finished).toEqual({ val_loss: 1.5, nothing: null });
    again.close();
    expect(readdirSync(folder)).not.toContain('lock');
  });

  it('keeps its metrics up to the checkpoint it continues from', async () => {
    const folder = join(temporaryFolder(), 'out');
    const run = openRunFolder(folder, options);
    await run.slot.latest();
    for (const step of [1, 2]) run.context.emit(metrics(step));
    await run.slot.save(checkpoint(2), 2);
    run.context.emit(metrics(3));
    run.close();
    const again = openRunFolder(folder, options);
    expect((await again.slot.latest())?.state).toEqual({ step: 2 });
    again.context.emit(metrics(3));
    again.close();
    const rows = readFileSync(join(folder, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
    expect(rows.map((row) => (JSON.parse(row) as { step: number }).step)).toEqual([1, 2, 3]);
  });

  it('is free again although it could not be cleared', () => {
    const folder = join(temporaryFolder(), 'out');
    const run = openRunFolder(folder, options);
    // A link to itself cannot be read.
    symlinkSync('checkpoints', join(folder, 'checkpoints'));
    expect(() => run.close()).toThrow(/Cannot read .*checkpoints/);
    rmSync(join(folder, 'checkpoints'));
    openRunFolder(folder, options).close();
  });

  it('refuses other settings, another command and a changed input, saying which', () => {
    const folder = join(temporaryFolder(), 'out');
    const run = openRunFolder(folder, options);
    run.finish({});
    run.close();
    const opening = (more: object) => () => {
      openRunFolder(folder, { ...options, ...more }).close();
    };
    expect(opening({ settings: { n_layer: 3, lr: null } })).toThrow('n_layer is 2 there, 3 now');
    expect(opening({ command: 'train_grpo' })).toThrow('it is a run of train');
    expect(opening({ settings: { ...options.settings, device: 'cpu', threads: 1 } })).not.toThrow();
    writeFileSync(input, 'another text');
    expect(opening({})).toThrow('has changed since');
    expect(opening({ overwrite: true })).not.toThrow();
  });

  it('is not overwritten if that would delete an input of the new run', () => {
    const folder = join(temporaryFolder(), 'out');
    const run = openRunFolder(folder, options);
    mkdirSync(run.modelFolder);
    const weights = join(run.modelFolder, 'weights.safetensors');
    writeFileSync(weights, 'w');
    run.finish({});
    run.close();
    const link = `${folder}-linked`;
    symlinkSync(folder, link);
    for (const inputs of [[input, weights], [run.modelFolder], [join(link, 'model/weights.safetensors')]]) {
      const opening = () => openRunFolder(folder, { ...options, inputs, overwrite: true });
      expect(opening).toThrow('holds what this run is to read');
    }
    expect(readFileSync(weights, 'utf8')).toBe('w');
    const elsewhere = [input, `${folder}/models.txt`, join(folder, 'input.txt')];
    for (const file of elsewhere) writeFileSync(file, 'text');
    openRunFolder(folder, { ...options, inputs: elsewhere, overwrite: true }).close();
    expect(existsSync(weights)).toBe(false);
  });

  it('leaves nothing behind when it fails before its first checkpoint, and everything after it', async () => {
    const folder = join(temporaryFolder(), 'out');
    openRunFolder(folder, options).close();
    expect(existsSync(folder)).toBe(false);
    const run = openRunFolder(folder, options);
    await run.slot.save(checkpoint(1), 1);
    run.close();
    expect(readdirSync(folder).sort()).toEqual([
      'checkpoints',
      'circumstances.json',
      'metrics.jsonl',
      'run.json',
      'samples.jsonl',
    ]);
  });

  it('is one process’s at a time', () => {
    const folder = join(temporaryFolder(), 'out');
    const run = openRunFolder(folder, options);
    expect(() => openRunFolder(folder, options)).toThrow('is in use by');
    run.close();
  });

  const precious = (...path: readonly string[]) => {
    mkdirSync(join(...path, '..'), { recursive: true });
    writeFileSync(join(...path), 'precious');
  };
  it.each([
    ['a file', 'data/precious.txt', /holds model, data, which no run/],
    ['another program’s run.json', 'run.json', /is not a run of this Verisim/],
  ])('never deletes %s and what lies beside it', (_, name, message) => {
    const folder = temporaryFolder();
    precious(folder, name);
    precious(folder, 'model', 'train.bin');
    for (const overwrite of [false, true])
      expect(() => openRunFolder(folder, { ...options, overwrite })).toThrow(message);
    expect(readFileSync(join(folder, name), 'utf8')).toBe('precious');
  });

  it.each(['data/notes.txt', 'model/card.md', 'checkpoints/mine/x.bin', 'tensorboard/layout.json'])(
    'never deletes %s, which was put into its own folder',
    (name) => {
      const folder = join(temporaryFolder(), 'out');
      const run = openRunFolder(folder, options);
      precious(folder, 'model', 'state.json');
      precious(folder, name);
      run.finish({});
      run.close();
      const overwrite = () => openRunFolder(folder, { ...options, overwrite: true });
      expect(overwrite).toThrow(/which no run of Verisim/);
      expect(readFileSync(join(folder, name), 'utf8')).toBe('precious');
      rmSync(join(folder, name.split('/').slice(0, 2).join('/')), { recursive: true });
      overwrite().close();
      expect(existsSync(join(folder, 'model'))).toBe(false);
    },
  );
});

it('takes at most its share of the time, but for the first checkpoint', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ work: fc.nat(100), save: fc.integer({ min: 1, max: 300 }) }), {
        minLength: 1,
        maxLength: 300,
      }),
      fc.constantFrom(0.03, 0.2, 1),
      async (steps, share) => {
        let clock = 0;
        const pace = createSavingPace(share, () => clock);
        const saves: { began: number; took: number }[] = [];
        for (const { work, save } of steps) {
          clock += work;
          if (!pace.due()) continue;
          const began = clock;
          clock += save;
          await pace.saved(async () => undefined);
          saves.push({ began, took: clock - began });
        }
        expect(saves[0]?.began).toBe(steps[0]?.work);
        saves.slice(1).forEach(({ began }, index) => {
          const { began: before = 0, took = 0 } = saves[index] ?? {};
          expect(took / (began - before)).toBeLessThanOrEqual(share + 1e-9);
        });
        if (share === 1) expect(saves).toHaveLength(steps.length);
      },
    ),
  );
});

it('counts from the question to the end, and requested saves too', async () => {
  let clock = 0;
  const pace = createSavingPace(0.5, () => clock);
  expect(pace.due()).toBe(true);
  clock = 10; // reading the weights
  await pace.saved(async () => {
    clock = 20;
  });
  clock = 39;
  expect(pace.due()).toBe(false);
  clock = 40;
  expect(pace.due()).toBe(true);
  await pace.saved(async () => undefined);
  await pace.saved(async () => {
    clock = 60;
  });
  clock = 70;
  expect(pace.due()).toBe(false);
});
