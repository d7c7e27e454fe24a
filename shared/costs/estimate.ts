/** What a project is expected to need on this machine: what the phases come to, at the speed that was measured. */
import type { Estimate } from '../contract/values.js';
import { takenOver } from '../config/init.js';
import { projectConfigSchema } from '../config/index.js';
import type { GPTConfig } from '../config/model.js';
import type { TuneConfig } from '../config/tune.js';
import { pretrainedPreset, valuesOf } from '../config/presets.js';
import { parameterCount } from '../architectures/index.js';
import { projectOnDisk } from './disk.js';
import { largestBatch as largestRows, peakMemory, type Circumstances } from './memory.js';
import { phaseNames, phases, runsIn, type PhaseName } from '../phases/index.js';
import { trainedTokenFlops } from './network.js';
import { none, planOf, wholeOf, type PhaseWork, type Plan } from './phases.js';
import { nothing, secondsOf, times, together, withoutCompiling, type Speed, type Work } from './work.js';

/** What a phase computes in a cycle. Functions are compiled in the first cycle that has it, and kept. */
export function workOf(plan: Plan, name: PhaseName, cycle: number): PhaseWork {
  const phase = phases[name];
  // What makes something is shown wherever it runs.
  const runs = phase.makes === undefined || (phase.shown?.(plan.config, cycle) ?? true);
  if (!runsIn(phase, cycle) || !runs) return none;
  const { before, ...rest } = phase.work(plan, cycle);
  const isFirst = cycle === (phase.cycles === 'later' ? 1 : 0);
  return { before: isFirst ? before : withoutCompiling(before), ...rest };
}

/** All that a cycle computes. */
export const workOfCycle = (plan: Plan, cycle: number): Work =>
  together(...phaseNames.map((phase) => wholeOf(workOf(plan, phase, cycle))));

/** All of so many cycles after the base model's: from the second on they are alike. */
const workOfCycles = (plan: Plan, cycles: number): Work =>
  cycles < 1 ? nothing : together(workOfCycle(plan, 1), times(cycles - 1, workOfCycle(plan, 2)));

/** Bytes at the peak of a project that begins from `model`, at the settings for such. */
export function beginningMemory(
  model: GPTConfig,
  { tune = 'full', ...circumstances }: Circumstances & Partial<Pick<TuneConfig, 'tune'>> = {},
): number {
  const config = projectConfigSchema.parse({ ...valuesOf(pretrainedPreset, {}), tune, ...takenOver(model) });
  return peakMemory(planOf(config, model.vocab_size, null), circumstances);
}

interface EstimateInput {
  readonly config: Plan['config'];
  readonly vocabSize: number;
  /** Of the whole text; null when it is not known. */
  readonly tokens: number | null;
  readonly speed: Speed;
  readonly memoryAvailable: number;
  readonly diskFree: number;
}

/**
 * With the steps that the minutes of `train_minutes` come to at that speed, where it is known: what is compiled before them and
 * evaluated between them is within the minutes, too.
 */
function inMinutes(plan: Plan, speed: Speed): Plan {
  const { training } = speed;
  const { config, model } = plan;
  const { train_minutes: minutes, gradient_accumulation_steps, batch_size } = config;
  if (minutes === null || training === null) return plan;
  const ofStep = gradient_accumulation_steps * batch_size * model.block_size * trainedTokenFlops(model, config);
  const wanted = minutes * 60;
  const withSteps = (max_iters: number): Plan => ({ ...plan, config: { ...config, max_iters } });
  const secondsFor = (steps: number) => secondsOf(wholeOf(workOf(withSteps(steps), 'base_training', 0)), speed) ?? 0;
  const alone = Math.max(2, Math.round((wanted * training) / ofStep));
  const [least, most] = [secondsFor(1), secondsFor(alone)];
  const share = most > least ? Math.min(1, Math.max(0, (wanted - least) / (most - least))) : 1;
  return withSteps(1 + Math.round(share * (alone - 1)));
}

export function estimate({ config, vocabSize, tokens, speed, memoryAvailable, diskFree }: EstimateInput): Estimate {
  const plan = inMinutes(planOf(config, vocabSize, tokens), speed);
  const phase = (name: 'base_training' | 'judge' | 'critic' | 'evaluation', cycle: number) =>
    wholeOf(workOf(plan, name, cycle));
  const { max_cycles: cycles } = config;
  const parts = {
    base: together(phase('base_training', 0), phase('evaluation', 0)),
    scoring: together(phase('judge', 0), cycles > 0 ? phase('critic', 1) : nothing),
  };
  const [base, scoring] = [secondsOf(parts.base, speed), secondsOf(parts.scoring, speed)];
  const total = secondsOf(together(workOfCycle(plan, 0), workOfCycles(plan, cycles)), speed);
  const rest = total === null || base === null || scoring === null ? null : total - base - scoring;
  return {
    parameters: parameterCount(plan.model),
    seconds: { base, scoring, cycle: rest === null ? null : rest / Math.max(1, cycles), total },
    memory: { peak: peakOf(plan, memoryAvailable, speed), available: memoryAvailable },
    disk: { needed: projectOnDisk(plan), free: diskFree },
  };
}

/** Bytes, as memory is at ease or short here. */
function peakOf(plan: Plan, available: number, { precision }: Pick<Speed, 'precision'>): number {
  const isShort = peakMemory(plan, { precision }) > available;
  return peakMemory(plan, { precision, isShort });
}

/** The largest batch whose step fits; null when the one that is set does, 0 when not even one row does. */
export function largestBatch(
  config: Plan['config'],
  vocabSize: number,
  available: number,
  { precision }: Pick<Speed, 'precision'>,
): number | null {
  const { model } = planOf(config, vocabSize, null);
  const bytesFor = (batch_size: number) =>
    peakMemory({ config: { ...config, batch_size }, model }, { precision, isShort: true });
  const largest = largestRows(config.batch_size, bytesFor, available);
  return largest === config.batch_size ? null : largest;
}
