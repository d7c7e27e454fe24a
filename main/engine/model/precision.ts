/**
 * Which precision training's matrix products have (`--precision`): what was asked for, or what the model gains from. A
 * rule and not a measurement, so that the same seed gives the same bytes; the measurements are in docs/benchmarks.md.
 * Whether the machine gains from bfloat16 at all was decided when the runtime was loaded (main/jobs/machine/runtime.ts).
 */
import type { GPTConfig } from '../../../shared/config/model.js';
import type { JobEvent } from '../../../shared/events.js';
import type { Precision, Runtime } from '../runtime/types.js';

/** Said once where `auto` came to it. */
export const bfloat16Chosen: JobEvent = {
  event: 'notice',
  level: 'info',
  code: 'bfloat16',
  message:
    'Matrix products use bfloat16: a model of this width trains in about half the time with it here (--precision f32 does without).',
};

/** Below this width a step is mostly not matrix products, and XLA, which has none of bfloat16 on a processor, is faster. */
export const BFLOAT16_FROM_WIDTH = 256;

/**
 * Of what only reads (evaluation, scores, GRPO's update with what it compares): as training's, but GPT-2's architecture
 * reads in f32 as ever. How little it changes: docs/benchmarks.md.
 */
export const readingPrecision = (runtime: Runtime, model: GPTConfig): Precision =>
  (model.architecture ?? 'gpt2') === 'gpt2' ? 'f32' : trainingPrecision(runtime, model);

export function trainingPrecision({ precision, device }: Runtime, { n_embd }: GPTConfig): Precision {
  if (precision !== 'auto') return precision;
  return device === 'cuda' || n_embd >= BFLOAT16_FROM_WIDTH ? 'bf16' : 'f32';
}
