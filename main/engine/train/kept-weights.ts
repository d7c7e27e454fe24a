/** Reads usable models from a phase's checkpoint: the latest weights and the best ones. Pure. */
import { selectPrefix } from '../model/named-arrays.js';
import type { Checkpoint, NamedArrays } from '../types.js';

/** Prefixes of the best weights so far and of the running averages, among a checkpoint's optimizer arrays. */
export const BEST = 'best.';
export const AVERAGE = 'average.';

/** Returns the latest weights, or their averages if these are what is evaluated. */
export const weightsOf = ({ weights, optimizer = {} }: Checkpoint): NamedArrays => ({
  ...weights,
  ...selectPrefix(optimizer, AVERAGE),
});

/** Returns the best weights so far, with which the phase would end; null if it stores none. */
export const bestWeightsOf = ({ weights, optimizer = {} }: Checkpoint): NamedArrays | null => {
  const best = selectPrefix(optimizer, BEST);
  return best === undefined ? null : { ...weights, ...best };
};
