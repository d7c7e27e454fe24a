/** Reads files as one text, piece by piece: identify, extract, clean (README.md). */
import { localized, type Message } from '../../../shared/messages/message.js';
import { openFile } from '../disk/file-bytes.js';
import { Cleaner } from './clean.js';
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
    try {
      for await (const piece of extract(file, source, options)) {
        for (const text of cleaner.push(piece)) yield { text, bytesRead: before + piece.fileBytes };
      }
      before += source.byteLength;
      for (const text of cleaner.end()) yield { text, bytesRead: before };
    } finally {
      source.close();
    }
  }
}

/** Describes inputs: `JSON Lines, gzip, UTF-8, 120 texts`. */
export function describeInputs(inputs: readonly InputFacts[]): Message {
  const kinds = new Map(
    inputs.map(({ format, packing, encoding }) => {
      const details = [packing, encoding].filter((one) => one !== null).join(', ');
      return [`${format} ${details}`, localized('texts.input', { format, details })];
    }),
  );
  const isCounted = inputs.some((facts) => facts.records !== null);
  const records = inputs.reduce((sum, facts) => sum + (facts.records ?? 0), 0);
  return localized('texts.inputs', {
    files: inputs.length,
    kinds: [...kinds.values()],
    records: isCounted ? localized('texts.records', { records }) : null,
  });
}
