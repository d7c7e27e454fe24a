/**
 * What training a network reaches here: wide ones train in bfloat16 where the machine gains from it, which the guess from
 * f32 alone would call several times too slow.
 */
import { precisionFor } from '../../../shared/costs/precision.js';
import type { Speed } from '../../../shared/costs/work.js';

/** The speed for this network, whose precision is decided then. */
export function speedOf(network: { readonly n_embd: number }, speed: Speed): Speed {
  const precision = precisionFor(speed.precision, network);
  return { ...speed, precision, training: precision === 'bf16' ? (speed.wide ?? speed.training) : speed.training };
}
