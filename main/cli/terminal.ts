/** Prints events: a moving bar on a terminal, plain lines in a log, or JSON objects for programs. */
import type { MessageCode } from '../../shared/messages/message.js';
import { inLanguage, t } from './language.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { plainProgress, progressBar, phaseTitle, type ProgressEvent } from './progress-line.js';
import type { Style } from './style.js';
import { typedEvent, type TypedEvent } from './typed-event.js';
import { compact, duration, oneLine } from './words.js';

interface Out {
  write(text: string): void;
}

interface TerminalOptions {
  /** Receives answers and JSON. */
  readonly out: Out;
  /** Where progress goes when it is not the answer. */
  readonly progress: Out;
  readonly mode: 'bar' | 'plain' | 'json';
  readonly style: Style;
  columns(): number;
  /** Milliseconds. */
  now(): number;
}

interface Terminal {
  emit(event: JobEvent): void;
  /** Prints a finished text, except in JSON mode. */
  print(text: string): void;
  /** Clears a bar that is still showing. */
  end(): void;
}

/** Notices whose text the specification prescribes as a whole line. */
const verbatim: ReadonlySet<string> = new Set(['reward_data', 'dataset_info']);
const PLAIN_MILLISECONDS = 5000;
const BAR_MILLISECONDS = 100;

/** JSON has no NaN: such a number is null. */
export const jsonLine = (event: TypedEvent): string => `${JSON.stringify(event)}\n`;

/** Draws the status line at the bottom, and the lines that scroll past above it. */
function createStatusLine(out: Out) {
  let shown = false;
  const clear = () => {
    if (shown) out.write('\r\u001b[2K');
    shown = false;
  };
  return {
    clear,
    say(text: string): void {
      clear();
      out.write(`${text}\n`);
    },
    show(text: string): void {
      clear();
      out.write(text);
      shown = true;
    },
  };
}

function phaseLine({ state, message }: Extract<TypedEvent, { event: 'phase' }>, style: Style): string {
  if (state === 'started') return `▸ ${style.bold(message)}`;
  return `${state === 'finished' ? style.good('✓') : style.dim('–')} ${message}`;
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { out, progress, mode, style } = options;
  if (mode === 'json') {
    return { emit: (event) => out.write(jsonLine(typedEvent(event))), print: () => undefined, end: () => undefined };
  }
  const { clear, say, show } = createStatusLine(progress);
  const draw = (event: ProgressEvent) => show(progressBar(event, options.columns()));
  let last = -Infinity;
  let latest: ProgressEvent | null = null;
  let [began, isNoted] = [options.now(), false];

  const onProgress = (event: ProgressEvent) => {
    const now = options.now();
    const isNew = latest?.phase !== event.phase;
    latest = event;
    if (mode === 'bar') {
      if (!isNew && now - last < BAR_MILLISECONDS && event.done < event.total) return;
      last = now;
      draw(event);
    } else {
      if (isNew && event.done < event.total) last = now;
      if (now - last < PLAIN_MILLISECONDS) return;
      last = now;
      say(plainProgress(event));
    }
  };

  /** Prints above the bar. */
  const sayBetween = (line: string | null, styled = (text: string) => text) => {
    if (line === null) return;
    last = options.now();
    say(styled(`  ${line}`));
    if (mode === 'bar' && latest && latest.done < latest.total) draw(latest);
  };

  return {
    emit(given) {
      const event = typedEvent(given, inLanguage);
      switch (event.event) {
        case 'progress':
          onProgress(event);
          return;
        case 'phase': {
          if (event.state === 'finished' && mode === 'bar') clear();
          [latest, last] = [null, options.now()];
          isNoted = false;
          if (event.state === 'started') began = last;
          say(phaseLine(event, style));
          return;
        }
        case 'metrics':
          sayBetween(evaluationLine(event));
          return;
        case 'compiling':
          if (mode === 'bar') show(`  ${event.message}`.slice(0, Math.max(10, options.columns() - 1)));
          else if (event.seconds * 1000 >= PLAIN_MILLISECONDS && !isNoted) say(`  ${event.message}`);
          // A log has one note on compiling in each phase.
          isNoted ||= event.seconds * 1000 >= PLAIN_MILLISECONDS;
          return;
        case 'notice':
          if (event.level === 'warning') say(style.warn(`! ${event.message}`));
          else say(verbatim.has(event.code) ? event.message : `  ${event.message}`);
          return;
        case 'samples':
          sayBetween(sampleLine(event, options.now() - began, options.columns()), style.dim);
          return;
        case 'sample':
        case 'checkpoint':
        case 'done':
        case 'error':
          return;
      }
    },
    print(text) {
      clear();
      out.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    end: clear,
  };
}

/** The metrics that the terminal shows, with their names; metrics.jsonl has all. */
const evaluations: readonly (readonly [key: string, words: MessageCode])[] = [
  ['val_nats_per_character', 'terminal.nats_per_character'],
  ['val_loss', 'terminal.loss'],
  ['val_perplexity', 'terminal.perplexity'],
  ['val_mse', 'terminal.squared_error'],
  ['val_r2', 'terminal.r2'],
  ['r2', 'terminal.r2'],
  ['perplexity', 'terminal.perplexity'],
];

function evaluationLine(event: Extract<JobEvent, { event: 'metrics' }>): string | null {
  const found = evaluations.flatMap(([key, words]) => {
    const value = event.values[key];
    return value === undefined ? [] : [`${t(words)} ${compact(value, 4)}`];
  });
  return found.length === 0
    ? null
    : t('terminal.evaluation', { phase: phaseTitle(event.phase), step: event.step, values: found.join(', ') });
}

/** Formats the first passage of a step, cut to one line. */
function sampleLine(
  { step, samples: [first] }: Extract<JobEvent, { event: 'samples' }>,
  milliseconds: number,
  columns: number,
): string | null {
  if (!first) return null;
  const text = oneLine(`${first.prompt}|${first.completion}`);
  const line = t('terminal.sample', { step, time: duration(milliseconds / 1000), text });
  const most = Math.max(60, columns - 3);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
