/** Drafts of the demonstration: kept in memory, checked by the real rules of shared/config. */
import { isCleaned } from '../../shared/config/data.js';
import { count, localized, share } from '../../shared/messages/message.js';
import {
  checkValues,
  modelProblems,
  presetProblems,
  scheduleProblems,
  type FileFacts,
  type Problem,
} from '../../shared/config/checks.js';
import { dataProblems } from '../../shared/config/data-checks.js';
import { projectShape, takenOver, type ProjectConfig } from '../../shared/config/index.js';
import { beginningOf } from '../../shared/models/beginning.js';
import { catalogue } from '../../shared/models/catalogue.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { presetValues } from '../../shared/config/resolve.js';
import { estimate } from '../../shared/phases/estimate.js';
import { guessedSpeed } from '../../shared/costs/work.js';
import type { Draft, PreviewView } from '../../shared/contract/drafts.js';
import type { FileInfo, GivenSettings } from '../../shared/contract/values.js';
import { natural, writtenAfter } from './text.js';
import { NOW } from './projects.js';

export const sampleFile: FileInfo = { handle: 'file_sample', name: 'moby-dick.txt', kind: 'file', size: 1_242_000 };
export const files = new Map<string, FileInfo>(
  [
    sampleFile,
    { handle: 'file_book', name: 'input.txt', kind: 'file' as const, size: 1_115_394 },
    { handle: 'file_table', name: 'reviews.csv', kind: 'file' as const, size: 84_300 },
    { handle: 'file_chat', name: 'WhatsApp Chat with Ann.txt', kind: 'file' as const, size: 312_000 },
    { handle: 'file_train', name: 'train.bin', kind: 'file' as const, size: 2_007_708 },
    { handle: 'file_val', name: 'val.bin', kind: 'file' as const, size: 223_080 },
    { handle: 'file_meta', name: 'meta.pkl', kind: 'file' as const, size: 703 },
    { handle: 'file_home', name: 'Documents', kind: 'folder' as const, size: null },
  ].map((file) => [file.handle, file]),
);

const facts: FileFacts = {
  kind: (path) => files.get(path)?.kind ?? 'missing',
  readable: () => true,
  writable: () => true,
  matching: () => [],
  textsIn: () => [],
};

export const newDraft = (id: string, name = 'New project'): Draft => ({
  id,
  name,
  changed: new Date(NOW).toISOString(),
  step: 'begin',
  preset: 'tiny',
  given: {},
  files: [],
});

/** What a model of the catalogue decides; that of any other is not known here. */
function initialModelOf({ init_from }: GivenSettings) {
  const found = catalogue.find(({ name }) => name === init_from);
  if (!found) return null;
  const { model, name } = found;
  return { facts: beginningOf(name, model, 'pretrained'), model };
}

export function checkDraft({ name, preset, given }: Draft) {
  const initial = initialModelOf(given);
  const values = { ...presetValues(projectShape, preset, given), ...given };
  const checked = checkValues(projectShape, values);
  const problems: Problem[] = checked.ok ? [] : [...checked.problems];
  // Rules between settings are checked along with other problems, whose settings take their default meanwhile.
  const wrong = new Set(problems.map(({ field }) => field));
  const usable = Object.fromEntries(Object.entries(given).filter(([key]) => !wrong.has(key)));
  const rest = checkValues(projectShape, { ...presetValues(projectShape, preset, given), ...usable });
  if (rest.ok) {
    const config = rest.value as ProjectConfig;
    problems.push(
      ...dataProblems(config, facts, { charNeedsMeta: false }),
      ...presetProblems({ ...config, preset }),
      ...(initial ? [] : modelProblems(config)),
      ...scheduleProblems(config),
    );
  }
  const flags = Object.entries(given)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `--${key} ${files.get(String(value))?.name ?? String(value)}`);
  return {
    problems: problems.map(({ severity, code, field, message, hint, trouble, fix }) => ({
      severity,
      code,
      field,
      message,
      hint,
      ...(trouble && { trouble }),
      ...(fix === undefined
        ? {}
        : { fix: { ...(fix.set ? { set: { ...fix.set } } : {}), ...(fix.unset ? { unset: [...fix.unset] } : {}) } }),
    })),
    resolved: checked.ok ? (checked.value as GivenSettings) : null,
    command: ['verisim cycle', JSON.stringify(name), `--preset ${preset}`, ...flags].join(' '),
    begins_from: initial?.facts ?? null,
    estimate: checked.ok ? estimateOf(checked.value as ProjectConfig, initial?.model) : null,
    largest_batch: null,
  };
}

