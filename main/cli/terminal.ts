/** Prints events: a moving bar on a terminal, plain lines in a log, or JSON objects for programs. */
import { hasCode } from '../../shared/messages/catalogue.js';
import { bytes, count, type Message, type MessageCode } from '../../shared/messages/message.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { phases, type PhaseName } from '../../shared/phases/index.js';
import { t } from './language.js';
import type { Style } from './style.js';
import { compact, duration, oneLine } from './words.js';

type Out = { write(text: string): unknown };

interface TerminalOptions {
  /** Receives answers and JSON. */
  readonly out: Out;
  /** Receives progress, unless it is part of the answer. */
  readonly progress: Out;
  readonly mode: 'bar' | 'plain' | 'json';
  readonly style: Style;
  columns(): number;
  /** Milliseconds. */
  now(): number;
}

type EventOf<Name extends JobEvent['event']> = Extract<JobEvent, { event: Name }>;
export type ProgressEvent = EventOf<'progress'>;

/** Notices whose text the specification prescribes as a whole line. */
const verbatim: ReadonlySet<string> = new Set(['reward_data', 'dataset_info']);
const PLAIN_MILLISECONDS = 5000;
const BAR_MILLISECONDS = 100;
const BAR_COLUMNS = 24;

/** An event as a line of JSON, with its messages in English. JSON has no NaN: such a number is null. */
export const jsonLine = (event: JobEvent): string =>
  `${JSON.stringify(event, (_key, value: unknown) => (isMessage(value) ? plainEnglish(value) : value))}\n`;

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'code' in value && hasCode(String(value.code));

const phaseTitle = (phase: PhaseName): string => t(phases[phase].label);

const shareOf = ({ done, total }: ProgressEvent) => (total > 0 ? Math.min(1, Math.max(0, done / total)) : 1);

/** The texts to the right of the bar, most important first. */
function progressParts(event: ProgressEvent): string[] {
  const { done, total, rate, seconds_left: left, project_seconds_left: projectLeft = null, detail } = event;
  const unit = t(`activity.units.${event.unit}`);
  const isSize = event.unit === 'bytes';
  return [
    `${String(Math.floor(shareOf(event) * 100)).padStart(3)}%`,
    isSize
      ? t('activity.doneOfSize', { done: bytes(done), total: bytes(total) })
      : t('activity.done', { done: count(done), total: count(total), unit }),
    ...(left === null || done >= total ? [] : [t('activity.left', { time: duration(left) })]),
    ...(detail === undefined ? [] : [t(detail)]),
    ...(projectLeft === null || projectLeft <= (left ?? 0)
      ? []
      : [t('terminal.project_left', { time: duration(projectLeft) })]),
    ...(rate === null
      ? []
      : [isSize ? t('activity.rateOfSize', { rate: bytes(rate) }) : t('activity.rate', { rate: compact(rate), unit })]),
  ];
}

/** Formats all parts, for a log. */
export const plainProgress = (event: ProgressEvent): string =>
  `${phaseTitle(event.phase)}: ${progressParts(event)
    .map((part) => part.trim())
    .join(', ')}`;

/** Formats the bar and the parts that fit next to it. */
export function progressBar(event: ProgressEvent, columns: number): string {
  const title = `  ${phaseTitle(event.phase).padEnd(14)} `;
  const room = Math.max(10, columns - 1);
  const bar = Math.max(0, Math.min(BAR_COLUMNS, room - title.length - 7));
  const full = Math.round(shareOf(event) * bar);
  let line = `${title}${'━'.repeat(full)}${'╌'.repeat(bar - full)}`;
  for (const part of progressParts(event)) {
    if (line.length + 2 + part.length > room) break;
    line += `  ${part}`;
  }
  return line.slice(0, room);
}

