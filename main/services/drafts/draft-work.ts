/** What a draft asks of the trainer: a look at its text, a measurement of its model. What they find makes its estimate. */
import { error, warning, type Problem } from '../../../shared/config/checks.js';
import { previewCommandShape, type ProjectCommand } from '../../../shared/config/commands.js';
import { projectShape, takenOver } from '../../../shared/config/index.js';
import { previewSchema } from '../../../shared/contract/drafts.js';
import { forwardFlops, trainingFlops } from '../../../shared/costs/network.js';
import { planOf } from '../../../shared/costs/phases.js';
import type { CallInput } from '../../../shared/contract/trainer.js';
import { toFault, type FaultCode } from '../../../shared/errors.js';
import { initialModelName } from '../../storage/hub/initial-model-name.js';
import { languagesOf } from '../../jobs/machine/model-entries.js';
import { namedModels } from '../../../shared/config/init.js';
import { languageTag, localized } from '../../../shared/messages/message.js';
import { isFamiliar, knowsLanguage } from '../../../shared/models/beginning.js';
import { stampAt } from '../../storage/disk/file-stamp.js';
import type { Supervisor } from '../../supervisor/types.js';
import {
  checkDraft,
  guessText,
  needsOf,
  notFetched,
  pretrainedTokens,
  problemError,
  type CheckedDraft,
  type TextFacts,
} from './draft-check.js';
import type { Drafts } from './drafts.js';
import type { Familiarities } from './familiarities.js';
import type { Speeds } from './speeds.js';

interface PreviewOptions {
  readonly signal: AbortSignal;
  onProgress(progress: { done: number; total: number }): void;
}

interface DraftWorkOptions {
  readonly drafts: Drafts;
  readonly supervisor: Pick<Supervisor, 'call'>;
  readonly speeds: Speeds;
  readonly familiarities: Familiarities;
  projectsFolder(): string;
}

export function createDraftWork(options: DraftWorkOptions) {
  const { drafts, supervisor, speeds, familiarities } = options;
  const check = (id: string) => checkDraft(drafts.stored(id), options.projectsFolder());
  /** @throws UserError the first problem, but for those of fields that do not matter yet, as where it would be made */
  const ready = (id: string, later: readonly string[] = []) => {
    const { config, problems, initial, critic } = check(id);
    const ignored = ['name', ...later];
    const worst = problems.find(({ severity, field }) => severity === 'error' && !ignored.includes(field ?? ''));
    if (worst === undefined && config !== null) return { config, initial, critic };
    throw problemError(worst);
  };
  const { preview, textOf, problemsOf } = createPreviews(options, check, ready);

  return {
    preview,
    check(id: string) {
      const checked = check(id);
      if (checked.config === null) return { ...checked, needs: null };
      const { config, initial, critic } = checked;
      const needed = needsOf(config, { text: textOf(config), initial, critic, speed: speeds.get() });
      const ofModels = namedModels.flatMap((field) => unfamiliar(config, field, familiarities));
      const problems = [...checked.problems, ...problemsOf(config), ...ofModels, ...needed.problems];
      return { ...checked, problems, needs: needed };
    },
    async familiarity(id: string, options: Parameters<Familiarities['measure']>[1]) {
      const { config } = check(id);
      if (config !== null) await familiarities.measure(config, options);
      return {};
    },
    async measure(id: string, signal: AbortSignal) {
      const { config, initial, critic } = ready(id);
      const text = textOf(config);
      const vocabSize = initial?.model.vocab_size ?? text.vocabSize;
      const settings = { ...only(config, projectShape), vocab_size: vocabSize };
      const measured = await supervisor.call('measure', settings, { signal });
      const { model } = planOf(initial ? { ...config, ...takenOver(initial.model) } : config, vocabSize, null);
      const { tokens_per_second: trained, written_per_second: written } = measured;
      speeds.keep({
        ...(trained === null ? {} : { training: trainingFlops(model) * trained }),
        ...(written === null ? {} : { writing: forwardFlops(model, model.block_size / 2) * written }),
      });
      const needs = needsOf(config, { text, initial, critic, speed: speeds.get() });
      return { tokens_per_second: trained, estimate: needs.estimate };
    },
  };
}