export const estimateOf = (config: ProjectConfig, model?: GPTConfig) =>
  estimate({
    config: model ? { ...config, ...takenOver(model) } : config,
    vocabSize: model?.vocab_size ?? 84,
    tokens: 1_115_394,
    speed: guessedSpeed(120e9),
    memoryAvailable: 14.2e9,
    diskFree: 212e9,
  });

/** What there is to choose in a table and in a chat. */
function choiceOf({ data_path, text_field }: GivenSettings): PreviewView['choice'] {
  const chosen = text_field === undefined ? [] : [String(text_field)];
  if (data_path === 'file_table') {
    const parts = [
      { name: 'title', count: 100, sample: 'Emma' },
      { name: 'review', count: 100, sample: 'Long and witty; I read it twice in a week, and once more in the next.' },
    ];
    return { kind: 'column', chosen: chosen.length > 0 ? chosen : ['review'], parts };
  }
  if (data_path !== 'file_chat') return null;
  const parts = [
    { name: 'Ann', count: 1204, sample: 'Are you coming on Sunday? There will be cake.' },
    { name: 'בני', count: 1, sample: 'כן, בשמחה' },
  ];
  return { kind: 'speaker', chosen, parts };
}

export function previewOf({ given, preset }: Pick<Draft, 'given' | 'preset'>): PreviewView {
  const initial = initialModelOf(given);
  const block = Number({ ...presetValues(projectShape, preset, given), ...given }['block_size'] ?? 64);
  const crossover = Math.round(block * 0.47);
  const from = natural.indexOf('We are accounted');
  const text = natural.slice(from, from + Math.min(block, 640));
  const cut = Math.min(crossover, text.length - 8);
  const used = [...new Set(natural)];
  return {
    first_lines: natural.split('\n').slice(0, 14),
    exact: true,
    language: 'en',
    characters: 1_115_394,
    tokens: 1_115_394,
    vocab_size: 65,
    used_tokens: 65,
    tokens_per_character: 1,
    longest_repeat: { characters: 84, text: 'First Citizen:\nFirst, you know Caius Marcius' },
    repeated_share: 0.004,
    samples: { train: 6000, val: 1740 },
    example: {
      natural: text.slice(0, cut),
      rest: writtenAfter(text.slice(0, cut), text.length - cut, 3, 0.9),
      generated: false,
      natural_share: crossover / block,
    },
    warnings: [],
    input: localized('texts.input', { format: 'plain', details: 'UTF-8' }),
    cleaned: [
      {
        ...{ cleaning: 'lines' as const, count: 15_544 },
        places: [
          {
            before: 'never mind how long precisely—having\nlittle or no money',
            after: 'never mind how long precisely—having little or no money',
          },
        ],
      },
    ].filter(({ cleaning }) => isCleaned(String(given['keep'] ?? ''), cleaning)),
    left_out: [],
    held_out: {
      message: localized('list.end_held_out', { share: share(0.1), name: null, rest: share(0), others: 0 }),
      choices: ['auto'],
    },
    choice: choiceOf(given),
    tokenization: initial ? 'pretrained' : given['tokenization'] === 'bpe' ? 'bpe' : 'char',
    reason: localized('tokens.suited.few', { method: localized('tokens.method.char'), characters: count(178_000) }),
    pieces: [...natural.slice(0, 420)].map((character) => ({ id: used.indexOf(character), text: character })),
  };
}
