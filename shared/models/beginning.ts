/**
 * What a project should begin from: a model that can write already, and which, or nothing. The one rule, for the window's first
 * question and for a new draft; each surface has its own sentence for the reason.
 */
import { declarationOf, parameterCount } from '../architectures/index.js';
import { positionsOf, type GPTConfig } from '../config/model.js';
import type { Beginning, Familiarity } from '../contract/drafts.js';
import type { ModelEntry } from '../contract/models.js';

/** Facts about the initial model at the time of the request. */
export interface BeginningFacts {
  readonly models: readonly ModelEntry[];
  /** Bytes of the text; null while none is chosen, or while that is not known. */
  readonly textBytes: number | null;
  /** BCP 47 tag of the text's language; null if unknown. */
  readonly language: string | null;
  /** How well the models predict the text, by `init_from`; those that were measured. */
  readonly familiarities?: ReadonlyMap<string, Familiarity>;
  /** Prepared tokens are another tokenizer's: a model cannot read them. */
  readonly isPrepared: boolean;
}

type Reason =
  /** A text of this size teaches a new model spelling at best; a model that writes learns its style. */
  | 'small_text'
  /** No text is chosen yet: it is right for all but very large ones. */
  | 'usual'
  | 'large_text'
  /** No model here knows the text's language. */
  | 'language'
  /** By measure none does. */
  | 'unfamiliar'
  /** It predicts the text best of several. */
  | 'reads_best'
  | 'prepared_tokens'
  /** None fits into memory. */
  | 'memory'
  /** The first lessons would take hours here. */
  | 'slow'
  /** There is none to choose from. */
  | 'none';

interface Recommendation {
  /** The id of a model; null: from nothing. */
  readonly model: string | null;
  readonly because: Reason;
}

/**
 * From so many bytes on a text teaches a model of some millions of weights to write by itself: at four bytes a token and
 * twenty tokens a weight (Hoffmann et al. 2022), 25 million weights.
 */
export const LARGE_TEXT = 2e9;
/** Tokens of the first lessons, after which a model's writing has changed: 60 steps of 8 × 128. */
const FIRST_LESSONS = 61_440;
/** Seconds that these may take before beginning from scratch is better advice. */
const LONGEST = 3600;
/** A model that knows a language has at most this share of the loss of counted pairs of characters (docs/method.md). */
const FAMILIAR = 0.6;
/** Seconds within which a larger model is preferred to a smaller one. */
const COMFORTABLE = 900;

export function recommendBeginning({
  models,
  textBytes,
  language,
  isPrepared,
  familiarities = new Map(),
}: BeginningFacts): Recommendation {
  if (isPrepared) return { model: null, because: 'prepared_tokens' };
  if (textBytes !== null && textBytes >= LARGE_TEXT) return { model: null, because: 'large_text' };
  const usable = models.filter(({ needs, gated, state }) => needs.length > 0 && (!gated || state === 'present'));
  if (usable.length === 0) return { model: null, because: 'none' };
  const literate = usable.filter(({ languages }) => knowsLanguage(languages, language));
  if (literate.length === 0) return { model: null, because: 'language' };
  const familiar = literate.filter(({ init_from }) => isFamiliar(familiarities.get(init_from) ?? null));
  if (familiar.length === 0) return { model: null, because: 'unfamiliar' };
  const fitting = familiar.filter((model) => model.needs.some(({ fits }) => fits));
  if (fitting.length === 0) return { model: null, because: 'memory' };
  const quick = fitting.filter((model) => (secondsOf(model) ?? 0) <= LONGEST);
  if (quick.length === 0) return { model: null, because: 'slow' };
  // What is here already asks for no download.
  const here = quick.filter(({ state }) => state === 'present');
  const { model, readsBest } = preferred(here.length > 0 ? here : quick, familiarities);
  const because = readsBest ? 'reads_best' : textBytes === null ? 'usual' : 'small_text';
  return { model: model?.id ?? null, because };
}

/** Whether a model can have learned a text's language. It is not excluded if either is unknown. */
export const knowsLanguage = (languages: readonly string[] | null, language: string | null): boolean =>
  languages === null || language === null || languages.includes(language);

/** Whether a model predicts a text as one of a language that it knows: far better than counted pairs of characters. */
export const isFamiliar = (found: Pick<Familiarity, 'nats_per_character' | 'baseline'> | null): boolean =>
  found === null || found.nats_per_character <= FAMILIAR * found.baseline;

/** Seconds of the first lessons; null where nothing was measured. */
export function secondsOf({ needs }: ModelEntry): number | null {
  const rates = needs.flatMap(({ fits, tokens_per_second: rate }) => (fits && rate !== null ? [rate] : []));
  return rates.length === 0 ? null : FIRST_LESSONS / Math.max(...rates);
}

/**
 * Of those that learn in a quarter of an hour, the one that predicts the text best, or the largest if one was not measured; else
 * the quickest. Of equals the one that was not taught to answer.
 */
function preferred(
  models: readonly ModelEntry[],
  familiarities: ReadonlyMap<string, Familiarity>,
): { readonly model: ModelEntry | undefined; readonly readsBest: boolean } {
  const nats = ({ init_from }: ModelEntry) => familiarities.get(init_from)?.nats_per_character ?? NaN;
  const size = ({ parameters }: ModelEntry) => parameters ?? 0;
  const answers = ({ instructed }: ModelEntry) => Number(instructed ?? false);
  const comfortable = models.filter((model) => (secondsOf(model) ?? Infinity) <= COMFORTABLE);
  const isMeasured = comfortable.length > 1 && comfortable.every((model) => Number.isFinite(nats(model)));
  const best = [...(comfortable.length > 0 ? comfortable : models)].sort((a, b) => {
    const larger = comfortable.length > 0 ? size(b) - size(a) : size(a) - size(b);
    return (isMeasured ? nats(a) - nats(b) : larger) || answers(a) - answers(b);
  });
  return { model: best[0], readsBest: isMeasured };
}

/** Models that can teach one that could write before: larger ones with as many tokens, as those of its family have. Smallest first. */
export function teachersAmong(
  models: readonly ModelEntry[],
  writer: Pick<Beginning, 'parameters' | 'vocabulary'>,
): readonly ModelEntry[] {
  const size = ({ parameters }: ModelEntry) => parameters ?? 0;
  return models
    .filter((model) => model.vocabulary === writer.vocabulary && size(model) > writer.parameters)
    .sort((one, other) => size(one) - size(other));
}

/** Summarizes what an initial model decides, for the wizard. */
export function beginningOf(name: string, model: GPTConfig, tokenization: Beginning['tokenization']): Beginning {
  const { queries, keysValues } = declarationOf(model).heads(model);
  return {
    name,
    architecture: model.architecture ?? 'gpt2',
    parameters: parameterCount(model),
    layers: model.n_layer,
    heads: queries,
    kv_heads: keysValues,
    width: model.n_embd,
    vocabulary: model.vocab_size,
    context: positionsOf(model),
    tokenization,
  };
}
