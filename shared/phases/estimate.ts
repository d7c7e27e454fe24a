/** Estimates time, memory and disk of a project on a machine of known speed. */
import { parameterCount } from '../architectures/index.js';
import { configOfCycle } from '../config/choices.js';
import { projectConfigSchema } from '../config/index.js';
import { initialModelPath, takenOver } from '../config/init.js';
import { followsVoice, type GPTConfig } from '../config/model.js';
import { pretrainedPreset, valuesOf } from '../config/presets.js';
import { passesThrough } from '../config/suited-dropout.js';
import { readingSteps, SAMPLES_WRITTEN, secondsForSteps } from '../config/train.js';
import type { TuneConfig } from '../config/tune.js';
import { phaseNames, phases, runsIn, type PhaseName } from './index.js';
import { projectOnDisk } from '../costs/disk.js';
import { largestBatch as largestRows, peakMemory, type Circumstances } from '../costs/memory.js';
import { stepsWithin } from '../costs/held-out.js';
import { none, planOf, wholeOf, type PhaseWork, type Plan } from '../costs/phases.js';
import { nothing, secondsOf, times, together, withoutCompiling, writes, type Speed, type Work } from '../costs/work.js';

/** Work of a phase in a cycle. Graphs are compiled in the first cycle that has the phase. */
export function workOf(whole: Plan, name: PhaseName, cycle: number): PhaseWork {
  const plan = { ...whole, config: configOfCycle(whole.config, cycle) };
  const phase = phases[name];
  const runs = phase.makes === undefined || (phase.shown?.(plan.config, cycle) ?? true);
  if (!runsIn(phase, cycle) || !runs) return none;
  const { before, ...rest } = phase.work(plan, cycle);
  const isFirst = cycle === (phase.cycles === 'later' ? 1 : 0);
  return { before: isFirst ? before : withoutCompiling(before), ...rest };
}

/** The samples of a cycle's report, written after its phases: about a block each. */
export const reportSamples = ({ model }: Plan): Work => writes(model, SAMPLES_WRITTEN);

const workOfCycle = (plan: Plan, cycle: number): Work =>
  together(...phaseNames.map((phase) => wholeOf(workOf(plan, phase, cycle))), reportSamples(plan));

/** Work of all cycles after the base model; from the second on they are alike. */
const workOfCycles = (plan: Plan, cycles: number): Work =>
  cycles < 1 ? nothing : together(workOfCycle(plan, 1), times(cycles - 1, workOfCycle(plan, 2)));

/** Peak memory in bytes of a project that starts from `model` with the settings for pretrained models. */
export function beginningMemory(
  model: GPTConfig,
  { tune = 'full', ...circumstances }: Circumstances & Partial<Pick<TuneConfig, 'tune'>> = {},
): number {
  const config = projectConfigSchema.parse({ ...valuesOf(pretrainedPreset, {}), tune, ...takenOver(model) });
  return peakMemory(planOf(config, model.vocab_size, null), circumstances);
}

/** Resolves `train_minutes` to steps at a known speed. Preparing the text, compiling and evaluating are part of the minutes. */
export function inMinutes(plan: Plan, speed: Speed, preparing = 0): Plan {
  const { config, model, tokens } = plan;
  const { train_minutes: minutes } = config;
  if (minutes === null || speed.training === null) return plan;
  const isLimited = initialModelPath(config) !== null && tokens.train > 0;
  const enough = isLimited ? readingSteps(config, model.block_size, tokens.train) : Infinity;
  const withSteps = (max_iters: number): Plan => ({ ...plan, config: { ...config, max_iters } });
  const secondsFor = (steps: number) => secondsOf(wholeOf(workOf(withSteps(steps), 'base_training', 0)), speed) ?? 0;
  return withSteps(Math.min(enough, stepsWithin(secondsForSteps(minutes, preparing), secondsFor)));
}

interface Estimate {
  readonly parameters: number;
  /** How often base training reads the text; null: unknown. */
  readonly passes: number | null;
  /**
   * Base training, critic and judge, one cycle, and all, and what a first cycle after the voice adds, chosen or not; null: unknown,
   * or no such cycle.
   */
  readonly seconds: Readonly<Record<'base' | 'scoring' | 'cycle' | 'total' | 'voice', number | null>>;
  /** Bytes. */
  readonly memory: { readonly peak: number; readonly available: number };
  readonly disk: { readonly needed: number; readonly free: number };
}

interface EstimateInput {
  readonly config: Plan['config'];
  readonly vocabSize: number;
  /** Of the whole text; null if unknown. */
  readonly tokens: number | null;
  readonly speed: Speed;
  readonly memoryAvailable: number;
  readonly diskFree: number;
}

export function estimate({ config, vocabSize, tokens, speed, memoryAvailable, diskFree }: EstimateInput): Estimate {
  const plan = inMinutes(planOf(config, vocabSize, tokens), speed);
  const { max_cycles: cycles } = config;
  const work = (name: PhaseName, cycle: number) => wholeOf(workOf(plan, name, cycle));
  const base = secondsOf(together(work('base_training', 0), work('evaluation', 0), reportSamples(plan)), speed);
  const critics = cycles > 0 ? [work('critic', 1)] : [];
  const scoring = secondsOf(together(work('judge', 0), ...critics), speed);
  const totalWith = (max_cycles: number) => {
    const planned = { ...plan, config: { ...plan.config, max_cycles } };
    return secondsOf(together(workOfCycle(planned, 0), workOfCycles(planned, max_cycles)), speed);
  };
  const total = totalWith(cycles);
  const isVoice = followsVoice(config.reward_kind) && initialModelPath(config) !== null;
  const [without, withOne] = isVoice ? [totalWith(0), totalWith(1)] : [null, null];
  const voice = without !== null && withOne !== null ? withOne - without : null;
  const rest = total === null || base === null || scoring === null ? null : total - base - scoring;
  const { precision } = speed;
  const isPlanned = config.train_minutes === null || speed.training !== null;
  const isShort = peakMemory(plan, { precision }) > memoryAvailable;
  return {
    parameters: parameterCount(plan.model),
    passes: tokens === null || !isPlanned ? null : passesThrough(plan.config, plan.model, plan.tokens.train),
    seconds: { base, scoring, cycle: rest === null ? null : rest / Math.max(1, cycles), total, voice },
    memory: { peak: peakMemory(plan, { precision, isShort }), available: memoryAvailable },
    disk: { needed: projectOnDisk(plan), free: diskFree },
  };
}

/** The largest batch whose step fits; null if the chosen one does, 0 if not even one row does. */
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
