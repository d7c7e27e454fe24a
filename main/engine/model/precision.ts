/**
 * The precision of matrix products in training and evaluation, by shared/costs/precision.ts and the runtime. main/jobs/machine/runtime-loader.ts
 * decides whether the machine gains from bfloat16.
 */
import { localized } from '../../../shared/messages/message.js';
import { precisionFor } from '../../../shared/costs/precision.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import type { Precision, Runtime } from '../runtime/types.js';

/** Reported once if `auto` chooses bfloat16. */
export const bfloat16Chosen: JobEvent = {
  event: 'notice',
  level: 'info',
  code: 'bfloat16',
  message: localized('model.matrix_products_use_bfloat16_model'),
};

/**
 * Precision of evaluation, scores and GRPO's update: that of training, but f32 for GPT-2's architecture, so that existing
 * projects stay bit-identical. bfloat16 changed SmolLM2-135M's held-out loss by 0.0004 nats per token.
 */
export const readingPrecision = (runtime: Runtime, model: GPTConfig): Precision =>
  (model.architecture ?? 'gpt2') === 'gpt2' ? 'f32' : trainingPrecision(runtime, model);

export const trainingPrecision = ({ precision, device }: Runtime, model: GPTConfig): Precision =>
  precision === 'auto' && device === 'cuda' ? 'bf16' : precisionFor(precision, model);
