/** Chooses the precision of matrix products: a rule and not a measurement, so that a seed gives the same bytes everywhere. */

/** f32, or elements rounded to bfloat16 with sums in f32. Everything else is f32, weights above all. */
export type Precision = 'f32' | 'bf16';

/** `auto`: bfloat16 for networks that are wide enough to gain from it. */
export type MachinePrecision = Precision | 'auto';

/** Below this width XLA in f32 is faster: most of a step is not matrix products (docs/benchmarks.md). */
const BFLOAT16_FROM_WIDTH = 256;

export const precisionFor = (precision: MachinePrecision, { n_embd }: { readonly n_embd: number }): Precision =>
  precision !== 'auto' ? precision : n_embd >= BFLOAT16_FROM_WIDTH ? 'bf16' : 'f32';
