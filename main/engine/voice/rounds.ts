/** Rounds of following the voice: the passages of the next steps, and what is looked at between two rounds. */
import { VOICE_ROUND, type PassageShape } from '../../../shared/config/voice.js';
import { selectPrefix, withPrefix } from '../model/named-arrays.js';
import { mean } from '../statistics/statistics.js';
import { distinctN, shortCopyLength, type CopyIndex } from '../statistics/text-statistics.js';
import type { TokenizationMethod } from '../tokenizer/types.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import type { NamedArrays, TokenIds, TokenSource } from '../types.js';
import { crossed, limitsOf, type Level } from './brakes.js';
import { groupsOfStep, type createGroups, type Groups } from './groups.js';
import { continuationsOf, spreadPassages } from './passages.js';
import { countsOf } from './yardsticks.js';

interface RoundOptions {
  readonly before: Level;
  readonly text: Level;
  readonly valTokens: TokenSource;
  readonly tokenization: TokenizationMethod;
  readonly copies: CopyIndex;
  readonly shape: PassageShape;
  /** Continuations of a group. */
  readonly size: number;
  readonly groups: ReturnType<typeof createGroups>;
}

const PREFIX = 'round.';
const FIRST = 'first';

/** @param saved as a checkpoint has them: a round that was written is not written again, by another policy */
export function createRounds(options: RoundOptions, saved: NamedArrays = {}) {
  const { before, text, valTokens, tokenization, copies, shape, size, groups } = options;
  const stored = selectPrefix(saved, PREFIX);
  const place = stored?.[FIRST]?.data[0];
  let round = stored && place !== undefined ? { first: place, groups: groups.restored(place + 1, stored) } : null;
  let seen: Groups | null = null;

  async function written(first: number): Promise<Groups | null> {
    const some = await groups.write(first + 1);
    if (some) round = { first, groups: some };
    return some;
  }
  const lookAt = ({ ids, logRatios }: Groups) => {
    const { repeated, copied } = countsOf(continuationsOf(ids, shape), copies, shortCopyLength[tokenization]);
    return {
      log_ratio: mean(logRatios),
      repeated: repeated.mean,
      copied: copied.mean,
      distinct_3: varietyOf(ids, size),
    };
  };
  /** The variety of one passage of each group: those of one group are alike. */
  const varietyOf = (ids: TokenIds, each: number) =>
    distinctN(
      continuationsOf(ids, shape).filter((_, row) => row % each === 0),
      3,
    ) ?? NaN;

  return {
    /** For the checkpoint. */
    read: (): NamedArrays =>
      round === null
        ? {}
        : withPrefix(
            { ...groups.stored(round.groups), [FIRST]: { shape: [1], data: Float32Array.of(round.first) } },
            PREFIX,
          ),

    /** The groups of a step, from 0; null if the user stopped. */
    async groupsOf(step: number): Promise<Groups | null> {
      const first = step - (step % VOICE_ROUND);
      const all = round?.first === first ? round.groups : await written(first);
      return all && groupsOfStep(all, step - first);
    },

    /**
     * Looks at what the policy writes now, which the next round learns from. @param isLast written then only if its variety counts
     * @throws UserError `stopped`
     */
    async look(step: number, isLast: boolean): Promise<void> {
      const isWritten = isLast ? before.variety !== undefined : step % VOICE_ROUND === 0;
      seen = isWritten ? await written(step) : null;
      if (isWritten && !seen) throw stoppedMeasuring();
    },

    /** Compares what was seen with the text's own values. @param heldOut the loss now, and before the first step */
    brake(heldOut: { readonly now: number; readonly start: number }) {
      const count = (seen?.rewards.length ?? size) / size;
      const distinct_3 = varietyOf(spreadPassages(valTokens, count, shape), 1);
      const limits = limitsOf(before, text, { held_out: heldOut.start, distinct_3 });
      return crossed({ held_out: heldOut.now, ...(seen ? lookAt(seen) : {}) }, limits);
    },
  };
}
