/** The user's choices in a model's tokens: how likely each continuation is, and whether new weights speak for what was chosen. */
import * as tf from '@tensorflow/tfjs';
import { passageShape, type PassageShape } from '../../../shared/config/voice.js';
import type { Measure } from '../../../shared/reports/report.js';
import { readingPrecision } from '../model/precision.js';
import { readBefore } from '../model/sequence-scores.js';
import { nextTokenLogProbs } from '../model/token-losses.js';
import { scoreRows } from '../reward/score-rows.js';
import type { Session } from '../runtime/types.js';
import { mean, shareInterval } from '../statistics/statistics.js';
import type { Choice } from '../taste/taste.js';
import type { Environment, TokenIds } from '../types.js';
import type { Reader } from './passages.js';

export interface ReadableChoice extends Choice {
  /** At least one each; of the chosen continuation, then of the others. */
  readonly ids: { readonly context: TokenIds; readonly texts: readonly TokenIds[] };
}

/** log p per token under each network of each continuation, by choice. */
type Likelihoods = readonly (readonly (readonly number[])[])[];

/** Compiles reading of choices: as much of a continuation as groups have (groups.ts), after what fits of its context. */
export function createChoiceReader(session: Session, readers: readonly Reader[], env: Environment) {
  const [first] = readers;
  if (!first) throw new Error('there is no model to score with');
  const shape = passageShape(first.model);
  const width = shape.length - 1;
  const read = session.compile(
    (ids: tf.Tensor) =>
      tf.concat(
        readers.map(({ model, parameters }) => {
          const { hidden, labels } = readBefore({ ...model, dropout: 0 }, parameters, ids);
          return nextTokenLogProbs({ model, parameters, hidden, labels }, { temperature: 1 });
        }),
        1,
      ),
    { name: 'choices_read', precision: readingPrecision(env.runtime, first.model) },
  );
  return async (choices: readonly Pick<ReadableChoice, 'ids'>[]): Promise<Likelihoods> => {
    const rows = choices.flatMap(({ ids: { context, texts } }) => texts.map((text) => passageOf(context, text, shape)));
    const passages = new Uint32Array(rows.length * shape.length);
    rows.forEach(({ ids }, row) => passages.set(ids, row * shape.length));
    const logProbs = await scoreRows(passages, shape.length, readers.length * width, read, env);
    let row = 0;
    const next = () => {
      const { given = 1, end = 1 } = rows[row] ?? {};
      const start = row++ * readers.length * width;
      return readers.map((_, at) =>
        mean(logProbs.subarray(start + at * width + given - 1, start + at * width + end - 1)),
      );
    };
    return choices.map(({ ids }) => ids.texts.map(next));
  };
}

/** The end of a context and the start of a continuation; zeros follow, which nothing before them reads. */
function passageOf(context: TokenIds, text: TokenIds, { length, continuation }: PassageShape) {
  const written = text.subarray(0, continuation);
  const before = context.subarray(Math.max(0, context.length - (length - written.length)));
  return { ids: [...before, ...written], given: before.length, end: before.length + written.length };
}

/** The mean share of the other continuations over which the chosen one has gained likelihood; 0.5 is chance. */
export function agreementOf(before: Likelihoods, after: Likelihoods): Measure {
  const shares = after.map((texts, choice) => {
    const gains = texts.map(([value = NaN], text) => value - (before[choice]?.[text]?.[0] ?? NaN));
    const [chosen = NaN, ...others] = gains;
    return mean(others.map((gain) => (chosen > gain ? 1 : chosen === gain ? 0.5 : 0)));
  });
  const share = mean(shares);
  return { mean: share, interval: shareInterval(share * shares.length, shares.length) };
}
