/** Keeps the model that wrote last loaded and compiled, for the writing page and for other programs. */
import { heldOutWindow } from '../../../shared/config/model.js';
import { createWriter, type Writer } from '../../engine/generate/generate.js';
import { createParameters } from '../../engine/model/model.js';
import type { AdjustableRule } from '../../engine/model/sampling-rule.js';
import type { Session } from '../../engine/runtime/types.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
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
  /** The request that is being answered, whose stop counts. */
  context: JobContext;
}

/** Loading and compiling take seconds, a request mostly less. */
let loaded: LoadedModel | null = null;

/** Texts at once: each number is compiled. */
const ROWS = [1, 3, 8];

interface Wanted {
  readonly folder: string;
  readonly model: string;
}

export async function loadedModel({ folder, model: name }: Wanted, context: JobContext): Promise<LoadedModel> {
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
  return (loaded = { path, session, tokenizer, window, start, writerOf, context });
}

/** @throws UserError for an unknown character */
export function encodeBefore({ tokenizer, start }: LoadedModel, before: string) {
  // The next token of most tokenizers carries the blank before it.
  const kept = before.trimEnd() === '' || tokenizer.method === 'char' ? before : before.replace(/ +$/u, '');
  return { kept, ids: tokenizer.encode(kept === '' ? start : kept), skipsBlank: kept.length < before.length };
}

/** Takes the end of a text that leaves room for `tokens` new ones, and at least half the window. */
export const endOf = (ids: TokenIds, tokens: number, { window }: LoadedModel): TokenIds =>
  ids.slice(-Math.max(1, Math.ceil(window / 2), window - tokens));

interface Drawing {
  readonly temperature: number;
  readonly top_p: number;
  readonly min_p: number;
  readonly repetition_penalty: number;
}

export const ruleOf = ({ temperature, top_p, min_p, repetition_penalty }: Drawing): AdjustableRule => ({
  temperature,
  topP: top_p,
  minP: min_p,
  repetitionPenalty: repetition_penalty,
});
