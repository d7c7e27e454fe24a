/** The reports on a finished project, a new project and a previewed text. Pure text from the results. */
import { NOTHING } from '../../shared/base/numbers.js';
import { about } from '../../shared/judging.js';
import type { Familiarity } from '../../shared/contract/drafts.js';
import { bytes, languageTag, localized, seconds, share, type Message } from '../../shared/messages/message.js';
import { isFamiliar } from '../../shared/models/beginning.js';
import { adviceMessage, type Advice } from '../../shared/reports/cycle-advice.js';
import { controlMessage } from '../../shared/reports/cycle-control.js';
import { anotherMessage, outcomeMessages, type Outcome } from '../../shared/reports/outcome.js';
import type { ControlReport } from '../../shared/reports/report.js';
import type { Preview } from '../engine/cycle/preview.js';
import type { Results } from '../jobs/types.js';
import { t } from './language.js';
import type { Style } from './style.js';
import { commandText, compact, fixed, grouped, oneLine, percent, perText, table, WIDTH, wrap } from './words.js';

type Row = Readonly<Record<string, unknown>>;
interface Sample {
  readonly prompt: string;
  readonly completion: string;
}

/** Characters of a continuation that are shown; samples.jsonl has all of it. */
const SAMPLE_LENGTH = 240;

/** Reports on a project that is finished or waits for votes: results, their meaning, samples, files, next steps. */
export function closingReport(results: Results, style: Style): string {
  const folder = String(results['project']);
  const base = (results['base'] ?? {}) as Row;
  const cycles = (results['cycles'] ?? []) as readonly Row[];
  const models = [base, ...cycles].map(({ name }) => String(name)).join(', ');
  return [
    '',
    style.bold(results['awaits'] ? t('closing.waiting', { folder }) : style.good(t('closing.done', { folder }))),
    '',
    ...verdictLines(results['outcome'] as Outcome | null | undefined),
    ...sampleLines(results, style),
    ...cycleTable(base, cycles).map((line) => `  ${line}`),
    '',
    style.bold(t('closing.meaning')),
    ...meaning(base, cycles).map((paragraph) => bullet(paragraph)),
    '',
    style.title(t('closing.files', { folder, models })),
    '',
    style.bold(t('closing.next')),
    ...(typeof results['train_on'] === 'string' ? [t('closing.train_on', { command: results['train_on'] })] : []),
    nextCycle(results, folder, cycles.length),
    t('closing.try', {
      sample: commandText('sample', folder),
      rate: commandText('rate', folder),
      start: commandText('new', 'my-project', '--data_path', 'your-text.txt'),
    }),
    '',
  ].join('\n');
}

const bullet = (paragraph: string): string => `  • ${wrap(paragraph, WIDTH, '    ').trimStart()}`;

/** The ways to another cycle. */
function nextCycle({ awaits }: Results, folder: string, done: number): string {
  const cycle = ['cycle', folder];
  if (!awaits) return t('closing.one_more', { command: commandText(...cycle, '--max_cycles', String(done + 1)) });
  const { votes, newest, previous } = awaits as { readonly votes: number } & Readonly<Record<string, string>>;
  const passages = Math.max(20, Math.ceil((done > 0 ? votes : 0) / 10) * 10);
  return t('closing.votes_needed', {
    rate: commandText('rate', folder, '--passages', String(passages)),
    votes: about(votes),
    newest,
    previous,
    cycle: commandText(...cycle),
    without: commandText(...cycle, '--stop_when', 'cycles'),
  });
}

function cycleTable(base: Row, cycles: readonly Row[]): readonly string[] {
  // Earlier versions did not measure the loss by character.
  const measure = typeof base['nats_per_character'] === 'number' ? 'nats_per_character' : 'perplexity';
  return table(t('closing.heading', { measure }), [
    [t('closing.base'), String(base['name'] ?? NOTHING), fixed(base[measure], 3)],
    ...cycles.map((row) => [
      ...[String(row['cycle']), String(row['name']), fixed(row[measure], 3)],
      ...[fixed(row['r2'], 3), percent(row['reward_first'], 1), percent(row['reward_last'], 1)],
      ...[fixed(row['kl'], 3), grouped(row['steps'])],
    ]),
  ]);
}

/** The sentences of the window. */
function verdictLines(outcome: Outcome | null | undefined): readonly string[] {
  if (!outcome) return [];
  const another = anotherMessage(outcome);
  const [first, ...others] = [...outcomeMessages(outcome), ...(another ? [another] : [])].map((message) => t(message));
  return [...[first, others.join(' ')].flatMap((text) => (text ? [wrap(text, WIDTH)] : [])), ''];
}

