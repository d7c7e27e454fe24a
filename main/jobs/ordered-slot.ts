/**
 * A checkpoint comes back from its file with its tensors sorted by name, while a fresh model has them in the order of
 * its layers. Sums over all of them (the gradient's length) are rounded differently in another order, so an interrupted
 * run would end with other bytes than a whole one. Here the weights get their own order back.
 */
import type { GPTConfig } from '../../shared/config/model.js';
import { parameterShapes } from '../engine/model.js';
import type { CheckpointSlot, NamedArrays } from '../engine/types.js';

export function orderedSlot(slot: CheckpointSlot, model: GPTConfig): CheckpointSlot {
  return {
    async latest() {
      const checkpoint = await slot.latest();
      return checkpoint && { ...checkpoint, weights: inOrder(checkpoint.weights, Object.keys(parameterShapes(model))) };
    },
    save: (checkpoint, step) => slot.save(checkpoint, step),
  };
}

function inOrder(arrays: NamedArrays, names: readonly string[]): NamedArrays {
  const known = names.flatMap((name) => (arrays[name] ? [[name, arrays[name]] as const] : []));
  return { ...Object.fromEntries(known), ...arrays };
}
