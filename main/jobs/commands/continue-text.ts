/** Continues a user's text in several ways at once, for the writing page. The model stays loaded for the next request. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { countWords, firstWords } from '../../../shared/base/words-of.js';
import { heldOutWindow } from '../../../shared/config/model.js';
import type { CallOutput, trainerCalls } from '../../../shared/contract/trainer.js';
import { createWriter, writeOn, type Writer } from '../../engine/generate/generate.js';
import { createParameters } from '../../engine/model/model.js';
import { streams } from '../../engine/rng.js';
import type { Session } from '../../engine/runtime/types.js';
import { copiedStretches } from '../../engine/statistics/copied-stretches.js';
import { createCopyIndex, type CopyIndex } from '../../engine/statistics/text-statistics.js';
import { decodeContinued, type Tokenizer, tokenTexts } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { openTokenFile } from '../../storage/datasets/token-files.js';
import { checkName } from '../../storage/disk/names.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { openModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, type JobContext } from '../types.js';
import { beginning } from './sample.js';

type Request = z.output<(typeof trainerCalls)['continueText']['input']>;

interface LoadedWriter {
  readonly key: string;
  readonly session: Session;
  readonly tokenizer: Tokenizer;
  readonly writer: Writer;
  /** Tokens that the model sees at once. */
  readonly window: number;
  readonly start: string;
  /** The request that is being answered, whose stop counts. */
  context: JobContext;
}

/** The model that wrote last: loading and compiling take seconds, a request mostly less. */
let loaded: LoadedWriter | null = null;

/** @throws UserError for an unknown character */
export async function continueText(
  request: Request,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'continueText'>> {
  const { before, count, words, seed } = request;
  const { tokenizer, writer, window, start } = await writerFor(request, context);
  // The next token of most tokenizers carries the blank before it.
  const kept = before.trimEnd() === '' || tokenizer.method === 'char' ? before : before.replace(/ +$/u, '');
  const skipsBlank = kept.length < before.length;
  const given = tokenizer.encode(kept === '' ? start : kept);
  const tokens = tokensFor(words, kept, given);
  const prompt = given.slice(-Math.max(1, Math.ceil(window / 2), window - tokens));
  const texts = (ids: readonly TokenIds[]) =>
    ids.map((one) => {
      const { completion } = decodeContinued(tokenizer, one, prompt.length);
      return firstWords(skipsBlank ? completion.replace(/^ /u, '') : completion, words);
    });
  const prompts = Array.from({ length: count }, () => prompt);
  const noise = { seed, stream: streams.sample };
  const written = await writeOn(writer, prompts, tokens, window, noise, (ids) => onProgress({ texts: texts(ids) }));
  const finished = texts(written.texts);
  const copies = copyIndexOf(request.folder);
  const copied = written.texts.map((ids, row) => {
    const pieces = tokenTexts(tokenizer, ids.subarray(prompt.length));
    if (skipsBlank) pieces[0] = pieces[0]?.replace(/^ /u, '') ?? '';
    const lengths = copies?.matchLengths(ids.subarray(prompt.length)) ?? [];
    return copiedStretches(pieces, lengths, finished[row]?.length ?? 0);
  });
  return { texts: finished, copied };
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

async function writerFor({ folder, model: name, count, temperature, top_p }: Request, context: JobContext) {
  checkName(name);
  const path = projectPaths(folder).model(name);
  const key = JSON.stringify([path, count, temperature, top_p]);
  if (loaded?.key === key) {
    loaded.context = context;
    return loaded;
  }
  loaded?.session.dispose();
  loaded = null;
  const { config, weights, tokenization } = openModel(path, 'generator', { context });
  const tokenizer = await tokenizerOf(tokenization);
  const env = await environmentOf(context);
  const current = () => loaded?.context ?? context;
  const window = heldOutWindow(config);
  const model = { ...config, block_size: window, dropout: 0 };
  const session = env.runtime.createSession();
  const rule = { temperature, topP: top_p, vocabLimit: tokenizer.vocabSize, excluded: tokenizer.special };
  const writer = createWriter(session, model, createParameters(session, weights), count, rule, {
    ...env,
    stop: {
      get requested() {
        return current().stop.requested;
      },
    },
    yieldToEventLoop: () => current().yieldToEventLoop(),
  });
  return (loaded = {
    key,
    session,
    tokenizer,
    writer,
    window,
    start: beginning(tokenization.chars),
    context,
  });
}
