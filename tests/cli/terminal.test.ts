import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localeIn } from '../../main/cli/language.js';
import { createStyle, wantsColour } from '../../main/cli/style.js';
import { createTerminal, plainProgress, progressBar, type ProgressEvent } from '../../main/cli/terminal.js';
import { compact, duration, oneLine, table, wrap } from '../../main/cli/words.js';
import { addCatalogues, languageOf } from '../../shared/messages/catalogue.js';
import { verbatim } from '../../shared/messages/message.js';
import type { JobEvent } from '../../shared/phases/events.js';

const progress = (done: number, more: Partial<ProgressEvent> = {}): ProgressEvent => ({
  ...{ event: 'progress', phase: 'base_training', done, total: 2000, unit: 'steps', rate: 20, seconds_left: 58 },
  ...more,
});

function terminalOf(mode: 'bar' | 'plain' | 'json') {
  const written = { out: '', progress: '' };
  let now = 0;
  const terminal = createTerminal({
    out: { write: (text) => void (written.out += text) },
    progress: { write: (text) => void (written.progress += text) },
    mode,
    style: createStyle(false),
    columns: () => 80,
    now: () => now,
  });
  return { terminal, written, pass: (milliseconds: number) => void (now += milliseconds) };
}

describe('progress', () => {
  it('shows how far, how fast and how long still', () => {
    expect(plainProgress(progress(840, { detail: verbatim('loss 1.93') }))).toBe(
      'Base training: 42%, 840 of 2,000 steps, 0:58 left, loss 1.93, 20 steps/s',
    );
    expect(progressBar(progress(1000), 100)).toBe(
      `  Base training  ${'━'.repeat(12)}${'╌'.repeat(12)}   50%  1,000 of 2,000 steps  0:58 left  20 steps/s`,
    );
    expect(plainProgress(progress(840, { project_seconds_left: 7260 }))).toContain('2 h 01 min for the whole project');
    expect(plainProgress(progress(840, { project_seconds_left: null }))).not.toContain('project');
    const read = progress(12_300_000, { unit: 'bytes', total: 28_866_688, rate: 1.2e7 });
    expect(plainProgress(read)).toBe('Base training: 42%, 12.3 MB of 28.9 MB, 0:58 left, 12 MB/s');
    expect(progressBar(progress(1000), 60)).toBe(`  Base training  ${'━'.repeat(12)}${'╌'.repeat(12)}   50%`);
  });

  it('never breaks a line, however narrow the terminal or odd the numbers', () => {
    const odd = fc.record({
      done: fc.double(),
      total: fc.double({ min: 0 }),
      rate: fc.option(fc.double()),
      seconds_left: fc.option(fc.double()),
      project_seconds_left: fc.option(fc.double()),
      detail: fc.string({ maxLength: 40 }).map((text) => verbatim(oneLine(text))),
    });
    fc.assert(
      fc.property(odd, fc.integer({ min: 1, max: 200 }), (values, columns) => {
        const line = progressBar({ ...progress(0), ...values }, columns);
        expect(line.length).toBeLessThan(Math.max(11, columns));
        expect(line).not.toContain('\n');
      }),
    );
  });
});

