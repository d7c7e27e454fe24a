/**
 * What training a network reaches here: wide ones train in bfloat16 where the machine gains from it, which the guess from
 * f32 alone would call several times too slow.
 */
import { precisionFor } from '../../../shared/costs/precision.js';
import type { Speed } from '../../../shared/costs/work.js';

export const speedOf = (network: { readonly n_embd: number }, speed: Speed): Speed =>
  speed.wide !== null && precisionFor(speed.precision, network) === 'bf16' ? { ...speed, training: speed.wide } : speed;
