/**
 * Folders that an earlier version made (commit dbdf669, without TensorFlow), interrupted in the middle: a project in
 * GRPO, three steps in and a checkpoint after the second, and the output folder of `train` at the same place. This
 * version resumes them, and ends with the same bytes if it is interrupted once more, except for figures that are new.
 */
import { cpSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { trainJob } from '../../../main/jobs/commands/train.js';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { trainCommandShape } from '../../../shared/config/commands.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { differences, fingerprint } from '../../crash/project.js';
import { temporaryFolder, testContext } from '../context.js';
import { unpackEarlier, type EarlierSettings } from './earlier.js';

const home = temporaryFolder();
const at = (...steps: string[]) => join(home, ...steps);
let settings: EarlierSettings;

beforeAll(() => {
  settings = unpackEarlier('earlier', home);
});
afterAll(() => rmSync(home, { recursive: true }));

/** Figures, and samples while it trains, that the earlier version did not have. */
const ADDED = /nats_per_character|bits_per_byte|words_known|num_tokens/;

/** Leaves of the logs what the earlier version wrote. */
function withoutAdded(folder: string): void {
  const rowSchema = z.looseObject({
    event: z.string().optional(),
    values: z.record(z.string(), z.unknown()).optional(),
  });
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.name !== 'metrics.jsonl' && entry.name !== 'samples.jsonl') continue;
    const file = join(entry.parentPath, entry.name);
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const kept = lines.flatMap((line) => {
      const row = rowSchema.parse(JSON.parse(line));
      if (entry.name === 'samples.jsonl' && 'step' in row) return [];
      const values = Object.entries(row.values ?? {}).filter(([name]) => !ADDED.test(name));
      return [JSON.stringify(row.values ? { ...row, values: Object.fromEntries(values) } : row)];
    });
    if (kept.length === 0) rmSync(file);
    else writeFileSync(file, kept.map((line) => `${line}\n`).join(''));
  }
}

/** What training came to, file by file; what says where, when and by which version it was made is left out. */
const resultsIn = (folder: string) => {
  withoutAdded(folder);
  return Object.fromEntries(
    Object.entries(fingerprint(folder)).filter(([name]) => /(safetensors|jsonl|bin|predictions\.json)$/.test(name)),
  );
};

it('a project is resumed where it stopped, and ends with the same bytes', async () => {
  // The other one starts its GRPO again: how it writes reward data was a setting then.
  cpSync(at('project'), at('whole'), { recursive: true });
  rmSync(at('whole', 'checkpoints', 'base_model_v2.progress'), { recursive: true });
  const { context, events } = testContext(undefined, 'plain');
  const resumed = await cycleJob({ folder: at('project'), settings: null, given: {} }, context);
  const resumedAt = events.flatMap((event) => (event.event === 'metrics' ? [`${event.phase} ${event.step}`] : []))[0];
  expect(resumedAt).toBe('grpo 3');
  // A copy that has no checkpoint of GRPO is interrupted too.
  const copy = { folder: at('whole'), settings: null, given: {} };
  const stopping = testContext((event) => event.event === 'metrics' && event.step === 3, 'plain');
  await expect(cycleJob(copy, stopping.context)).rejects.toMatchObject({ code: 'stopped' });
  const again = await cycleJob(copy, testContext(undefined, 'plain').context);
  expect(again['samples_after']).toEqual(resumed['samples_after']);
  // The earlier version looked at held-out text at other steps, which are in the metrics.
  const withoutRows = (folder: string) =>
    Object.fromEntries(Object.entries(resultsIn(folder)).filter(([name]) => !name.endsWith('metrics.jsonl')));
  const wanted = withoutRows(at('whole'));
  expect(Object.keys(wanted).length).toBeGreaterThan(8);
  expect(differences(withoutRows(at('project')), wanted)).toEqual([]);
}, 300_000);

it('the output folder of a command is, too', async () => {
  const shape = z.object(trainCommandShape);
  const runTo = (out_dir: string) => {
    const resolved = resolveSettings(trainCommandShape, { ...settings.small, out_dir });
    if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
    const { context, events } = testContext(undefined, 'plain');
    return trainJob(shape.parse(resolved.value), context).then((results) => ({ results, events }));
  };
  // The text is the one that was read then.
  const { inputs } = z
    .object({ inputs: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(at('train/run.json'), 'utf8')));
  const modified = Number(inputs[at('text.txt')]?.split(', ')[1]) / 1000;
  utimesSync(at('text.txt'), modified, modified);
  const resumed = await runTo(at('train'));
  expect(resumed.events.find((event) => event.event === 'metrics')).toMatchObject({ step: 3 });
  const whole = await runTo(at('trained'));
  expect(resumed.results['val_loss']).toBe(whole.results['val_loss']);
  const wanted = resultsIn(at('trained'));
  expect(Object.keys(wanted)).toContain(join('model', 'weights.safetensors'));
  expect(differences(resultsIn(at('train')), wanted)).toEqual([]);
});
