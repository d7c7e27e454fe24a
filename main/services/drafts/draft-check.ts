/** Checks a draft: full settings, every problem at once, the command, its needs. Reads no text. */
import { bytes, localized } from '../../../shared/messages/message.js';
import { join } from 'node:path';
import { existsSync, statSync } from 'node:fs';
import { z } from 'zod';
import { projectCommandShape, type ProjectCommand } from '../../../shared/config/commands.js';
import { error, warning, type Problem } from '../../../shared/config/checks.js';
import { LEARNED_TOKENS } from '../../../shared/config/data.js';
import { SHARED_TOKENS } from '../../../shared/config/scoring-models.js';
import type { TextSize } from '../../../shared/config/suited-tokens.js';
import { checkedSettings } from '../../../shared/config/resolve.js';
import type { Estimate } from '../../../shared/contract/values.js';
import { cycleAdvice, type Advice } from '../../../shared/reports/cycle-advice.js';
import { estimate, largestBatch } from '../../../shared/phases/estimate.js';
import type { Speed } from '../../../shared/costs/work.js';
import { initialModelPath, namedModels, takenOver } from '../../../shared/config/init.js';
import { catalogue } from '../../../shared/models/catalogue.js';
import { positionsOf, type GPTConfig } from '../../../shared/config/model.js';
import { UserError } from '../../../shared/errors.js';
import { commandLine } from '../../../shared/config/command-line.js';
import { fileFacts, projectProblems } from '../../jobs/problems.js';
import { criticNetwork, initialShape, type InitialShape } from '../../jobs/initial-models.js';
import { hubModelAt, hubNameOf } from '../../storage/hub/hub-cache.js';
import { freeBytes } from '../../storage/disk/disk.js';
import { findTextFiles } from '../../storage/texts/list/list-texts.js';
import { chooseFor } from '../../storage/datasets/tokenizer-files.js';
import type { StoredDraft } from './drafts.js';
import { freeMemory, memoryLimit } from '../../jobs/machine/memory.js';
import { speedOf } from '../../jobs/machine/figures.js';

export interface CheckedDraft {
  readonly folder: string;
  /** null while a value is out of range. */
  readonly config: ProjectCommand | null;
  /** What a terminal would be given: the draft's own, preset and folder included. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  /** Of the model that it begins from; null for none, or one that cannot be used. */
  readonly initial: InitialShape | null;
  /** The critic's network, but for its tokens, where that begins from a model; null for none, or one that cannot be used. */
  readonly critic: GPTConfig | null;
  readonly command: string;
}

const projectSchema = z.object(projectCommandShape);

/** @param projectsFolder where the project would be made */
export function checkDraft({ name, preset, given: own }: StoredDraft, projectsFolder: string): CheckedDraft {
  const folder = freeFolder(projectsFolder, name);
  const given: Record<string, unknown> = { project: folder, preset, ...own };
  let initial: InitialShape | null = null;
  let critic: GPTConfig | null = null;
  const { config, problems } = checkedSettings(projectCommandShape, given, {
    together(settings) {
      const parsed = projectSchema.parse(settings);
      const found = [...notFetched(parsed), ...projectProblems(parsed, fileFacts)];
      // A missing model is reported already.
      const isReported = found.some(({ field, severity }) => namedModels.includes(field ?? '') && severity === 'error');
      if (isReported) {
        initial = absentShape(parsed);
        return found;
      }
      const initialModel = modelOf('init_from', () => initialShape(parsed));
      initial = initialModel.model;
      const taught = modelOf('critic_from', () => criticNetwork(parsed, SHARED_TOKENS));
      critic = taught.model;
      return [
        ...found,
        ...initialModel.problems,
        ...(initial ? contextProblems(parsed, initial) : []),
        ...taught.problems,
      ];
    },
  });
  return {
    folder,
    config: config === null ? null : projectSchema.parse(config),
    given,
    initial,
    critic,
    problems: problems.map((found) => (found.field === 'project' ? { ...found, field: 'name' } : found)),
    command: commandLine('cycle', given),
  };
}

