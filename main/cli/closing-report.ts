/**
 * What a person reads when a project is done: the cycles as a table, samples before and after on the same prompts,
 * what the numbers mean, where everything is and what comes next. Pure text from the results.
 */
import type { Results } from '../jobs/types.js';
import { controlMessage } from '../../shared/reports/cycle-control.js';
import type { ControlReport } from '../../shared/reports/report.js';
import { program, shellWord } from '../../shared/config/command-line.js';
import { about } from '../../shared/judging.js';
import { anotherMessage, outcomeMessages, type Outcome } from '../../shared/reports/outcome.js';
import { adviceMessage, type Advice } from '../../shared/reports/cycle-advice.js';
import { t } from './language.js';
import type { Style } from './style.js';
import { fixed, grouped, oneLine, percent, perText, table, WIDTH, wrap } from './words.js';

type Row = Readonly<Record<string, unknown>>;
interface Shown {
  readonly prompt: string;
  readonly completion: string;
}

/** Characters of a continuation that are shown; the whole is in samples.jsonl. */
const SAMPLE_LENGTH = 240;

export function closingReport(results: Results, style: Style): string {
  const folder = String(results['project']);
  const base = (results['base'] ?? {}) as Row;
  const cycles = (results['cycles'] ?? []) as readonly Row[];
  return [
    '',
    style.bold(results['awaits'] ? `Waiting for votes: ${folder}` : style.good(`Done: ${folder}`)),
    '',
    cycleTable(base, cycles),
    '',
    ...meaning(base, cycles, (results['outcome'] ?? null) as Outcome | null, style),
    ...sampleLines(results, cycles.length > 0, style),
    style.bold('Where everything is'),
    `  ${folder}/checkpoints/   the models: ${[base['name'], ...cycles.map(({ name }) => name)].map(String).join(', ')}, and the reward models`,
    `  ${folder}/cycles/        what each cycle measured and wrote (metrics.jsonl, samples.jsonl, report.json)`,
    `  ${folder}/data/          the prepared text      ${folder}/project.json  every setting`,
    '',
    style.bold('Next'),
    ...(typeof results['train_on'] === 'string'
      ? [`  ${results['train_on']}    plain training, which is better here`]
      : []),
    ...nextCycle(results, folder, cycles.length),
    `  ${program} sample ${shellWord(folder)}    let the newest model write`,
    `  ${program} rate ${shellWord(folder)}      rate its writing yourself, without knowing whose a passage is`,
    `  ${program} new my-project --data_path your-text.txt    begin with a text of your own`,
    '',
  ].join('\n');
}

/** What there is to do for another cycle. */
function nextCycle({ awaits }: Results, folder: string, done: number): readonly string[] {
  if (!awaits) return [`  ${program} cycle ${shellWord(folder)} --max_cycles ${done + 1}    one more cycle`];
  const { votes, newest, previous } = awaits as unknown as Awaits;
  const command = `${program} rate ${shellWord(folder)}`;
  const passages = Math.max(20, Math.ceil((done > 0 ? votes : 0) / 10) * 10);
  return [
    `  ${command} --passages ${passages}    about ${about(votes)} more votes decide whether ${newest} is better than ${previous}`,
    `  ${program} cycle ${shellWord(folder)}    then: another cycle, or the end`,
    `  ${program} cycle ${shellWord(folder)} --stop_when cycles    without votes`,
  ];
}

interface Awaits {
  readonly votes: number;
  readonly newest: string;
  readonly previous: string;
}

