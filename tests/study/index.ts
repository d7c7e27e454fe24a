/**
 * `npm run study`: does the method work, and how well? Trains a whole project for each seed, with every kind of reward
 * model compared and every generator judged, and beside it the same base model with more supervised steps for the same
 * time. docs/method.md says what came of it. Projects are ordinary ones: a study that was stopped goes on.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { CycleReport } from '../../main/engine/cycle-types.js';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import { cycleJob } from '../../main/jobs/cycle.js';
import type { JobContext } from '../../main/jobs/types.js';
import { projectPaths } from '../../main/storage/project-paths.js';
import { findTensorflow, sampleTextPath } from '../../main/storage/tensorflow-location.js';
import { projectCommandShape } from '../../shared/config/commands.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import { UserError } from '../../shared/errors.js';
import { parseOptions, UsageError, usage, type StudyOptions } from './options.js';
import { acrossSeeds, studyResult, type StudyResult } from './results.js';
import { supervisedInstead, type Supervised } from './supervised.js';

/** What a short study trains less of; everything else is the preset's. */
const quickSettings = {
  ...{ critic_length: 2, judge_length: 1.5, judge_passages: 256 },
  ...{ reward_train_samples: 3000, reward_val_samples: 1500, reward_max_iters: 600 },
  ...{ grpo_max_steps: 60, grpo_eval_prompts: 256 },
};
const fullSettings = { judge_passages: 1024 };

export async function main(root: string, args: readonly string[]): Promise<number> {
  let options: StudyOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}\n`);
    return 2;
  }
  const home = options.folder === null ? mkdtempSync(join(tmpdir(), 'verisim-study-')) : resolve(options.folder);
  try {
    const rows: { seed: number; result: StudyResult; supervised: Supervised | null; minutes: number }[] = [];
    for (const seed of options.seeds) {
      const started = performance.now();
      const folder = join(home, `seed-${String(seed)}`);
      const { reports, kind, context } = await runProject(options, folder, seed);
      const result = studyResult(reports, kind);
      const supervised = options.quick ? null : await supervisedInstead(folder, reports, context);
      rows.push({ seed, result, supervised, minutes: (performance.now() - started) / 60_000 });
      process.stderr.write(`seed ${String(seed)}: ${JSON.stringify(rows.at(-1))}\n`);
    }
    const [only] = rows;
    const whole =
      rows.length === 1 && options.quick ? only?.result : { rows, means: means(rows.map((row) => row.result)) };
    const text = `${JSON.stringify(whole, null, 2)}\n`;
    if (options.json !== null) {
      mkdirSync(join(resolve(root, options.json), '..'), { recursive: true });
      writeFileSync(resolve(options.json), text);
    } else process.stdout.write(text);
    return 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n${error.hint}\n`);
    return 1;
  } finally {
    if (options.folder === null) rmSync(home, { recursive: true, force: true });
  }
}

const means = (results: readonly StudyResult[]) =>
  acrossSeeds(
    results.map(({ reward_r2, fresh_discriminator_r2: [old, latest], default_kind: _kind, ...figures }) => ({
      ...Object.fromEntries(Object.entries(reward_r2).map(([kind, r2]) => [`reward_r2_${kind}`, r2])),
      ...figures,
      fresh_discriminator_r2_old: old,
      fresh_discriminator_r2_new: latest,
    })),
  );

/** A whole project, as the command line would run it. */
async function runProject(options: StudyOptions, folder: string, seed: number) {
  const given = {
    ...{ project: folder, preset: options.preset, tokenization: options.tokenization, seed },
    ...{ data_path: options.data ?? sampleTextPath(), threads: options.threads, max_cycles: 2, cycle_patience: 9 },
    ...{ reward_compare: true },
    ...(options.quick ? quickSettings : fullSettings),
    ...options.set,
  };
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new UsageError(resolved.problems.map(({ message }) => message).join('; '));
  const settings = z.object(projectCommandShape).parse(resolved.value);
  mkdirSync(join(folder, '..'), { recursive: true });
  const context = studyContext(options.threads);
  await cycleJob({ folder, settings, given: {} }, context);
  const paths = projectPaths(folder);
  const reports: CycleReport[] = [];
  for (let cycle = 0; cycle <= settings.max_cycles; cycle++) {
    try {
      reports.push(JSON.parse(readFileSync(paths.cycle(cycle).report, 'utf8')) as CycleReport);
    } catch {
      break; // The critic was caught up with: there is no such cycle.
    }
  }
  return { reports, kind: settings.reward_kind, context };
}

/** Says on standard error what happens, with the time; everything else is in the project. */
function studyContext(threads: number | null): JobContext {
  const started = performance.now();
  return {
    emit(event) {
      if (event.event !== 'phase' && event.event !== 'notice') return;
      const minutes = ((performance.now() - started) / 60_000).toFixed(1);
      const state = event.event === 'phase' ? ` (${event.state})` : '';
      process.stderr.write(`${minutes} min  ${event.message}${state}\n`);
    },
    now: () => Date.now(),
    stop: { requested: false },
    breathe: () => new Promise((done) => setImmediate(done)),
    runtime: () => loadRuntime({ ...findTensorflow(), device: 'cpu', threads }),
  };
}
