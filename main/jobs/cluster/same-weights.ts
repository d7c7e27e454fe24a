/** Whether all ranks end with the same weights: said either way, since machines of other kinds may round differently. */
import { createHash } from 'node:crypto';
import type { Team } from '../../engine/team.js';
import type { NamedArrays } from '../../engine/types.js';
import type { JobContext } from '../types.js';
import { packed } from './shared-slot.js';

/** @param of what they are the weights of, in the middle of a sentence */
export async function compareWeights(team: Team, of: string, weights: NamedArrays, emit: JobContext['emit']) {
  const own = createHash('sha256')
    .update(packed({ weights, state: {} }))
    .digest();
  const [first = '', ...others] = (await team.gather(own)).map((bytes) => Buffer.from(bytes).toString('hex'));
  const different = others.flatMap((its, index) => (its === first ? [] : [index + 1]));
  const [level, message] =
    different.length === 0
      ? (['info', `All ${team.size} ranks have the same ${of}: ${first.slice(0, 16)}`] as const)
      : ([
          'warning',
          `Rank ${different.join(', ')} has not the same ${of} as rank 0, which are kept: its machine rounds differently, or computes wrongly`,
        ] as const);
  emit({ event: 'notice', level, code: 'cluster', message });
}