/** Explains the numbers, the most reliable ones first. */
function meaning(base: Row, cycles: readonly Row[]): readonly string[] {
  const last = cycles.at(-1);
  const nats = perText(last ?? base);
  const lead = (last?.['critic'] as { readonly lead_nats?: unknown } | null | undefined)?.lead_nats;
  const paragraphs: (readonly Message[])[] = [
    [
      nats === null
        ? localized('closing.perplexity', {
            first: fixed(base['perplexity'], 2),
            last: last && fixed(last['perplexity'], 2),
          })
        : localized('closing.nats', { nats }),
    ],
  ];
  if (last) {
    paragraphs.push([localized('closing.r2')], [localized('closing.reward')], [localized('closing.kl')]);
    if (typeof lead === 'number') paragraphs.push([localized('closing.critic', { lead: fixed(lead, 3) })]);
    for (const row of cycles) {
      const control = row['control'] as ControlReport | undefined;
      const cycle = Number(row['cycle']);
      if (control) paragraphs.push([localized('closing.control', { cycle, verdict: controlMessage(control) })]);
    }
  }
  return paragraphs.map((messages) => messages.map((message) => t(message)).join(' '));
}

function sampleLines(results: Results, style: Style): readonly string[] {
  const [before = [], now = [], natural = []] = ['before', 'after', 'text'].map(
    (name) => (results[`samples_${name}`] ?? []) as readonly unknown[] as readonly Sample[],
  );
  const labels = [t('closing.before'), t('closing.after'), t('closing.text')] as const;
  const width = Math.max(...labels.map(({ length }) => length));
  const passage = (label: string, completion: string | undefined) => {
    if (completion === undefined) return [];
    const text = oneLine(completion);
    const short = text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH)}…` : text;
    const indent = ' '.repeat(width + 5);
    return [`    ${style.dim(label.padEnd(width))} ${wrap(short, WIDTH, indent).trimStart()}`];
  };
  return now.flatMap(({ prompt, completion }, at) => [
    ...(at === 0 ? [style.bold(t('closing.samples')), ''] : []),
    `  ${style.accent(t('text.quote', { text: oneLine(prompt) }))}`,
    ...passage(labels[0], before[at]?.completion),
    ...passage(labels[1], completion),
    ...passage(labels[2], natural[at]?.completion),
    '',
  ]);
}

/** Reports on a new project before anything is trained. */
export function projectSummary(results: Results, style: Style): string {
  const project = String(results['project']);
  const advice = (results['advice'] ?? null) as Advice | null;
  const figures = t('summary.new_project', {
    project,
    train: grouped(results['train_tokens']),
    val: grouped(results['val_tokens']),
    vocabulary: grouped(results['vocab_size']),
    isChar: results['tokenization'] === 'char',
    weights: grouped(results['parameters']),
  });
  const command = commandText('cycle', project);
  return ['', style.title(figures), ...adviceLines(advice), '', t('summary.train', { command }), ''].join('\n');
}

const adviceLines = (advice: Advice | null): readonly string[] =>
  advice ? ['', wrap(t(adviceMessage(advice)), WIDTH)] : [];

const readingLine = (found: Omit<Familiarity, 'init_from'>) =>
  t('preview.familiarity', {
    nats: compact(found.nats_per_character),
    baseline: compact(found.baseline),
    isFamiliar: isFamiliar(found),
  });

/** Reports on a text and settings before anything long starts. */
export function previewReport(results: Results, style: Style): string {
  const preview = results as unknown as Preview & {
    readonly language: string | null;
    readonly input: Message;
    readonly reason: Message;
    readonly familiarity?: Omit<Familiarity, 'init_from'>;
  };
  const { example, samples, disk, familiarity } = preview;
  const time = (value: number | null) => (value === null ? NOTHING : seconds(Math.max(1, value)));
  const figures = t('preview.figures', {
    isExact: preview.exact,
    language: preview.language ? languageTag(preview.language) : localized('wizard.text.noLanguage'),
    characters: preview.characters,
    input: preview.input,
    tokens: grouped(preview.tokens),
    perCharacter: compact(preview.tokens_per_character),
    reason: preview.reason,
    vocabulary: grouped(preview.vocab_size),
    used: grouped(preview.used_tokens),
    repeated: percent(preview.repeated_share, 1),
    longest: preview.longest_repeat.characters,
    train: grouped(samples.train),
    val: grouped(samples.val),
    tokenBytes: bytes(disk.tokens),
    rewardBytes: bytes(disk.reward_data),
    checkpointBytes: bytes(disk.checkpoints),
    prepare: time(preview.seconds.prepare),
    baseTraining: time(preview.seconds.base_training),
    rewardData: time(preview.seconds.reward_data),
  });
  const [title = '', ...passages] = t('preview.sample', {
    share: share(example.natural_share),
    natural: oneLine(example.natural),
    isGenerated: example.generated,
    rest: oneLine(example.rest),
  }).split('\n');
  return [
    style.bold(t('preview.beginning')),
    ...preview.first_lines.map((line) => (line.length > WIDTH ? wrap(line, WIDTH, '  ') : `  ${line}`)),
    '',
    style.label(familiarity ? `${figures}\n${readingLine(familiarity)}` : figures),
    '',
    style.bold(title),
    ...passages.map((line) => wrap(line, WIDTH, '  ')),
    ...adviceLines(preview.advice),
    ...preview.warnings.flatMap(({ message, hint }) => [
      '',
      style.warn(wrap(`! ${t('cli.warning', { message, hint })}`, WIDTH)),
    ]),
    '',
  ].join('\n');
}