/** Reads the texts of drafts, and keeps what it finds by the settings and the file that decide it. */
function createPreviews(
  { supervisor, familiarities }: DraftWorkOptions,
  check: (id: string) => CheckedDraft,
  ready: (id: string, later: readonly string[]) => { readonly config: ProjectCommand },
) {
  const known = new Map<string, TextFacts>();
  const seen = new Map<string, readonly Problem[]>();
  const running = new Map<string, AbortController>();
  return {
    textOf: (config: ProjectCommand): TextFacts => known.get(textKey(config)) ?? guessText(config),
    problemsOf: (config: ProjectCommand): readonly Problem[] => seen.get(readingKey(config)) ?? [],
    /** Cancels the draft's earlier preview. Of a model that is not downloaded yet, the text is read without its tokens. */
    async preview(id: string, { signal, onProgress }: PreviewOptions) {
      running.get(id)?.abort();
      const controller = new AbortController();
      running.set(id, controller);
      // AbortSignal.any is not in Electron 25.
      const abort = () => controller.abort();
      signal.addEventListener('abort', abort);
      try {
        const absent = notFetched(check(id).config ?? {}).flatMap(({ field }) => field ?? []);
        const { config } = ready(id, absent);
        const isAbsent = absent.length > 0;
        const alone = { init_from: undefined, critic_from: undefined, tokenization: 'auto' } as const;
        const settings = only(isAbsent ? { ...config, ...alone } : config, previewCommandShape);
        const found = await supervisor
          .call('preview', settings, { onProgress, signal: controller.signal })
          .catch((error: unknown) => {
            seen.set(readingKey(config), unusable(error));
            throw error;
          });
        const preview = previewSchema.parse(
          Object.fromEntries(Object.entries(found).filter(([key]) => key in previewSchema.shape)),
        );
        familiarities.take(config, found.excerpt);
        const { characters, first_lines: lines, warnings } = preview;
        if (!isAbsent) known.set(textKey(config), { vocabSize: preview.vocab_size, tokens: preview.tokens });
        else known.set(textKey(config), { ...guessText(config), tokens: pretrainedTokens(characters, lines.join('')) });
        const field = config.input_mode === 'binary' ? 'train_bin' : 'data_path';
        seen.set(readingKey(config), [
          // A small text is one for a model from scratch.
          ...warnings
            .filter(({ code }) => !(isAbsent && code === 'very_small'))
            .map(({ message, hint }) => warning('bad_input', field, message, hint)),
          ...languageProblems(config, preview.language),
        ]);
        return preview;
      } finally {
        signal.removeEventListener('abort', abort);
        if (running.get(id) === controller) running.delete(id);
      }
    },
  };
}

/** The settings that `shape` knows, without those that are not set. */
const only = (config: ProjectCommand, shape: object): CallInput<'preview'> =>
  Object.fromEntries(
    Object.entries(config).filter(([key, value]) => key in shape && value !== undefined),
  ) as CallInput<'preview'>;

/** Warns about a model that was not trained on the text's language. */
function languageProblems(config: ProjectCommand, tag: string | null): readonly Problem[] {
  return namedModels.flatMap((field) => {
    const name = config[field as 'init_from' | 'critic_from'];
    if (tag === null || name === undefined || knowsLanguage(languagesOf(name), tag)) return [];
    const params = { language: languageTag(tag), model: initialModelName({ init_from: name }) };
    const hint = localized('drafts.unknown_language.hint', params);
    return [warning('bad_input', field, localized('drafts.unknown_language', params), hint)];
  });
}

/** Warns about a model that reads the text as one of an unknown language, if its makers do not say so already. */
function unfamiliar(config: ProjectCommand, field: string, familiarities: Familiarities): readonly Problem[] {
  const name = config[field as 'init_from' | 'critic_from'];
  const found = name === undefined ? null : familiarities.of(config, name);
  if (name === undefined || isFamiliar(found) || languagesOf(name) !== null) return [];
  const params = { model: initialModelName({ init_from: name }) };
  return [warning('bad_input', field, localized('drafts.unfamiliar', params), localized('drafts.unfamiliar.hint'))];
}

/** Two drafts with the same text and tokenization have the same tokens. */
const textKey = (config: ProjectCommand) => {
  const { input_mode, data_path, text_field, keep, held_out, train_bin, val_bin } = config;
  const { tokenization, meta_path, tokenizer_path, vocab, init_from, critic_from, n_layer, n_embd } = config;
  return JSON.stringify([
    ...[input_mode, data_path, text_field, keep, held_out, train_bin, val_bin],
    ...[tokenization, meta_path, tokenizer_path, vocab, init_from, critic_from],
    // The size of the model may decide how its text is cut.
    ...(tokenization === 'suited' ? [n_layer, n_embd] : []),
  ]);
};

/** What a reading of the text has found wrong holds until the file, or how it is to be cut, changes. */
function readingKey(config: ProjectCommand): string {
  const { block_size, train_split, vocab, data_path } = config;
  const stamp = data_path === undefined ? null : stampAt(data_path);
  return JSON.stringify([textKey(config), block_size, train_split, vocab, stamp]);
}

/** Returns the problem if it is the text's own, not one of reading it. */
const ofTexts: readonly FaultCode[] = [
  ...(['bad_input', 'text_encoding', 'text_too_short', 'unknown_character', 'file_damaged'] as const),
  ...(['meta_file', 'binary_file', 'token_out_of_range', 'tokenization_mismatch'] as const),
];

function unusable(failure: unknown): readonly Problem[] {
  const { code, message, hint, field = 'data_path' } = toFault(failure);
  return ofTexts.includes(code) ? [error(code, field, message, hint)] : [];
}
