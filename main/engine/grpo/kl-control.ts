/**
 * Adaptive β: it grows while the policy is further from the reference than the target, and shrinks while it is nearer (Ziegler et
 * al. 2019, "Fine-tuning language models from human preferences", section 2.2).
 */
import type { GrpoConfig } from '../../../shared/config/grpo.js';

/** A step changes β by at most this share. */
const MAX_CHANGE = 0.2;
/** Initial β if it is configured as 0, from which it could not grow. */
const MIN_START = 0.01;

export const firstBeta = ({ beta, kl_target }: Pick<GrpoConfig, 'beta' | 'kl_target'>): number =>
  kl_target === null ? beta : beta || MIN_START;

/** @param kl of the step, nats per token @param target null keeps β */
export function nextBeta(beta: number, kl: number, target: number | null): number {
  if (target === null) return beta;
  const error = Math.max(-MAX_CHANGE, Math.min(MAX_CHANGE, kl / target - 1));
  return beta * (1 + error);
}
