/** How many floating-point operations a measure needs, counted by the cost model. */
import { forwardFlops, trainingFlops, writingFlops } from '../../shared/costs/network.js';
import { grpoStep } from '../../shared/costs/phases.js';
import { flopsOf as flopsOfWork } from '../../shared/costs/work.js';
import type { Measure, Work } from './shapes.js';

/** Operations in one iteration; null for what is not about arithmetic. */
export function flopsOf(measure: Measure, work: Work): number | null {
  const { model } = work;
  const T = model.block_size;
  switch (measure) {
    case 'train_step':
      return work.batch * T * trainingFlops(model);
    case 'generate':
      return writingFlops(model, work.sequences);
    case 'reward_data':
      return writingFlops(model, work.samples);
    case 'grpo_step': {
      const { prompts: prompts_per_step, completions: group_size } = work;
      const settings = { prompts_per_step, group_size, num_iterations: 1, ptx_coef: 0, ptx_batch_size: 0 };
      return flopsOfWork(grpoStep(model, [model], settings));
    }
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
