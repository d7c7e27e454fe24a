/** Reads files as one text, piece by piece: identify, extract, clean (README.md). */
import { isMarkdown } from '../../../shared/config/file-kinds.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { openFile } from '../disk/file-bytes.js';
import { cleanings, isCleaned, keptBefore } from '../../../shared/config/data.js';
import { Cleaner, Trimmer } from './clean.js';
import { Findings, sumNotes, visible } from './clean/findings.js';
import { Duplicates, Tidy, type TidyOptions } from './clean/tidy.js';
import { DEFAULT_TEXT_FIELD } from './extract/choice.js';
import { omitted } from './extract/omissions.js';
import { extract, type ExtractOptions, type InputFacts } from './extract/extract.js';

export type { InputFacts } from './extract/extract.js';

export interface TextPiece {
  /** Never empty, and never ends within a character or a line end. */
  readonly text: string;
  /** Bytes read of all the files together. */
  readonly bytesRead: number;
}

/** @throws UserError `text_encoding`, `file_damaged`, `bad_input`, `file_not_found`, `file_not_readable` */
export async function* readTexts(files: readonly string[], options: ExtractOptions = {}): AsyncGenerator<TextPiece> {
  const { keep = keptBefore } = options;
  const cleaner = new Cleaner();
  const duplicates = new Duplicates();
  let before = 0;
  for (const file of files) {
    const source = openFile(file);
    const findings = new Findings();
    const tidying = {
      isMarkdown: isMarkdown(file),
      findings,
      duplicates,
      isOn: (cleaning) => isCleaned(keep, cleaning),
    } satisfies TidyOptions;
    const [trimmer, tidy] = [new Trimmer(tidying), new Tidy(tidying)];
    let format: InputFacts['format'] | undefined;
    let [unreadable, units] = [0, 0];
    const cleaned = (facts: InputFacts): InputFacts => ({ ...facts, notes: findings.notes, unreadable });
    const onDetected = (facts: InputFacts): void => {
      format = facts.format;
      options.onDetected?.(cleaned(facts));
    };
    let ended: InputFacts | undefined;
    const onFile = (facts: InputFacts): void => void (ended = facts);
    const pieceOf = (text: string, fileBytes: number): TextPiece => {
      unreadable += text.split('\ufffd').length - 1;
      return { text, bytesRead: before + fileBytes };
    };
    const isNew = (text: string): boolean => {
      if (!tidying.isOn('duplicates') || !duplicates.isDuplicate(text)) return true;
      findings.add('duplicates', visible(text), () => ({ before: text, after: '' }));
      return false;
    };
    try {
      for await (const piece of extract(file, source, { ...options, onDetected, onFile })) {
        const isMany = format !== undefined && inParts.has(format);
        if (format === 'subtitles') findings.add('times', 0, () => null, piece.texts.length);
        for (const text of piece.texts) units += text.length;
        const texts = isMany ? piece.texts.filter(isNew) : piece.texts.map((text) => tidy.push(trimmer.push(text)));
        // What waits for the rest of its window is not read yet.
        const fileBytes = Math.floor(piece.fileBytes * (1 - tidy.held / Math.max(1, units)));
        for (const text of cleaner.push({ ...piece, texts })) yield pieceOf(text, fileBytes);
      }
      const fileBytes = source.byteLength;
      const last = { texts: [tidy.push(trimmer.push('', true), true)], continues: true, fileBytes };
      for (const text of [...cleaner.push(last), ...cleaner.end()]) yield pieceOf(text, fileBytes);
      before += fileBytes;
      if (ended !== undefined) options.onFile?.(cleaned(ended));
    } finally {
      source.close();
    }
  }
}

/** Formats of many texts, which are not trimmed. */
const inParts = new Set<InputFacts['format']>(['lines', 'json', 'subtitles', 'table', 'chat', 'Parquet']);

/** Describes inputs: `JSON Lines, gzip, UTF-8, 120 texts`. */
export function describeInputs(inputs: readonly InputFacts[]): Message {
  const kinds = new Map(
    inputs.map(({ format, packing, encoding }) => {
      const isUtf = encoding?.startsWith('UTF') === true;
      const details = [packing, isUtf ? encoding : null].filter((one) => one !== null).join(', ');
      const converted = isUtf ? null : (encoding?.replace(/^w/, 'W') ?? null);
      return [`${format} ${details} ${converted}`, localized('texts.input', { format, details, converted })];
    }),
  );
  const choices = inputs.flatMap(({ choice }) => {
    const names = (choice?.chosen ?? []).filter((name) => name !== DEFAULT_TEXT_FIELD).join(', ');
    return names === '' ? [] : [localized('texts.choice', { kind: choice?.kind ?? '', names })];
  });
  const left = omitted.flatMap((what) => {
    const count = inputs.reduce((sum, facts) => sum + (facts.omitted?.what === what ? facts.omitted.count : 0), 0);
    return count === 0 ? [] : [localized(`texts.omitted.${what}`, { count })];
  });
  const isCounted = inputs.some((facts) => facts.records !== null);
  const records = inputs.reduce((sum, facts) => sum + (facts.records ?? 0), 0);
  const found = sumNotes(inputs.map(({ notes }) => notes));
  const unreadable = inputs.reduce((sum, facts) => sum + facts.unreadable, 0);
  const notes = [
    ...cleanings.flatMap((cleaning) => {
      const count = found[cleaning]?.count ?? 0;
      return count === 0 || cleaning === 'times' || cleaning === 'parts'
        ? []
        : [localized(`texts.cleaned.${cleaning}`, { count })];
    }),
    ...(unreadable === 0 ? [] : [localized('texts.note.unreadable', { count: unreadable })]),
  ];
  return localized('texts.inputs', {
    files: inputs.length,
    kinds: [...kinds.values()],
    records: isCounted ? localized('texts.records', { records }) : null,
    notes: [...new Map(choices.map((one) => [JSON.stringify(one), one])).values(), ...left, ...notes],
  });
}
