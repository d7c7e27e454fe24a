/** What a phase's checkpoint holds of a model that can be used: what is evaluated, now or when it was best. Pure. */
import { selectPrefix } from '../model/named-arrays.js';
import type { Checkpoint, NamedArrays } from '../types.js';

/** Before the names of the best weights so far, in a checkpoint. */
export const BEST = 'best.';

/** Before the names of the running averages. */
export const AVERAGE = 'average.';

/** The weights of that moment: their averages, where those are what is evaluated. */
export const weightsOf = ({ weights, optimizer = {} }: Checkpoint): NamedArrays => ({
  ...weights,
  ...selectPrefix(optimizer, AVERAGE),
});

/** The best ones so far, as the phase would end with them; null where it knows none. */
export const bestWeightsOf = ({ weights, optimizer = {} }: Checkpoint): NamedArrays | null => {
  const best = selectPrefix(optimizer, BEST);
  return best === undefined ? null : { ...weights, ...best };
};
