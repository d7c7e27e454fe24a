/** Continues a user's text in several ways at once, for the writing page. The model stays loaded for the next request. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { countWords, firstWords } from '../../../shared/base/words-of.js';
import type { CallOutput, trainerCalls } from '../../../shared/contract/trainer.js';
import { copiedStretches } from '../../engine/statistics/copied-stretches.js';
import { createCopyIndex, type CopyIndex } from '../../engine/statistics/text-statistics.js';
import type { TokenIds } from '../../engine/types.js';
import { openTokenFile } from '../../storage/datasets/token-files.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import type { JobContext } from '../types.js';
import { type Continuation, continueWith, encodeBefore, loadedModel } from '../writing/loaded-writer.js';

type Request = z.output<(typeof trainerCalls)['continueText']['input']>;

/** Tokens that two cores read of SmolLM2 in less than a second. A text that was read before is continued from twice as many. */
const MOST_READ = 224;

/** @throws UserError for an unknown character */
export async function continueText(
  request: Request,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'continueText'>> {
  const { words } = request;
  const loaded = await loadedModel(request, context);
  const encoded = encodeBefore(loaded, request.before);
  const drawing = { ...request, tokens: tokensFor(words, encoded.kept, encoded.ids), reads: MOST_READ };
  const textOf = ({ pieces }: Continuation) => firstWords(pieces.join(''), words);
  const { rows, prompt, done } = await continueWith(loaded, encoded, drawing, (all) =>
    onProgress({ texts: all.map(textOf) }),
  );
  const texts = rows.map(textOf);
  const copies = copyIndexOf(request.folder);
  const copied = rows.map(({ pieces, ids }, row) =>
    copiedStretches(pieces, copies?.matchLengths(ids) ?? [], texts[row]?.length ?? 0),
  );
  if (done) onProgress({ texts, copied });
  const compared = done && rows.length > 1 ? rows.map(({ ids }) => ids) : [];
  return { texts, copied, voices: await loaded.voicesOf(prompt, compared) };
}

/** A text with fewer words does not say how long a word is. */
const LEAST_WORDS = 20;
const TOKENS_PER_WORD = 1.5;
const CHARACTERS_PER_WORD = 6;
/** Some words are longer than the text's usual ones. */
const SPARE = 1.15;

function tokensFor(words: number, text: string, ids: TokenIds): number {
  const known = countWords(text);
  if (known >= LEAST_WORDS) return Math.ceil((SPARE * words * ids.length) / known);
  return Math.ceil(words * (ids.length >= text.length && text !== '' ? CHARACTERS_PER_WORD : TOKENS_PER_WORD));
}

/** The training text that was searched last: sorting it takes longer than searching. */
let searched: { readonly folder: string; readonly copies: CopyIndex } | null = null;

/** @returns null if the training text is gone */
function copyIndexOf(folder: string): CopyIndex | null {
  if (searched?.folder === folder) return searched.copies;
  const file = join(projectPaths(folder).data, 'train.bin');
  if (!existsSync(file)) return null;
  const tokens = openTokenFile(file);
  try {
    searched = { folder, copies: createCopyIndex(tokens) };
    return searched.copies;
  } finally {
    tokens.close();
  }
}
