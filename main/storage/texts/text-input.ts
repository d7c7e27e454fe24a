/**
 * The text in some files, a piece at a time, so that a corpus may be larger than memory: plain text, JSON Lines or
 * Parquet, as it is or packed. Several files, and the records of one, are one text: each begins on a new line. Line ends
 * become "\n", as in Python's open(), which nanoGPT's prepare.py uses; unlike there, a byte order mark is no text.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type DocumentKind, documentKindOf, isJsonLines } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { firstBytes } from '../../formats/byte-source.js';
import { fileSize, type OpenFile, openFile } from '../disk/file-bytes.js';
import { makeTemporaryFolder } from '../disk/temporary-folder.js';
import { damagedDocument, documentNames, type DocumentPiece } from './documents/kinds.js';
import { readInWorker } from './hostile-file.js';
import { JsonRecords } from './json-records.js';
import { damagedParquet, isParquet, type ParquetTexts } from './parquet-file.js';
import { type Encoding, HEAD_BYTES, TextDecoding } from './text-encoding.js';
import { type Chunk, type Packing, packingOf, unpackedChunks } from './unpack.js';

export interface TextPiece {
  /** Never empty, and never ends within a character or a line end. */
  readonly text: string;
  /** How much has been read, in bytes of all the files together. */
  readonly bytesRead: number;
}

/** What a file turned out to be. */
export interface InputFacts {
  readonly file: string;
  readonly format: 'plain text' | 'JSON Lines' | 'Parquet' | (typeof documentNames)[DocumentKind];
  readonly packing: Packing | null;
  /** Null for a document, which has its own. */
  readonly encoding: Encoding | null;
  /** Texts in it; null for plain text, which is one. */
  readonly records: number | null;
}

export interface ReadTextOptions {
  /** The field or column of JSON Lines and Parquet files that holds the text. */
  readonly textField?: string | undefined;
  /** How much is read at a time. */
  readonly pieceBytes?: number;
  /** Called when it is clear what a file is; its texts have not been counted then. */
  readonly onDetected?: (facts: InputFacts) => void;
  /** Called when a file has been read to its end. */
  readonly onFile?: (facts: InputFacts) => void;
}

const DEFAULT_TEXT_FIELD = 'text';
const PIECE_BYTES = 1 << 20;
/** Short records are handed on in smaller pieces, as the list of them is larger than they are. */
const MAX_RECORDS = 1 << 15;
/** A Parquet dictionary can name the same text again and again. */
const MAX_EXPANSION = 50;
const FREE_UNITS = 1 << 25;

/** Some of a file's text. */
interface Part {
  readonly text: string;
  /** A file or record begins here. */
  readonly begins: boolean;
  readonly fileBytes: number;
}

/**
 * The text of some files, in their order, piece by piece.
 * @throws UserError `text_encoding`, `file_damaged`, `bad_input`, `file_not_found`, `file_not_readable`
 */
export async function* readTexts(files: readonly string[], options: ReadTextOptions = {}): AsyncGenerator<TextPiece> {
  let before = 0;
  let endsLine = true;
  for (const file of files) {
    const source = openFile(file);
    try {
      for await (const { text, begins, fileBytes } of fileText(file, source, options)) {
        if (text === '') continue;
        yield { text: begins && !endsLine ? `\n${text}` : text, bytesRead: before + fileBytes };
        endsLine = text.endsWith('\n');
      }
      before += source.byteLength;
    } finally {
      source.close();
    }
  }
}

/** What `readTexts` found, in a few words: `JSON Lines, gzip, UTF-8, 120 texts`. */
export function describeInputs(inputs: readonly InputFacts[]): string {
  const kinds = inputs.map(({ format, packing, encoding }) => [format, packing, encoding].filter(Boolean).join(', '));
  const records = inputs.reduce((sum, facts) => sum + (facts.records ?? 0), 0);
  const count = inputs.length > 1 ? `${inputs.length} files: ` : '';
  const texts = inputs.some((facts) => facts.records !== null) ? `, ${records.toLocaleString('en-US')} texts` : '';
  return `${count}${[...new Set(kinds)].join('; ')}${texts}`;
}

