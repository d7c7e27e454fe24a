/** Reads files as one text, piece by piece: identify, extract, clean (README.md). */
import { isMarkdown } from '../../../shared/config/file-kinds.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { openFile } from '../disk/file-bytes.js';
import { Cleaner, cleanings, type Extracted, Trimmer } from './clean.js';
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
  const cleaner = new Cleaner();
  let before = 0;
  for (const file of files) {
    const source = openFile(file);
    let trimmer: Trimmer | null = null;
    let unreadable = 0;
    const cleaned = (facts: InputFacts): InputFacts => {
      const notes = { ...trimmer?.notes, ...(unreadable > 0 && { unreadable }) };
      return { ...facts, notes };
    };
    const onDetected = (facts: InputFacts): void => {
      if (trimmer === null && !inParts.has(facts.format)) trimmer = new Trimmer(isMarkdown(file));
      options.onDetected?.(cleaned(facts));
    };
    let onEnd = (): void => undefined;
    const onFile = (facts: InputFacts): void => {
      onEnd = () => options.onFile?.(cleaned(facts));
    };
    const clean = function* (piece: Extracted, isLast = false): Generator<string> {
      const trim = trimmer;
      const texts = trim === null ? piece.texts : piece.texts.map((text) => trim.push(text, isLast));
      for (const text of cleaner.push({ ...piece, texts })) {
        unreadable += text.split('\ufffd').length - 1;
        yield text;
      }
    };
    try {
      for await (const piece of extract(file, source, { ...options, onDetected, onFile })) {
        for (const text of clean(piece)) yield { text, bytesRead: before + piece.fileBytes };
      }
      before += source.byteLength;
      const last = { texts: trimmer === null ? [] : [''], continues: true, fileBytes: source.byteLength };
      for (const text of clean(last, true)) yield { text, bytesRead: before };
      for (const text of cleaner.end()) yield { text, bytesRead: before };
      onEnd();
    } finally {
      source.close();
    }
  }
}

/** Formats of many texts, which are cleaned by whoever wrote them. */
const inParts = new Set<InputFacts['format']>(['lines', 'json', 'subtitles', 'Parquet']);

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
  const isCounted = inputs.some((facts) => facts.records !== null);
  const records = inputs.reduce((sum, facts) => sum + (facts.records ?? 0), 0);
  const notes = cleanings.flatMap((note) => {
    const count = inputs.reduce((sum, facts) => sum + (facts.notes[note] ?? 0), 0);
    return count === 0 ? [] : [localized(`texts.note.${note}`, { count })];
  });
  return localized('texts.inputs', {
    files: inputs.length,
    kinds: [...kinds.values()],
    records: isCounted ? localized('texts.records', { records }) : null,
    notes,
  });
}