/** Models that are to be downloaded first, as errors; the window downloads them before it starts, and shows size and licence. */
export function notFetched(config: Pick<ProjectCommand, 'init_from' | 'critic_from'>): readonly Problem[] {
  return (['init_from', 'critic_from'] as const).flatMap((field) => {
    const path = config[field] ?? '';
    const name = hubNameOf(path);
    if (name === null || hubModelAt(name) !== null) return [];
    const hint = localized('drafts.download_first');
    return [error('file_not_found', field, localized('drafts.machine_yet', { path }), hint)];
  });
}

/** The catalogue's shape of a model that is not downloaded yet: its costs are known before. */
function absentShape({ init_from }: ProjectCommand): InitialShape | null {
  const model = catalogue.find(({ name }) => name === init_from)?.model;
  return model ? { model, tokenization: { method: 'pretrained', vocab_size: model.vocab_size } } : null;
}

/** What a setting's model is, and why it cannot be used. */
function modelOf<T>(field: 'init_from' | 'critic_from', read: () => T): { model: T | null; problems: Problem[] } {
  try {
    return { model: read(), problems: [] };
  } catch (failure) {
    if (!(failure instanceof UserError)) throw failure;
    const { code, message, hint } = failure.toFault();
    return { model: null, problems: [error(code, field, message, hint)] };
  }
}

function contextProblems({ block_size }: ProjectCommand, { model }: InitialShape): Problem[] {
  const longest = positionsOf(model);
  if (block_size <= longest) return [];
  const message = localized('drafts.block_size_but_model_begin', { block_size, longest });
  const hint = localized('drafts.use_block_size_less', { longest });
  return [error('bad_input', 'block_size', message, hint, { set: { block_size: longest } })];
}

/** What keeps a draft from being used, as an error. */
export function problemError(problem: Problem | undefined): UserError {
  if (problem === undefined) throw new Error('settings that are none, without a problem that says why');
  const { code, message, hint, field } = problem;
  return new UserError({ code, message, hint, ...(field === null ? {} : { field }) });
}

/** A folder that is not there yet, named after the project. */
export function freeFolder(parent: string, name: string): string {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return freePath(join(parent, plain === '' ? 'project' : plain));
}

/** Numbers a path if something is there already. */
export function freePath(base: string): string {
  for (let count = 1; ; count++) {
    const path = count === 1 ? base : `${base}-${count}`;
    if (!existsSync(path)) return path;
  }
}

/** Size of the text, estimated from its files or counted by a preview. */
export interface TextFacts {
  readonly vocabSize: number;
  readonly tokens: number | null;
}

/** A text in one alphabet has about a hundred different characters; GPT-2 has this many word pieces. */
const usualVocabulary = { char: 100, bpe: 50_257, pretrained: 49_152 } as const;
const bytesPerPiece = 4;
/** The same of `vocab` pieces that were learned, and about of those that a critic's model has: 2.6 of a thousand, 3.4 of four thousand (the sample book). */
const bytesPerLearned = (vocab: number): number => Math.max(1, 0.4 * Math.log2(vocab) - 1.4);

export function guessText(config: ProjectCommand): TextFacts {
  try {
    if (config.input_mode === 'binary') {
      const bytes = sizeOf(config.train_bin) + sizeOf(config.val_bin);
      return { ...guessed(config, unseen(config), null), tokens: bytes / 2 };
    }
    const { files, folder } = findTextFiles(config.data_path ?? '', config);
    const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0);
    return guessed(config, choiceIn(config, folder, { characters: bytes, distinct: usualVocabulary.char }), bytes);
  } catch {
    // Problems of the files are reported elsewhere.
    return guessed(config, unseen(config), null);
  }
}

/** About how many tokens a pretrained tokenizer has for a text. @param sample its beginning */
export const pretrainedTokens = (characters: number, sample: string): number =>
  Math.round((characters * Buffer.byteLength(sample)) / Math.max(1, [...sample].length) / bytesPerPiece);

type Guess = Pick<ReturnType<typeof chooseFor>, 'method' | 'isLearned' | 'isShared' | 'vocab'>;

function guessed({ vocab }: ProjectCommand, choice: Guess, bytes: number | null): TextFacts {
  const { method, isLearned, isShared } = choice;
  const isMade = isLearned ?? isShared;
  const made = vocab ?? choice.vocab ?? (isShared ? SHARED_TOKENS : LEARNED_TOKENS);
  const bytesPerToken = isMade ? bytesPerLearned(made) : method === 'char' ? 1 : bytesPerPiece;
  return {
    vocabSize: isMade ? made : usualVocabulary[method],
    tokens: bytes === null ? null : Math.round(bytes / bytesPerToken),
  };
}

