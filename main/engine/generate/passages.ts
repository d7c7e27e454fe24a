/**
 * Passages written as surely as can be. Two things go wrong in generation: the runtime fails (no memory, a device that
 * went away), and a model's numbers stop being finite on some text, so that what it writes means nothing. The first is
 * tried again with the same noise, which changes no byte; the second with other noise. What fails still is left out,
 * and counted (specification 3.11: "error handling for generation failures with retry mechanisms").
 */
import { UserError } from '../../../shared/errors.js';
import type { NoisePlace, Passage, Writer, Written } from './generate.js';

/** How often a passage with numbers that are not finite is tried with other noise. */
const RETRIES = 2;
/** Noise of a retry comes from far beyond the indices of all samples. */
const RETRY_INDEX = 2 ** 42;

interface SureWriter {
  /**
   * As `Writer.complete`, with null for each passage that could not be written. Null when the person asked to stop.
   * @throws what the runtime threw, when none of the passages could be written
   */
  complete(passages: readonly Passage[], noise: NoisePlace): Promise<(Written | null)[] | null>;
}

export function createSureWriter(writer: Writer, vocabLimit: number): SureWriter {
  /** One try; passages are alone the second time, so that one that breaks the runtime does not take others along. */
  async function attempt(passages: readonly Passage[], noise: NoisePlace): Promise<(Written | null)[] | null> {
    try {
      return await writer.complete(passages, noise);
    } catch (error) {
      if (error instanceof UserError) throw error;
    }
    const written: (Written | null)[] = [];
    let failure: unknown;
    for (const passage of passages) {
      try {
        const one = await writer.complete([passage], noise);
        if (one === null) return null;
        written.push(one[0] ?? null);
      } catch (error) {
        if (error instanceof UserError) throw error;
        failure = error;
        written.push(null);
      }
    }
    if (written.every((one) => one === null)) throw failure;
    return written;
  }

  return {
    async complete(passages, noise) {
      const first = await attempt(passages, noise);
      if (first === null) return null;
      const written = first.map((one, row) => (isSound(one, passages[row], vocabLimit) ? one : null));
      for (let retry = 1; retry <= RETRIES && written.includes(null); retry++) {
        const rows = written.flatMap((one, row) => (one === null ? [row] : []));
        const again = rows.flatMap((row) => {
          const passage = passages[row];
          return passage ? [{ ...passage, index: passage.index + retry * RETRY_INDEX }] : [];
        });
        // Here all may fail: the rest of the batch has shown that the runtime works.
        const results = await attempt(again, noise).catch((error: unknown) => {
          if (error instanceof UserError || rows.length === passages.length) throw error;
          return again.map(() => null);
        });
        if (results === null) return null;
        rows.forEach((row, i) => {
          const one = results[i] ?? null;
          if (isSound(one, again[i], vocabLimit)) written[row] = one;
        });
      }
      return written;
    },
  };
}

/** Every written token is in the vocabulary and has a finite log-probability. */
function isSound(written: Written | null, passage: Passage | undefined, vocabLimit: number): written is Written {
  if (written === null || passage === undefined) return false;
  const from = passage.prefix.length;
  return (
    written.logProbs.subarray(from).every(Number.isFinite) && written.ids.subarray(from).every((id) => id < vocabLimit)
  );
}
