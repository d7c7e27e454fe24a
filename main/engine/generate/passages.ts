/**
 * Generates passages with retries (specification 3.11: "error handling for generation failures with retry mechanisms"). If the
 * runtime fails, the retry has the same noise and so the same bytes; if numbers are not finite, it has other noise.
 */
import { UserError } from '../../../shared/errors.js';
import type { NoisePlace, Passage, Writer, Written } from './generate.js';

/** Retries of a passage with other noise. */
const RETRIES = 2;
/** Beyond the noise indices of all passages. */
const RETRY_INDEX = 2 ** 42;

interface SureWriter {
  /** As `Writer.complete`, with null for each failed passage. @throws the runtime's error if all passages failed */
  complete(passages: readonly Passage[], noise: NoisePlace): Promise<(Written | null)[] | null>;
}

export function createSureWriter(writer: Writer, vocabLimit: number): SureWriter {
  /** Tries all passages together, then each alone. */
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
        // If others succeeded, the runtime works.
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

/** Whether generated tokens are in the vocabulary with finite log-probabilities. */
function isSound(written: Written | null, passage: Passage | undefined, vocabLimit: number): written is Written {
  if (written === null || passage === undefined) return false;
  const from = passage.prefix.length;
  return (
    written.logProbs.subarray(from).every(Number.isFinite) && written.ids.subarray(from).every((id) => id < vocabLimit)
  );
}