function cycleTable(base: Row, cycles: readonly Row[]): string {
  const heading = ['cycle', 'model', 'nats/char', 'perplexity', 'R²', 'reward before', 'after', 'KL', 'GRPO steps'];
  const first = [
    '0 (base)',
    String(base['name'] ?? '-'),
    fixed(base['nats_per_character'], 3),
    fixed(base['perplexity'], 3),
    '',
    '',
    '',
    '',
    '',
  ];
  const rows = cycles.map((row) => [
    String(row['cycle']),
    String(row['name']),
    fixed(row['nats_per_character'], 3),
    fixed(row['perplexity'], 3),
    fixed(row['r2'], 3),
    percent(row['reward_first'], 1),
    percent(row['reward_last'], 1),
    fixed(row['kl'], 3),
    String(row['steps'] ?? '-'),
  ]);
  return table([heading, first, ...rows])
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

/** The numbers in plain words, the honest reading first. */
function meaning(base: Row, cycles: readonly Row[], outcome: Outcome | null, style: Style): string[] {
  const last = cycles.at(-1) ?? base;
  const paragraphs = [
    ...(perText(last) === ''
      ? []
      : [
          `Nats per character: how surprised the model is by each character of text it has never seen, whatever its tokens are, so any two models of one text can be compared by it. The last model: ${perText(last)}. Lower is better.`,
        ]),
    `Perplexity: how unsure the model is about each next token of text it has never seen, as a number of equally likely choices. It began at ${fixed(base['perplexity'], 2)}${cycles.length > 0 ? ` and is now ${fixed(cycles.at(-1)?.['perplexity'], 2)}` : ''}. Lower is better; a clear rise would mean that language was lost.`,
  ];
  if (cycles.length > 0) {
    paragraphs.push(
      'R²: how well the reward model tells how much of a passage is natural. 1 is perfect; 0 is no better than always giving the average answer. Each cycle it has to judge a better writer, so it may well fall.',
      'Reward: how natural the reward model finds what the model writes, from 0% to 100%, on the same fresh prompts before and after. It is an opinion, only as good as R² is high.',
      'KL: how far the model has moved in this cycle, in nats per token. Small numbers mean small, careful changes.',
      ...criticLine(cycles.at(-1)),
      ...cycles.flatMap(controlLine),
    );
    paragraphs.push(...(outcome ? verdict(outcome) : []));
  }
  return [
    style.bold('What the numbers mean'),
    ...paragraphs.map((paragraph) => `  • ${wrap(paragraph, WIDTH, '    ').trimStart()}`),
    '',
  ];
}

/** How far the critic is ahead of the generator. */
function criticLine(row: Row | undefined): string[] {
  const lead = (row?.['critic'] as { readonly lead_nats?: unknown } | null | undefined)?.lead_nats;
  if (typeof lead !== 'number') return [];
  return [
    `Critic: the language model that rewards is ${fixed(lead, 3)} nats per token ahead of the generator. When the generator has caught up, the cycles end by themselves.`,
  ];
}

/** Whether a cycle was worth its time. */
function controlLine(row: Row): string[] {
  const control = row['control'] as ControlReport | undefined;
  return control ? [`Cycle ${String(row['cycle'])} and its control: ${t(controlMessage(control))}`] : [];
}

/** What came of it and whether another cycle is worth its time, in the words of the window. */
function verdict(outcome: Outcome): string[] {
  const another = anotherMessage(outcome);
  const messages = [...outcomeMessages(outcome), ...(another ? [another] : [])];
  return [`All in all: ${messages.map((message) => t(message)).join(' ')}`];
}

function sampleLines(results: Results, improved: boolean, style: Style): string[] {
  const before = (results['samples_before'] ?? []) as readonly unknown[] as readonly Shown[];
  const after = (results['samples_after'] ?? []) as readonly unknown[] as readonly Shown[];
  if (before.length === 0) return [];
  const lines = [style.bold(improved ? 'The same prompts, before and after' : 'What it writes'), ''];
  before.forEach((sample, index) => {
    const later = after[index];
    lines.push(`  ${style.accent(`“${oneLine(sample.prompt)}”`)}`);
    lines.push(passage(improved ? 'before' : '', sample.completion, style));
    if (improved && later) lines.push(passage('after', later.completion, style));
    lines.push('');
  });
  return lines;
}

function passage(label: string, completion: string, style: Style): string {
  const text = oneLine(completion);
  const short = text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH)}…` : text;
  const [head = '', ...rest] = wrap(short, WIDTH, '            ').split('\n');
  return [`    ${style.dim(label.padEnd(6))}  ${head.trimStart()}`, ...rest].join('\n');
}

/** For `new`: what was made, before anything is trained. */
export function projectSummary(results: Results, style: Style): string {
  const { project, tokenization, vocab_size, train_tokens, val_tokens, parameters } = results;
  const advice = (results['advice'] ?? null) as Advice | null;
  return [
    '',
    style.bold(style.good(`The project is made: ${String(project)}`)),
    `  text    ${grouped(Number(train_tokens))} tokens to train on, ${grouped(Number(val_tokens))} held out (${grouped(Number(vocab_size))} different ${tokenization === 'char' ? 'characters' : 'word pieces'})`,
    `  model   ${grouped(Number(parameters))} weights`,
    ...(advice ? [`  cycles  ${wrap(t(adviceMessage(advice)), WIDTH, '          ').trimStart()}`] : []),
    '',
    `Train it:  ${program} cycle ${shellWord(String(project))}`,
    '',
  ].join('\n');
}
