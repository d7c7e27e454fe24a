/**
 * What training a network reaches here: wide ones train in bfloat16 where the machine gains from it, which the guess from
 * f32 alone would call several times too slow. Estimates are made where no runtime is loaded, so the rule is asked of both.
 */
import type { Speed } from '../../../shared/costs/work.js';
import { BFLOAT16_FROM_WIDTH } from '../../engine/model/precision.js';

export const speedOf = ({ n_embd }: { readonly n_embd: number }, speed: Speed): Speed =>
  speed.wide !== null && n_embd >= BFLOAT16_FROM_WIDTH ? { ...speed, training: speed.wide } : speed;