export function createTerminal({ out, progress, mode, style, columns, now }: TerminalOptions) {
  if (mode === 'json') {
    return { emit: (event: JobEvent) => void out.write(jsonLine(event)), print: () => undefined, end: () => undefined };
  }
  let hasStatus = false;
  const clear = () => {
    if (hasStatus) progress.write('\r\u001b[2K');
    hasStatus = false;
  };
  const printLine = (text: string) => {
    clear();
    progress.write(`${text}\n`);
  };
  const showStatus = (text: string) => {
    clear();
    progress.write(text);
    hasStatus = true;
  };
  let lastAt = -Infinity;
  let latest: ProgressEvent | null = null;
  let [startedAt, hasNote] = [now(), false];

  const onProgress = (event: ProgressEvent) => {
    const isNew = latest?.phase !== event.phase;
    latest = event;
    // A log mentions a phase only after it has taken some time.
    if (mode === 'plain' && isNew && !isOver(event)) lastAt = now();
    const isDue = now() - lastAt >= (mode === 'bar' ? BAR_MILLISECONDS : PLAIN_MILLISECONDS);
    if (!isDue && (mode === 'plain' || !(isNew || isOver(event)))) return;
    lastAt = now();
    if (mode === 'plain') printLine(plainProgress(event));
    else showStatus(progressBar(event, columns()));
  };

  /** Prints a line above the bar. */
  const printAbove = (line: string | null) => {
    if (line === null) return;
    lastAt = now();
    printLine(line);
    if (mode === 'bar' && latest && !isOver(latest)) showStatus(progressBar(latest, columns()));
  };

  const onPhase = ({ state, message }: EventOf<'phase'>) => {
    [latest, lastAt, hasNote] = [null, now(), false];
    if (state === 'started') startedAt = lastAt;
    const text = t(message);
    if (state === 'started') printLine(`▸ ${style.bold(text)}`);
    else printLine(`${state === 'finished' ? style.good('✓') : style.dim('–')} ${text}`);
  };

  /** A log gets one note on compiling in each phase, if it takes long. */
  const onCompiling = ({ seconds, message }: EventOf<'compiling'>) => {
    const line = `  ${t(message)}`;
    const isLong = seconds * 1000 >= PLAIN_MILLISECONDS;
    if (mode === 'bar') showStatus(line.slice(0, Math.max(10, columns() - 1)));
    else if (isLong && !hasNote) printLine(line);
    hasNote ||= isLong;
  };

  return {
    emit(event: JobEvent) {
      if (event.event === 'progress') onProgress(event);
      if (event.event === 'phase') onPhase(event);
      if (event.event === 'metrics') printAbove(evaluationLine(event));
      if (event.event === 'compiling') onCompiling(event);
      if (event.event === 'notice') printLine(noticeLine(event, style));
      if (event.event === 'samples') printAbove(sampleLine(event, (now() - startedAt) / 1000, columns(), style));
    },
    /** Prints a finished text, except in JSON mode. */
    print(text: string) {
      clear();
      out.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    /** Clears a bar that is still showing. */
    end: clear,
  };
}

function noticeLine({ level, code, message }: EventOf<'notice'>, style: Style): string {
  const text = t(message);
  return level === 'warning' ? style.warn(`! ${text}`) : verbatim.has(code) ? text : `  ${text}`;
}

const isOver = ({ done, total }: ProgressEvent): boolean => done >= total;

/** The metrics that the terminal shows, with their names; metrics.jsonl has all. */
const evaluations: readonly (readonly [key: string, name: MessageCode])[] = [
  ['val_nats_per_character', 'terminal.nats_per_character'],
  ['val_loss', 'terminal.loss'],
  ['val_perplexity', 'terminal.perplexity'],
  ['val_mse', 'terminal.squared_error'],
  ['val_r2', 'terminal.r2'],
  ['r2', 'terminal.r2'],
  ['perplexity', 'terminal.perplexity'],
];

function evaluationLine({ phase, step, values }: EventOf<'metrics'>): string | null {
  const found = evaluations.flatMap(([key, name]) =>
    values[key] === undefined ? [] : [`${t(name)} ${compact(values[key], 4)}`],
  );
  if (found.length === 0) return null;
  return `  ${t('terminal.evaluation', { phase: phaseTitle(phase), step, values: found.join(', ') })}`;
}

/** Formats the first passage of a step, cut to one line. */
function sampleLine(
  { step, samples: [first] }: EventOf<'samples'>,
  seconds: number,
  columns: number,
  style: Style,
): string | null {
  if (!first) return null;
  const text = oneLine(`${first.prompt}|${first.completion}`);
  const line = t('terminal.sample', { step, time: duration(seconds), text });
  const most = Math.max(60, columns - 3);
  return style.dim(`  ${line.length > most ? `${line.slice(0, most - 1)}…` : line}`);
}