async function* fileText(file: string, source: OpenFile, options: ReadTextOptions): AsyncGenerator<Part> {
  const { textField = DEFAULT_TEXT_FIELD, pieceBytes = PIECE_BYTES } = options;
  const document = documentKindOf(file);
  if (document !== null) {
    yield* documentParts(file, source.byteLength, document, options);
    return;
  }
  const packing = packingOf(firstBytes(source, 4));
  const { head, chunks } = await withHead(unpackedChunks(file, source, packing, pieceBytes));
  const name = packing === null ? file : `what is packed in ${file}`;
  type Found = Pick<InputFacts, 'format' | 'encoding' | 'records'>;
  const detected = (found: Found): void => options.onDetected?.({ file, packing, ...found });
  const tell = (found: Found): void => options.onFile?.({ file, packing, ...found });

  if (isParquet(head)) {
    detected({ format: 'Parquet', encoding: 'UTF-8', records: null });
    let records = 0;
    const all =
      packing === null
        ? parquetParts(file, file, source.byteLength, textField)
        : spooled(file, source, chunks, textField);
    for await (const { part, count } of all) {
      records += count;
      yield part;
    }
    tell({ format: 'Parquet', encoding: 'UTF-8', records });
    return;
  }
  const decoding = new TextDecoding(name, head);
  const lines = new LineEnds();
  if (isJsonLines(file)) {
    const records = new JsonRecords(name, textField);
    detected({ format: 'JSON Lines', encoding: decoding.encoding, records: null });
    let fileBytes = 0;
    for await (const chunk of chunks) {
      fileBytes = chunk.fileBytes;
      yield* recordParts(records.push(lines.push(decoding.push(chunk.bytes))), fileBytes);
    }
    decoding.end();
    yield* recordParts([...records.push(lines.end()), ...records.end()], fileBytes);
    tell({ format: 'JSON Lines', encoding: decoding.encoding, records: records.count });
    return;
  }
  detected({ format: 'plain text', encoding: decoding.encoding, records: null });
  let begins = true;
  const part = (text: string, fileBytes: number): Part => {
    const result = { text, begins, fileBytes };
    begins &&= text === '';
    return result;
  };
  for await (const chunk of chunks) {
    // Of a plain file, what is held back for the next piece does not count as read.
    const text = lines.push(decoding.push(chunk.bytes));
    yield part(text, packing === null ? decoding.position : chunk.fileBytes);
  }
  decoding.end();
  yield part(lines.end(), source.byteLength);
  tell({ format: 'plain text', encoding: decoding.encoding, records: null });
}

/** @throws UserError `file_damaged`; `text_too_short` when there is nothing to read in it */
async function* documentParts(
  file: string,
  byteLength: number,
  format: DocumentKind,
  options: ReadTextOptions,
): AsyncGenerator<Part> {
  const facts: InputFacts = { file, format: documentNames[format], packing: null, encoding: null, records: null };
  options.onDetected?.(facts);
  let units = 0;
  try {
    for await (const { text, fileBytes } of readInWorker<DocumentPiece>({ kind: 'document', file, format })) {
      const begins = units === 0;
      units += text.length;
      if (units > FREE_UNITS + MAX_EXPANSION * byteLength) throw expands(file);
      yield { text, begins, fileBytes };
    }
  } catch (error) {
    throw error instanceof UserError ? error : damagedDocument(file, format, (error as Error).message, error);
  }
  if (units === 0) {
    throw new UserError({
      code: 'text_too_short',
      message: `${file} holds no text`,
      hint: 'It may hold pictures only; name a document with text in it.',
      field: 'data_path',
    });
  }
  options.onFile?.(facts);
}