describe('terminal', () => {
  const started: JobEvent = { event: 'phase', phase: 'base_training', state: 'started', message: verbatim('Training') };
  const evaluated: JobEvent = { event: 'metrics', phase: 'base_training', step: 250, values: { val_loss: 2.5 } };

  it('prints one JSON object per event, and no words, for programs', () => {
    const { terminal, written } = terminalOf('json');
    terminal.emit(started);
    terminal.emit(progress(1));
    terminal.emit({ event: 'done', val_loss: 2 });
    terminal.print('words');
    const rows = written.out.trimEnd().split('\n');
    expect(rows.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ...started, message: 'Training' },
      progress(1),
      { event: 'done', val_loss: 2 },
    ]);
    expect(written.progress).toBe('');
  });

  it('prints the lines that the specification prescribes as they are, and indents other notices', () => {
    const { terminal, written } = terminalOf('plain');
    for (const code of ['reward_data', 'data'])
      terminal.emit({ event: 'notice', level: 'info', code, message: verbatim('Training samples: 640') });
    expect(written.progress).toBe('Training samples: 640\n  Training samples: 640\n');
  });

  it('writes plain lines to a log: few, but every evaluation', () => {
    const { terminal, written, pass } = terminalOf('plain');
    terminal.emit(started);
    for (let step = 1; step <= 100; step++) {
      pass(100);
      terminal.emit(progress(step));
    }
    terminal.emit(evaluated);
    terminal.emit({ event: 'metrics', phase: 'base_training', step: 260, values: { loss: 3 } });
    const lines = written.progress.trimEnd().split('\n');
    expect(lines[0]).toBe('▸ Training');
    expect(lines.filter((line) => line.startsWith('Base training: '))).toHaveLength(1);
    expect(lines.at(-1)).toBe('  Base training, step 250: held-out loss 2.5');
    expect(written.progress).not.toContain('\u001b');
  });

  it('draws the bar on one line, and clears it before other lines', () => {
    const { terminal, written, pass } = terminalOf('bar');
    terminal.emit(started);
    terminal.emit(progress(1));
    pass(10);
    terminal.emit(progress(2));
    pass(200);
    terminal.emit(progress(3));
    terminal.emit(evaluated);
    const clear = '\r\u001b[2K';
    const pieces = written.progress.split(clear);
    expect(pieces).toHaveLength(3);
    expect(pieces[2]).toContain('held-out loss 2.5\n');
    terminal.end();
    expect(written.progress.endsWith(clear)).toBe(true);
  });

  it('shows that the model is being compiled until something moves; in a log only if it takes long', () => {
    const [bar, log] = [terminalOf('bar'), terminalOf('plain')];
    const compile = ({ terminal }: typeof bar, ...times: readonly number[]) => {
      for (const seconds of times)
        terminal.emit({ event: 'compiling', seconds, message: verbatim(`Preparing, ${seconds} s`) });
    };
    compile(bar, 2);
    expect(bar.written.progress).toBe('  Preparing, 2 s');
    bar.terminal.emit(progress(1));
    expect(bar.written.progress).toContain('2 s\r\u001b[2K  Base training');
    // A phase has several functions to compile: one note for each phase.
    compile(log, 2, 20, 30);
    log.terminal.emit({ event: 'phase', phase: 'grpo', state: 'started', cycle: 1, message: verbatim('GRPO') });
    compile(log, 40);
    expect(log.written.progress).toBe('  Preparing, 20 s\n▸ GRPO\n  Preparing, 40 s\n');
  });
});

describe('words', () => {
  it('formats numbers and durations for reading', () => {
    expect([0, 12.3456, 1234567, 0.00001234, NaN, null].map((value) => compact(value))).toEqual([
      ...['0', '12.3', '1,234,567', '1.23e-5', '–', '–'],
    ]);
    expect([0, 75, 3599, 3600, 3700].map(duration)).toEqual(['0:00', '1:15', '59:59', '1 h 00 min', '1 h 01 min']);
  });

  it('wraps at the width and loses no word', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,15}$/)), fc.integer({ min: 5, max: 60 }), (words, width) => {
        const text = wrap(words.join(' '), width, '  ');
        expect(text.split(/\s+/).filter((word) => word !== '')).toEqual(words);
        for (const line of text.split('\n'))
          if (line.trim().includes(' ')) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('aligns a table', () => {
    const lines = table('cycle|KL', [
      ['1', '0.25'],
      ['10', '0.5'],
    ]);
    expect(lines).toEqual(['cycle     KL', '─────   ────', '1       0.25', '10       0.5']);
  });

  it('shows a passage on one line, without control characters', () => {
    expect(oneLine('a\nb\u001b[31mc\r\nd')).toBe('a⏎b·[31mc⏎d');
  });
});

it('uses colour on terminals that want it', () => {
  expect(wantsColour({ isTTY: true }, {})).toBe(true);
  expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColour({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
  expect(wantsColour({}, {})).toBe(false);
  expect(wantsColour({}, { FORCE_COLOR: '1' })).toBe(true);
  expect(createStyle(false).bold('x')).toBe('x');
});

it.each([
  [{ LC_ALL: 'xx_YY.UTF-8', LANG: 'de_DE' }, 'xx'],
  [{ LC_ALL: '', LC_MESSAGES: 'pt_BR', LANG: 'de_DE' }, 'pt-BR'],
  [{ LANG: 'pt_PT@euro' }, 'en'],
  [{ LANG: 'C.UTF-8' }, 'en'],
  [{}, 'en'],
  [{ LANG: 'xx', CI: '1' }, 'en'],
])('takes any language with a catalogue from %o', (environment, language) => {
  addCatalogues({ xx: {}, 'pt-BR': {} });
  const locale = localeIn(environment);
  expect(languageOf(locale, [locale])).toBe(language);
});
