/**
 * `npm run study`: does the method work, and how well? Trains a whole project for each seed, with every kind of reward
 * model compared and every generator judged, and beside it the same base model with more supervised steps for the same
 * time. docs/experiments.md says what came of it. Projects are ordinary ones: a study that was stopped resumes.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { criticName, judgeName } from '../../main/engine/cycle/scoring-models.js';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import { cycleJob, newProjectJob } from '../../main/jobs/project/cycle.js';
import { alsoTelling, type JobContext } from '../../main/jobs/types.js';
import { projectPaths, type ProjectPaths } from '../../main/storage/projects/project-paths.js';
import { cacheFolder, findTensorflow, sampleTextPath } from '../../main/installation/locations.mjs';
import { projectCommandShape } from '../../shared/config/commands.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import { criticModelPath } from '../../shared/config/scoring-models.js';
import { UserError } from '../../shared/errors.js';
import { chartSvg, studyCharts } from './charts.js';
import { compareCritics } from './critics.js';
import { judgeGenerators } from './judgements.js';
import { compareFrontier, type Frontier } from './frontier/index.js';
import { judgeOfText, readyJudge } from './frontier/judge-of-text.js';
import { createPhaseClock } from './frontier/seconds.js';
import { compareKinds } from './kinds.js';
import { parseOptions, UsageError, usage, type StudyOptions } from './options.js';
import { acrossSeeds, studyResult, studyRow, type StudyRow } from './results.js';
import { isKept, kept, withProject, withStudied } from './studied.js';
import { supervisedInstead } from './supervised.js';
import { compareTemperatures } from './temperatures.js';
import { tryVariants } from './variants.js';

/** Readers that trained for less, and more steps against the weaker reward they give; all else is the preset’s. */
const quickSettings = {
  critic_length: 2.25,
  judge_length: 1.2,
  eval_iters: 50,
  reward_train_samples: 3000,
  reward_val_samples: 1500,
  reward_max_iters: 300,
  grpo_max_steps: 85,
  grpo_eval_prompts: 256,
};
/** Of the frontier, for each way of writing at each temperature. */
const PASSAGES = 512;
const QUICK_PASSAGES = 256;
const fullSettings = { judge_length: 2, eval_iters: 50 };

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
    const file = options.json === null ? null : resolve(root, options.json);
    const whole = options.frontierOnly ? await studyFrontier(options, home) : await studyAll(options, home, file);
    const text = `${JSON.stringify(whole, null, 2)}\n`;
    if (file === null) process.stdout.write(text);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n${error.hint}\n`);
    return 1;
  } finally {
    if (options.folder === null) rmSync(home, { recursive: true, force: true });
  }
}

async function studyAll(options: StudyOptions, home: string, json: string | null) {
  const rows: StudyRow[] = [];
  for (const seed of options.seeds) {
    rows.push(await studySeed(options, join(home, `seed-${String(seed)}`), seed));
    say(`seed ${String(seed)}: ${JSON.stringify(rows.at(-1)?.result)}`);
  }
  if (json !== null && !options.quick) drawCharts(json, rows);
  const [only] = rows;
  if (rows.length === 1 && options.quick && !options.variants) return only?.result;
  return { rows, means: means(rows), ...(options.variants ? await compareSettings(options, home) : {}) };
}

/** One seed's frontier, or all of them. */
async function studyFrontier(options: StudyOptions, home: string) {
  const rows: ({ readonly seed: number } & Frontier)[] = [];
  for (const seed of options.seeds) {
    const { frontier } = await trainedProject(options, join(home, `seed-${String(seed)}`), seed);
    if (frontier) rows.push({ seed, ...frontier });
    say(`seed ${String(seed)}: ${JSON.stringify(frontier?.result)}`);
  }
  return rows.length === 1 ? rows[0] : { rows };
}

const means = (rows: readonly StudyRow[]) =>
  acrossSeeds(
    rows.map(({ result, supervised }) => {
      const { reward_r2, fresh_discriminator_r2, default_kind: _kind, ...figures } = result;
      const [old, latest] = fresh_discriminator_r2;
      return {
        ...Object.fromEntries(Object.entries(reward_r2).map(([kind, r2]) => [`reward_r2_${kind}`, r2])),
        ...figures,
        fresh_discriminator_r2_old: old,
        fresh_discriminator_r2_new: latest,
        fresh_discriminator_r2_fall: old === null || latest === null ? null : old - latest,
        supervised_gain_nats: supervised?.after_grpo_time.judge_gain_nats ?? null,
        supervised_perplexity_change: supervised?.after_grpo_time.perplexity_change ?? null,
        supervised_copied_ratio: supervised?.after_grpo_time.copied_ratio ?? null,
      };
    }),
  );

/** A whole project, as the command line would run it, and what its cycles cost beside their rivals. */
async function trainedProject(options: StudyOptions, folder: string, seed: number) {
  const given = {
    project: folder,
    preset: options.preset,
    ...(options.tokenization === null ? {} : { tokenization: options.tokenization }),
    seed,
    data_path: options.data ?? sampleTextPath(),
    threads: options.threads,
    cycle_patience: 9,
    // The study judges by itself, with more passages, and not after every cycle.
    judge_passages: 0,
    // A critic that could write before has a recipe of its own.
    ...(criticModelPath(options.set) === null
      ? { max_cycles: 2, ...(options.quick ? quickSettings : fullSettings) }
      : {}),
    ...options.set,
  };
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new UsageError(resolved.problems.map(({ message }) => message).join('; '));
  const settings = z.object(projectCommandShape).parse(resolved.value);
  mkdirSync(join(folder, '..'), { recursive: true });
  const context = studyContext(options.threads);
  const paths = projectPaths(folder);
  if (!existsSync(paths.config)) await newProjectJob({ folder, settings, given: {} }, context);
  if (options.readers !== null) lend(resolve(options.readers), paths);
  const readers = await kept(folder, 'readers', async () => (options.readers === null ? 'own' : 'lent'));
  const clock = createPhaseClock(folder, () => context.now());
  await cycleJob({ folder, settings, given: {} }, alsoTelling(context, clock));
  const frontier = await frontierOf(options, folder, context);
  return { settings, context, readers, frontier };
}

/** What is compared with a project's cycles. */
async function studySeed(
  options: StudyOptions,
  folder: string,
  seed: number,
): Promise<StudyRow & { readonly readers: string }> {
  const { settings, context, readers, frontier } = await trainedProject(options, folder, seed);
  return withStudied(folder, context, async (studied) => {
    const judgements = await judgeGenerators(studied, say);
    const kinds = await kept(folder, 'kinds', () => compareKinds(studied, say));
    // What was measured once is told, whether it is asked for this time or not.
    const wanted = options.supervised || isKept(folder, 'supervised');
    if (wanted) say('Training on instead, for as long as GRPO took');
    const supervised = wanted ? await kept(folder, 'supervised', () => supervisedInstead(studied, judgements)) : null;
    const temperatures = options.quick
      ? null
      : await kept(folder, 'temperatures', () => compareTemperatures(studied, judgements, say));
    const result = { ...studyResult(judgements, settings.reward_kind, kinds), ...frontier?.result };
    const row = studyRow(seed, studied.reports, result, kinds, judgements, { supervised, temperatures });
    return { readers, ...row, ...(frontier ? { frontier } : {}) };
  });
}

/** Whether the cycles paid, by a judge of another text; null where none is asked for. Each judge's answer is kept by itself. */
async function frontierOf(options: StudyOptions, folder: string, context: JobContext): Promise<Frontier | null> {
  const { judge: text, judgeModel, judgeSet } = options;
  if (text === null && judgeModel === null) return null;
  const among = options.rivals === 'all' ? 'frontier' : 'frontier-offered';
  const name = judgeModel === null ? among : `${among}-by-${basename(resolve(judgeModel))}`;
  return kept(folder, name, async () => {
    say(judgeModel === null ? 'A judge of the other text' : `The judge: ${judgeModel}`);
    const judge =
      judgeModel === null
        ? await judgeOfText(resolve(text ?? ''), join(folder, '..'), judgeSet, context)
        : await readyJudge(resolve(judgeModel), context);
    const passages = options.quick ? QUICK_PASSAGES : PASSAGES;
    return withProject(folder, context, (project) =>
      compareFrontier(project, judge, { passages, say, quick: options.quick, rivals: options.rivals }),
    );
  });
}

async function compareSettings(options: StudyOptions, home: string) {
  const folder = join(home, `seed-${String(options.seeds[0])}`);
  return withStudied(folder, studyContext(options.threads), async (studied) => ({
    grpo_settings: await tryVariants(studied, say),
    critics: await compareCritics(studied, say),
  }));
}

/** Beside the JSON: what.json gets what-reward-r2.svg and others. */
function drawCharts(json: string, rows: readonly StudyRow[]): void {
  for (const [name, chart] of Object.entries(studyCharts(rows))) {
    if (chart.columns.length === 0) continue;
    writeFileSync(`${json.replace(/\.json$/, '')}-${name}.svg`, chartSvg(chart));
  }
}

const say = (message: string) => process.stderr.write(`${message}\n`);

/** Copies the readers that are lent to a project that has none yet. */
function lend(from: string, paths: ProjectPaths): void {
  for (const name of [criticName(1), judgeName]) {
    const to = paths.model(name);
    if (existsSync(to)) continue;
    cpSync(join(from, name), `${to}.lent`, { recursive: true });
    renameSync(`${to}.lent`, to);
  }
}

/**
 * Says on standard error what happens, with the time; everything else is in the project. Its clock is the processor time
 * of this process, so that what else the machine does is not taken for work; with one thread it is the time that a quiet
 * machine would show.
 */
function studyContext(threads: number | null): JobContext {
  const stop = { requested: false };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stop.requested = true));
  const started = Date.now();
  const worked = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  return {
    emit(event) {
      if (event.event !== 'phase' && event.event !== 'notice') return;
      const minutes = (worked() / 60_000).toFixed(1);
      const state = event.event === 'phase' ? ` (${event.state})` : '';
      process.stderr.write(`${minutes} min  ${event.message}${state}\n`);
    },
    now: () => started + worked(),
    stop,
    yieldToEventLoop: () => new Promise((done) => setImmediate(done)),
    runtime: () =>
      loadRuntime({ ...findTensorflow(), device: 'cpu', threads, compileCache: join(cacheFolder(), 'compiled') }),
  };
}