/** The first bytes of some chunks, and all of the chunks. */
async function withHead(chunks: AsyncGenerator<Chunk>): Promise<{ head: Buffer; chunks: AsyncGenerator<Chunk> }> {
  const first: Chunk[] = [];
  for (let length = 0; length < HEAD_BYTES;) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    first.push(value);
    length += value.bytes.length;
  }
  async function* all(): AsyncGenerator<Chunk> {
    try {
      yield* first;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  }
  return { head: Buffer.concat(first.map(({ bytes }) => bytes)).subarray(0, HEAD_BYTES), chunks: all() };
}

/** "\r\n" and "\r" become "\n", also where one piece ends with the "\r" of the next one's "\n". */
class LineEnds {
  private held = '';

  push(piece: string): string {
    let text = this.held + piece;
    this.held = '';
    if (text.endsWith('\r')) {
      this.held = '\r';
      text = text.slice(0, -1);
    }
    return plainLineEnds(text);
  }

  end(): string {
    return this.held === '' ? '' : '\n';
  }
}

/** A regular expression takes ten times the memory where there are many. */
const plainLineEnds = (text: string): string =>
  text.includes('\r') ? text.split('\r\n').join('\n').split('\r').join('\n') : text;

/** Records as a text, each on a line of its own, in pieces of a reasonable size. */
function* recordParts(texts: readonly string[], fileBytes: number): Generator<Part> {
  let all: string[] = [];
  let length = 0;
  const part = (): Part => {
    const text = all.join('');
    [all, length] = [[], 0];
    return { text, begins: true, fileBytes };
  };
  for (const raw of texts) {
    const text = plainLineEnds(raw);
    if (text === '') continue;
    if (all.at(-1)?.endsWith('\n') === false) all.push('\n');
    all.push(text);
    length += text.length;
    if (length >= PIECE_BYTES || all.length >= MAX_RECORDS) yield part();
  }
  if (length > 0) yield part();
}

interface RecordPart {
  readonly part: Part;
  /** Records that have been read since the part before. */
  readonly count: number;
}

/** @param place where it lies, of which `file` is the name in messages */
async function* parquetParts(
  file: string,
  place: string,
  byteLength: number,
  column: string,
): AsyncGenerator<RecordPart> {
  let units = 0;
  try {
    for await (const { texts, fileBytes } of readInWorker<ParquetTexts>({ kind: 'parquet', file: place, column })) {
      let count = texts.length;
      for (const part of recordParts(texts, fileBytes)) {
        units += part.text.length;
        if (units > FREE_UNITS + MAX_EXPANSION * byteLength) throw expands(file);
        yield { part, count };
        count = 0;
      }
    }
  } catch (error) {
    throw error instanceof UserError ? error : damagedParquet(file, (error as Error).message, error);
  }
}

function expands(file: string): UserError {
  return new UserError({
    code: 'bad_input',
    message: `${file} holds more than ${MAX_EXPANSION} times its size in text: that is not ordinary text`,
    hint: 'It says the same again and again; write the texts you want to another file.',
    field: 'data_path',
  });
}

/** Parquet is read by position, so a packed one is unpacked to a temporary file first. */
async function* spooled(
  file: string,
  packed: OpenFile,
  chunks: AsyncGenerator<Chunk>,
  field: string,
): AsyncGenerator<RecordPart> {
  const folder = makeTemporaryFolder('unpacked');
  const unpacked = path.join(folder.path, 'unpacked.parquet');
  try {
    for await (const { bytes } of chunks) onFile(unpacked, 'temporary', () => fs.appendFileSync(unpacked, bytes));
    const byteLength = fileSize(unpacked);
    const scale = packed.byteLength / byteLength;
    for await (const { part, count } of parquetParts(file, unpacked, byteLength, field)) {
      yield { part: { ...part, fileBytes: part.fileBytes * scale }, count };
    }
  } finally {
    folder.remove();
  }
}