const sizeOf = (file: string | undefined): number =>
  file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);

function choiceIn(config: ProjectCommand, folder: string, text: TextSize): Guess {
  if (initialModelPath(config) !== null) return { method: 'pretrained' };
  const { tokenization, meta_path, tokenizer_path } = config;
  return chooseFor(folder, { tokenization, metaPath: meta_path, tokenizerPath: tokenizer_path, model: config }, text);
}

/** Where there is no text to look at. */
function unseen({ tokenization, meta_path, tokenizer_path, init_from, input_mode }: ProjectCommand): Guess {
  if (initialModelPath({ init_from }) !== null) return { method: 'pretrained' };
  if (tokenization === 'shared') return { method: 'pretrained', isShared: true };
  if (tokenization === 'pretrained' || tokenizer_path !== undefined) return { method: 'pretrained' };
  const isUndecided = tokenization === 'auto' || tokenization === 'suited';
  if (tokenization === 'char' || (isUndecided && meta_path !== undefined)) return { method: 'char' };
  const learns = tokenization === 'learned' || (tokenization === 'suited' && input_mode === 'text');
  return learns ? { method: 'pretrained', isLearned: true } : { method: 'bpe' };
}

export interface Needs {
  readonly estimate: Estimate;
  readonly largestBatch: number | null;
  readonly advice: Advice | null;
  readonly problems: readonly Problem[];
}

export function needsOf(
  command: ProjectCommand,
  {
    text,
    initial,
    critic,
    speed,
  }: Pick<CheckedDraft, 'initial' | 'critic'> & {
    readonly text: TextFacts;
    readonly speed: Speed;
  },
): Needs {
  const memoryAvailable = memoryLimit();
  const diskFree = freeBytes(command.project);
  const vocabSize = initial?.model.vocab_size ?? text.vocabSize;
  const config = {
    ...command,
    ...(initial === null ? {} : takenOver(initial.model)),
    ...(critic === null ? {} : { critic_network: { ...critic, vocab_size: vocabSize } }),
  };
  const { tokens } = text;
  const needed = estimate({
    config,
    vocabSize,
    tokens,
    speed: speedOf(config, speed),
    memoryAvailable,
    diskFree: diskFree ?? 0,
  });
  const largest = largestBatch(config, vocabSize, memoryAvailable, speed);
  // On a graphics card its own memory counts, which only the trainer knows.
  const memory =
    config.device === 'cuda'
      ? []
      : largest === null
        ? tightOf(needed, freeMemory())
        : [tooLarge(needed, config.batch_size, largest)];
  const disk = diskFree === null || needed.disk.needed <= diskFree ? [] : [tooLong(needed)];
  const advice = tokens === null ? null : cycleAdvice(config, config.train_split * tokens);
  return { estimate: needed, largestBatch: largest, advice, problems: [...memory, ...disk] };
}

function tooLarge({ memory }: Estimate, batch: number, largest: number): Problem {
  const message = localized('drafts.memory_too_small', {
    needed: bytes(memory.peak),
    available: bytes(memory.available),
  });
  return largest > 0
    ? error('out_of_memory', 'batch_size', message, localized('drafts.use_batch_size_instead', { largest, batch }), {
        set: { batch_size: largest },
      })
    : error('out_of_memory', 'n_layer', message, localized('drafts.use_smaller_model_shorter_context'));
}

/** Warns if it does not fit into the memory that other programs leave. @param free bytes */
export function tightOf({ memory: { peak } }: Pick<Estimate, 'memory'>, free: number): readonly Problem[] {
  if (peak <= free) return [];
  const message = localized('drafts.memory_tight', { needed: bytes(peak), free: bytes(free) });
  const hint = localized('drafts.close_other_programs_before_gets');
  return [warning('out_of_memory', 'batch_size', message, hint)];
}

const tooLong = ({ disk }: Estimate): Problem =>
  error(
    'disk_full',
    'name',
    localized('drafts.disk_too_small', { needed: bytes(disk.needed), free: bytes(disk.free) }),
    localized('drafts.free_some_space_choose_another'),
  );
