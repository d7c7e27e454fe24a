/** Extracts the texts of one identified file: plain text, records or Parquet, as it is or packed, or a document. */
import { isCleaned, keptBefore } from '../../../../shared/config/data.js';
import type { DocumentKind } from '../../../../shared/config/file-kinds.js';
import { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { firstBytes } from '../../../formats/byte-source.js';
import type { OpenFile } from '../../disk/file-bytes.js';
import type { Extracted } from '../clean.js';
import type { Notes } from '../clean/findings.js';
import { HEAD_BYTES, identify, type Identity, labelOf, type Packing } from '../identify.js';
import { TextDecoding } from './decode.js';
import { MAX_SURVEY, Survey } from './encoding.js';
import { readInWorker, reasonOf } from './in-worker.js';
import { WhatsApp } from './chats.js';
import { DEFAULT_TEXT_FIELD } from './choice.js';
import { JsonRecords } from './json-records.js';
import { type Findings, Subtitles, type TextReader } from './lines.js';
import { TableReader } from './table.js';
import { damagedDocument, damagedParquet, documentNames, type DocumentPiece, type ParquetTexts } from './pieces.js';
import { type Chunk, unpackedChunks } from './unpack.js';

/** What a file was identified as. */
export interface InputFacts extends Findings {
  readonly file: string;
  readonly format:
    | Exclude<Identity['kind'], 'document' | 'packed' | 'parquet'>
    | 'Parquet'
    | (typeof documentNames)[DocumentKind];
  readonly packing: Packing | null;
  /** Null for a document that declares its own. */
  readonly encoding: string | null;
  /** Number of texts in it; null for plain text, which is one. */
  readonly records: number | null;
  /** What was cleaned. */
  readonly notes: Notes;
  /** Characters that could not be read. */
  readonly unreadable: number;
}

export interface ExtractOptions {
  /** Column of a table, or speakers of a chat. */
  readonly textField?: string | undefined;
  readonly pieceBytes?: number;
  /** What is not cleaned; left out: what earlier versions did not clean. */
  readonly keep?: string | undefined;
  /** Called when a file is identified, and after each piece; its texts are not counted yet. */
  readonly onDetected?: (facts: InputFacts) => void;
  readonly onFile?: (facts: InputFacts) => void;
}

const PIECE_BYTES = 1 << 20;
/** A Parquet dictionary can name the same text again and again. */
const MAX_EXPANSION = 50;
const FREE_UNITS = 1 << 25;

interface Input {
  readonly file: string;
  readonly source: OpenFile;
  readonly packing: Packing | null;
  readonly chunks: AsyncGenerator<Chunk>;
  readonly textField: string;
  readonly survey: () => Promise<Survey>;
  readonly note: (more: Partial<InputFacts>) => void;
}

/** @throws UserError `text_encoding`, `file_damaged`, `bad_input`, `text_too_short` */
export async function* extract(file: string, source: OpenFile, options: ExtractOptions): AsyncGenerator<Extracted> {
  const { textField = DEFAULT_TEXT_FIELD, pieceBytes = PIECE_BYTES } = options;
  const outer = identify(firstBytes(source, HEAD_BYTES), file);
  const packing = outer.kind === 'packed' ? outer.packing : null;
  const whole = unpackedChunks(file, source, packing, pieceBytes);
  const { head, chunks } = packing === null ? { head: null, chunks: whole } : await withHead(whole);
  const found = head === null ? outer : identify(head, file, packing);
  const isPlain = found.kind === 'subtitles' && !isCleaned(options.keep ?? keptBefore, 'times');
  const identity: Identity = isPlain ? { ...found, kind: 'plain' } : found;
  let facts: InputFacts = { file, packing, records: null, notes: {}, unreadable: 0, ...formatOf(identity) };
  options.onDetected?.(facts);
  const note = (more: Partial<InputFacts>): void => void (facts = { ...facts, ...more });
  const survey = () => surveyOf(unpackedChunks(file, source, packing, pieceBytes), facts.encoding ?? 'UTF-8');
  let records = 0;
  for await (const piece of textsOf(identity, { file, source, packing, chunks, textField, survey, note })) {
    records += piece.texts.length;
    options.onDetected?.(facts);
    yield piece;
  }
  const hasRecords = ['parquet', 'lines', 'json', 'table', 'chat'].includes(identity.kind);
  options.onFile?.({ ...facts, records: hasRecords ? records : null });
}

async function surveyOf(chunks: AsyncGenerator<Chunk>, encoding: string): Promise<Survey> {
  const survey = new Survey(encoding);
  let length = 0;
  for await (const { bytes } of chunks) {
    survey.push(bytes);
    length += bytes.length;
    if (length > MAX_SURVEY) break;
  }
  return survey;
}

function formatOf(identity: Identity): Pick<InputFacts, 'format' | 'encoding'> {
  if (identity.kind === 'document') return { format: documentNames[identity.format], encoding: null };
  if (identity.kind === 'parquet') return { format: 'Parquet', encoding: 'UTF-8' };
  if (identity.kind === 'packed') throw new Error('a packed file was not unpacked');
  return { format: identity.kind, encoding: identity.encoding };
}

function textsOf(identity: Identity, input: Input): AsyncGenerator<Extracted> {
  const { file, packing } = input;
  switch (identity.kind) {
    case 'document':
      return documentTexts(identity.format, input);
    case 'parquet':
      if (packing !== null) throw damagedParquet(file, localized('extract.parquet_packed', { packing }));
      return parquetTexts(input);
    case 'packed':
      throw new Error('a packed file was not unpacked');
  }
  const label = labelOf(file, packing);
  const decoding = new TextDecoding(label, identity.encoding, identity.mark, input.survey);
  if (identity.kind === 'plain') return decodedTexts(decoding, null, input);
  return decodedTexts(decoding, readerOf(identity.kind, label, input), input);
}

function readerOf(kind: InputFacts['format'], label: string | Message, { file, textField }: Input): TextReader {
  if (kind === 'subtitles') return new Subtitles();
  if (kind === 'chat') return new WhatsApp(label, textField);
  if (kind === 'table') return new TableReader(label, textField, /\.tsv\b/i.test(file) ? '\t' : undefined);
  return new JsonRecords(label, textField, kind === 'lines');
}

/** @param reader null for plain text, whose pieces continue one another */
async function* decodedTexts(
  decoding: TextDecoding,
  reader: TextReader | null,
  input: Input,
): AsyncGenerator<Extracted> {
  let [continues, fileBytes] = [false, 0];
  const pieceOf = (text: string, isLast = false): Extracted => {
    const texts = reader === null ? [text] : [...reader.push(text), ...(isLast ? reader.end() : [])];
    input.note({ encoding: decoding.name, ...reader?.findings?.() });
    const piece = { texts, continues, fileBytes };
    continues = reader === null;
    return piece;
  };
  for await (const chunk of input.chunks) {
    const text = await decoding.push(chunk.bytes);
    // Bytes held for the next piece do not count as read.
    fileBytes = input.packing === null && reader === null ? decoding.position : chunk.fileBytes;
    yield pieceOf(text);
  }
  yield pieceOf(await decoding.end(), true);
}

/** @throws UserError `file_damaged`; `text_too_short` for a document without text */
async function* documentTexts(format: DocumentKind, { file, source, note }: Input): AsyncGenerator<Extracted> {
  const checkSize = expansionLimit(file, source.byteLength);
  let units = 0;
  try {
    for await (const { text, fileBytes, detected, omitted } of readInWorker<DocumentPiece>({ kind: format, file })) {
      if (detected !== undefined) note({ encoding: detected });
      if (omitted !== undefined) note({ omitted });
      checkSize(text.length);
      yield { texts: [text], continues: units > 0, fileBytes };
      units += text.length;
    }
  } catch (error) {
    throw error instanceof UserError ? error : damagedDocument(file, format, reasonOf(error), error);
  }
  if (units > 0) return;
  throw new UserError({
    code: 'text_too_short',
    message: localized('extract.holds_no_text', { file }),
    hint: localized('extract.may_hold_pictures_only_name'),
    field: 'data_path',
  });
}

async function* parquetTexts({ file, source, textField, note }: Input): AsyncGenerator<Extracted> {
  const checkSize = expansionLimit(file, source.byteLength);
  const reading = { kind: 'parquet', file, column: textField } as const;
  try {
    for await (const { texts, fileBytes, choice } of readInWorker<ParquetTexts>(reading)) {
      note({ choice });
      checkSize(texts.reduce((sum, text) => sum + text.length, 0));
      yield { texts, continues: false, fileBytes };
    }
  } catch (error) {
    throw error instanceof UserError ? error : damagedParquet(file, reasonOf(error), error);
  }
}

/** Counts extracted text, and throws `bad_input` beyond what a file of that size may hold. */
function expansionLimit(file: string, byteLength: number): (units: number) => void {
  let total = 0;
  return (units) => {
    total += units;
    if (total <= FREE_UNITS + MAX_EXPANSION * byteLength) return;
    throw new UserError({
      code: 'bad_input',
      message: localized('extract.holds_more_times_size_text', { file, most: MAX_EXPANSION }),
      hint: localized('extract.says_same_again_again_write'),
      field: 'data_path',
    });
  };
}

/** Reads the head of some chunks, and returns all of the chunks with it. */
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
