/** Keeps the model that wrote last loaded, for the writing page and for other programs. llama.cpp writes if it can, else the engine. */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { heldOutWindow } from '../../../shared/config/model.js';
import type { drawingSchema } from '../../../shared/contract/writing.js';
import { writeOn, type Writer, type Written } from '../../engine/generate/generate.js';
import { streams } from '../../engine/rng.js';
import { type Tokenizer, tokenTexts } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { untrainedVersion } from '../../../shared/phases/index.js';
import { readModelFacts } from '../../storage/projects/models.js';
import { beginning, tokenizerOf } from '../text.js';
import type { JobContext } from '../types.js';
import { openEngine } from './engine-writers.js';
import { openLlama } from './llama-writers.js';
import { type Version, versionFolder } from './version.js';

interface LoadedModel {
  readonly version: Version;
  readonly tokenizer: Tokenizer;
  /** Tokens that the model sees at once. */
  readonly window: number;
  /** What an empty text begins with. */
  readonly start: string;
  /** Writes so many texts at once. */
  writerOf(rows: number): Writer;
  /** Counts the tokens of a prompt that it has not read yet. */
  unread(rows: number, prompt: TokenIds): number;
  /** By how many nats per token each text is likelier than without the adapters; empty for a model that has none. */
  voicesOf(context: TokenIds, texts: readonly TokenIds[]): Promise<number[]>;
  dispose(): Promise<void>;
  /** The request that is being answered, whose stop counts. */
  context: JobContext;
}

/** Loading takes seconds, a request mostly less. */
let loaded: LoadedModel | null = null;

export async function loadedModel({ folder, model }: Version, context: JobContext): Promise<LoadedModel> {
  const version = { folder, model };
  if (loaded && isDeepStrictEqual(loaded.version, version)) {
    loaded.context = context;
    return loaded;
  }
  await loaded?.dispose();
  loaded = null;
  const { model: config, tokenization } = readModelFacts(versionFolder(version));
  const tokenizer = await tokenizerOf(tokenization);
  const window = heldOutWindow(config);
  const current = () => loaded?.context ?? context;
  const stop = {
    get requested() {
      return current().stop.requested;
    },
  };
  const how = { window, tokenizer, turns: { stop, yieldToEventLoop: () => current().yieldToEventLoop() } };
  let engine: ReturnType<typeof openEngine> | null = null;
  const engineFor = () => (engine ??= openEngine(version, how, context));
  let llama = await openLlama(version, how, context);
  if (llama === null) await engineFor();
  return (loaded = {
    version,
    tokenizer,
    window,
    start: beginning(tokenization.chars),
    context,
    writerOf: (rows) => ({
      async complete(...passages) {
        const written = await llama?.complete(rows, passages);
        if (written !== undefined) return written;
        llama = null;
        return (await engineFor()).writerOf(rows).complete(...passages);
      },
    }),
    unread: (rows, prompt) => llama?.unread(rows, prompt) ?? prompt.length,
    async voicesOf(before, texts) {
      return config.lora && model !== untrainedVersion && texts.length > 0
        ? (await engineFor()).voicesOf(before, texts)
        : [];
    },
    async dispose() {
      await llama?.dispose();
      (await engine)?.dispose();
    },
  });
}

/** @throws UserError for an unknown character */
export function encodeBefore({ tokenizer, start }: LoadedModel, before: string) {
  // The next token of most tokenizers carries the blank before it.
  const kept = before.trimEnd() === '' || tokenizer.method === 'char' ? before : before.replace(/ +$/u, '');
  return { kept, ids: tokenizer.encode(kept === '' ? start : kept), skipsBlank: kept.length < before.length };
}

/** A continuation so far, with the text of each of its tokens. */
export interface Continuation extends Written {
  readonly pieces: readonly string[];
}

interface Drawing extends z.output<typeof drawingSchema> {
  readonly count: number;
  readonly tokens: number;
  readonly seed: number;
  /** If more tokens are not read yet, only so many of the text are; omit for as many as there is room for. */
  readonly reads?: number;
}

/** Room for new tokens comes in such steps, as their number changes a little with each request. */
const ROOM = 64;

/**
 * Where what a model reads of a text begins, so that the new tokens, or half the window, have room. Moves in steps: a
 * beginning that was read before need not be read again.
 */
export function promptOf(ids: TokenIds, window: number, tokens: number, reads = window): TokenIds {
  const most = Math.min(reads, Math.max(1, Math.ceil(window / 2), window - Math.ceil(tokens / ROOM) * ROOM));
  const step = Math.ceil(most / 4);
  return ids.slice(Math.ceil(Math.max(0, ids.length - most) / step) * step);
}

/** Texts that a page offers. */
const PREPARED = 3;

/** Continues a text in several ways, after its end; in none, it is only read. */
export async function continueWith(
  { tokenizer, window, writerOf, unread }: LoadedModel,
  { ids, skipsBlank }: ReturnType<typeof encodeBefore>,
  drawing: Drawing,
  onRows: (rows: readonly Continuation[]) => void,
) {
  const { count, tokens, seed, temperature, top_p: topP, min_p: minP, repetition_penalty: repetitionPenalty } = drawing;
  const long = promptOf(ids, window, tokens);
  // A user waits for the first words, and not for a text that is only read.
  const isSoon = count === 0 || unread(count, long) <= (drawing.reads ?? Infinity);
  const prompt = isSoon ? long : promptOf(ids, window, tokens, drawing.reads);
  const continuationOf = (whole: TokenIds, logProbs: Float32Array = new Float32Array()): Continuation => {
    const pieces = tokenTexts(tokenizer, whole)
      .slice(prompt.length)
      .map((piece, at) => (at === 0 && skipsBlank ? piece.replace(/^ /u, '') : piece));
    return { pieces, ids: whole.subarray(prompt.length), logProbs: logProbs.subarray(prompt.length) };
  };
  const noise = { seed, stream: streams.sample };
  if (count === 0) await writerOf(PREPARED).complete([{ prefix: prompt, index: 0 }], noise, prompt.length);
  const prompts = Array.from({ length: count }, () => prompt);
  const written = await writeOn(writerOf(count), prompts, tokens, window, noise, {
    onTokens: (rows) => onRows(rows.map((row) => continuationOf(row.ids, row.logProbs))),
    rule: { temperature, topP, minP, repetitionPenalty },
  });
  const rows = written.texts.map((whole, row) => continuationOf(whole, written.logProbs[row]));
  return { rows, prompt, done: written.done };
}
