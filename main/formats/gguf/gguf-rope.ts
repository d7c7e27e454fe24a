/** Converts rotary scaling between GGUF and `rope_scaling`; Llama 3's is a tensor. (transformers, modeling_rope_utils.py) */
import type { Json } from '../../engine/types.js';

/** The tensor of the divisors of Llama 3's rotary frequencies. */
export const FACTORS = 'rope_freqs.weight';

/** Llama 3.1 and 3.2 differ in the factor alone. */
const llama3 = { low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 };

/** float32 in the file, and its own way of rounding. */
const TOLERANCE = 1e-4;

/** Finds Llama 3's settings from the divisors of its frequencies; null if they are not Llama 3's. */
export function llama3Scaling(factors: ArrayLike<number>, base: number): Readonly<Record<string, Json>> | null {
  const values = Array.from(factors);
  const factor = values.reduce((most, value) => Math.max(most, value), 1);
  const expected = llama3Factors(values.length, base, factor);
  const isThis = values.every((value, i) => Math.abs(value / (expected[i] ?? NaN) - 1) < TOLERANCE);
  return isThis ? { rope_type: 'llama3', factor, ...llama3 } : null;
}

/** The divisors of `count` frequencies: `factor` for long waves, 1 for short ones, and smooth in between. */
export function llama3Factors(
  count: number,
  base: number,
  factor: number,
  { low_freq_factor: low, high_freq_factor: high, original_max_position_embeddings: length } = llama3,
): readonly number[] {
  return Array.from({ length: count }, (_, i) => {
    const waves = length / (2 * Math.PI * base ** (i / count));
    const smooth = Math.min(1, Math.max(0, (waves - low) / (high - low)));
    return 1 / ((1 - smooth) / factor + smooth);
  });
}
