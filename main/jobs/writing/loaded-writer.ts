/** Keeps the model that wrote last loaded and compiled, for the writing page and for other programs. */
import type { z } from 'zod';
import { heldOutWindow } from '../../../shared/config/model.js';
import type { drawingSchema } from '../../../shared/contract/writing.js';
import { createWriter, writeOn, type Writer, type Written } from '../../engine/generate/generate.js';
import { createParameters } from '../../engine/model/model.js';
import { streams } from '../../engine/rng.js';
import type { Session } from '../../engine/runtime/types.js';
import { type Tokenizer, tokenTexts } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { createChoiceReader } from '../../engine/voice/choices.js';
import { checkName } from '../../storage/disk/names.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { openModel } from '../models.js';
import { beginning, tokenizerOf } from '../text.js';
import { environmentOf, type JobContext } from '../types.js';

interface LoadedModel {
  readonly path: string;
  readonly session: Session;
  readonly tokenizer: Tokenizer;
  /** Tokens that the model sees at once. */
  readonly window: number;
  /** What an empty text begins with. */
  readonly start: string;
  /** Compiles writing of so many texts at once, on first use. */
  writerOf(rows: number): Writer;
  /** By how many nats per token each text is likelier than without the adapters; empty for a model that has none. */
  voicesOf(context: TokenIds, texts: readonly TokenIds[]): Promise<number[]>;
  /** The request that is being answered, whose stop counts. */
  context: JobContext;
}

/** Loading and compiling take seconds, a request mostly less. */
let loaded: LoadedModel | null = null;

/** Texts at once: each number is compiled. */
const ROWS = [1, 3, 8];

export async function loadedModel(
  { folder, model: name }: Readonly<Record<'folder' | 'model', string>>,
  context: JobContext,
): Promise<LoadedModel> {
  checkName(name);
  const path = projectPaths(folder).model(name);
  if (loaded?.path === path) {
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
  const parameters = createParameters(session, weights);
  const rule = { temperature: 1, vocabLimit: tokenizer.vocabSize, excluded: tokenizer.special };
  const stop = {
    get requested() {
      return current().stop.requested;
    },
  };
  const writing = { ...env, stop, yieldToEventLoop: () => current().yieldToEventLoop() };
  const writers = new Map<number, Writer>();
  const start = beginning(tokenization.chars);
  const writerOf = (rows: number) => {
    const size = ROWS.find((one) => one >= rows) ?? rows;
    const writer = writers.get(size) ?? createWriter(session, model, parameters, size, rule, writing);
    writers.set(size, writer);
    return writer;
  };
  const { lora, ...plain } = model;
  let read: ReturnType<typeof createChoiceReader> | undefined;
  async function voicesOf(before: TokenIds, texts: readonly TokenIds[]) {
    if (!lora || texts.length === 0) return [];
    read ??= createChoiceReader(
      session,
      [model, plain].map((one) => ({ model: one, parameters })),
      writing,
    );
    const [likelihoods = []] = await read([{ ids: { context: before, texts } }]);
    return likelihoods.map(([own = NaN, other = NaN]) => own - other);
  }
  return (loaded = { path, session, tokenizer, window, start, writerOf, voicesOf, context });
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
}

/** Continues a text in several ways, after its end that leaves room for the new tokens, or at least half the window. */
export async function continueWith(
  { tokenizer, window, writerOf }: LoadedModel,
  { ids, skipsBlank }: ReturnType<typeof encodeBefore>,
  { count, tokens, seed, ...drawing }: Drawing,
  onRows: (rows: readonly Continuation[]) => void,
) {
  const prompt = ids.slice(-Math.max(1, Math.ceil(window / 2), window - tokens));
  const continuationOf = (whole: TokenIds, logProbs: Float32Array = new Float32Array()): Continuation => {
    const pieces = tokenTexts(tokenizer, whole)
      .slice(prompt.length)
      .map((piece, at) => (at === 0 && skipsBlank ? piece.replace(/^ /u, '') : piece));
    return { pieces, ids: whole.subarray(prompt.length), logProbs: logProbs.subarray(prompt.length) };
  };
  const prompts = Array.from({ length: count }, () => prompt);
  const { temperature, top_p: topP, min_p: minP, repetition_penalty: repetitionPenalty } = drawing;
  const written = await writeOn(
    writerOf(count),
    prompts,
    tokens,
    window,
    { seed, stream: streams.sample },
    {
      onTokens: (rows) => onRows(rows.map((row) => continuationOf(row.ids, row.logProbs))),
      rule: { temperature, topP, minP, repetitionPenalty },
    },
  );
  const rows = written.texts.map((whole, row) => continuationOf(whole, written.logProbs[row]));
  return { rows, prompt, done: written.done };
}
