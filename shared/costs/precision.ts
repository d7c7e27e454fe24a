/**
 * Which precision matrix products have (`--precision`): what was asked for, or what a network gains from. A rule and not a
 * measurement, so that the same seed gives the same bytes; the measurements are in docs/benchmarks.md. Here because costs
 * are told where no runtime is loaded.
 */

/**
 * How matrix products are computed: in f32, or from elements rounded to bfloat16 (8 bits of mantissa) with sums in f32,
 * twice as fast on processors made for it. Everything else is f32, weights above all.
 */
export type Precision = 'f32' | 'bf16';

/** What a machine takes: `auto`, bfloat16 for networks that are wide enough to gain from it. */
export type MachinePrecision = Precision | 'auto';

/** Below this width a step is mostly not matrix products, and XLA, which has none of bfloat16 on a processor, is faster. */
const BFLOAT16_FROM_WIDTH = 256;

export const precisionFor = (precision: MachinePrecision, { n_embd }: { readonly n_embd: number }): Precision =>
  precision !== 'auto' ? precision : n_embd >= BFLOAT16_FROM_WIDTH ? 'bf16' : 'f32';
