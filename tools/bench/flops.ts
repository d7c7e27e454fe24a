/** How many floating-point operations a measure needs, counted as main/engine/model/flops.ts counts them. */
import { forwardFlops, grpoStepFlops, trainingFlops, writingFlops } from '../../main/engine/model/flops.js';
import type { Measure, Work } from './shapes.js';

/** Operations in one iteration; null for what is not about arithmetic. */
export function flopsOf(measure: Measure, work: Work): number | null {
  const { model } = work;
  const T = model.block_size;
  const passages = work.prompts * work.completions;
  switch (measure) {
    case 'train_step':
      return work.batch * T * trainingFlops(model);
    case 'generate':
      return writingFlops(model, work.sequences);
    case 'reward_data':
      return writingFlops(model, work.samples);
    case 'grpo_step':
      return grpoStepFlops(model, passages);
    case 'evaluate':
      return work.windows * T * forwardFlops(model, T);
    case 'matmul_peak':
      return 2 * Math.max(...work.sizes) ** 3;
    case 'load_text':
    case 'load_binary':
    case 'startup':
    case 'peak_memory':
      return null;
  }
}
