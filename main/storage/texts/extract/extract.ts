/** Extracts the texts of one identified file: plain text, JSON Lines or Parquet, as it is or packed, or a document. */
import type { DocumentKind } from '../../../../shared/config/file-kinds.js';
import { UserError } from '../../../../shared/errors.js';
import { localized } from '../../../../shared/messages/message.js';
import { firstBytes } from '../../../formats/byte-source.js';
import type { OpenFile } from '../../disk/file-bytes.js';
import type { Extracted } from '../clean.js';
import { type Encoding, HEAD_BYTES, identify, type Identity, labelOf, type Packing } from '../identify.js';
import { TextDecoding } from './decode.js';
import { readInWorker, reasonOf } from './in-worker.js';
import { JsonRecords } from './json-records.js';
import { damagedDocument, damagedParquet, documentNames, type DocumentPiece, type ParquetTexts } from './pieces.js';
import { type Chunk, unpackedChunks } from './unpack.js';

/** What a file was identified as. */
export interface InputFacts {
  readonly file: string;
  readonly format: 'plain' | 'jsonl' | 'Parquet' | (typeof documentNames)[DocumentKind];
  readonly packing: Packing | null;
  /** Null for a document, which declares its own. */
  readonly encoding: Encoding | null;
  /** Number of texts in it; null for plain text, which is one. */
  readonly records: number | null;
}

export interface ExtractOptions {
  /** Field of JSON Lines or column of Parquet files that holds the text. */
  readonly textField?: string | undefined;
  readonly pieceBytes?: number;
  /** Called when a file is identified; its texts are not counted yet. */
  readonly onDetected?: (facts: InputFacts) => void;
  readonly onFile?: (facts: InputFacts) => void;
}

const DEFAULT_TEXT_FIELD = 'text';
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
}

/** @throws UserError `text_encoding`, `file_damaged`, `bad_input`, `text_too_short` */
export async function* extract(file: string, source: OpenFile, options: ExtractOptions): AsyncGenerator<Extracted> {
  const { textField = DEFAULT_TEXT_FIELD, pieceBytes = PIECE_BYTES } = options;
  const outer = identify(firstBytes(source, HEAD_BYTES), file);
  const packing = outer.kind === 'packed' ? outer.packing : null;
  const whole = unpackedChunks(file, source, packing, pieceBytes);
  const { head, chunks } = packing === null ? { head: null, chunks: whole } : await withHead(whole);
  const identity = head === null ? outer : identify(head, file, packing);
  const facts = { file, packing, records: null, ...formatOf(identity) };
  options.onDetected?.(facts);
  let records = 0;
  for await (const piece of textsOf(identity, { file, source, packing, chunks, textField })) {
    records += piece.texts.length;
    yield piece;
  }
  const hasRecords = identity.kind === 'parquet' || identity.kind === 'records';
  options.onFile?.({ ...facts, records: hasRecords ? records : null });
}

function formatOf(identity: Identity): Pick<InputFacts, 'format' | 'encoding'> {
  if (identity.kind === 'document') return { format: documentNames[identity.format], encoding: null };
  if (identity.kind === 'parquet') return { format: 'Parquet', encoding: 'UTF-8' };
  const encoding = identity.kind === 'packed' ? null : identity.encoding;
  return { format: identity.kind === 'records' ? 'jsonl' : 'plain', encoding };
}

function textsOf(identity: Identity, input: Input): AsyncGenerator<Extracted> {
  const { file, packing } = input;
  switch (identity.kind) {
    case 'document':
      return documentTexts(identity.format, input);
    case 'parquet':
      if (packing !== null) throw damagedParquet(file, localized('extract.parquet_packed', { packing }));
      return parquetTexts(input);
    case 'records':
      return recordTexts(new TextDecoding(labelOf(file, packing), identity.encoding, identity.mark), input);
    case 'plain':
      return plainTexts(new TextDecoding(labelOf(file, packing), identity.encoding, identity.mark), input);
    case 'packed':
      throw new Error('a packed file was not unpacked');
  }
}

async function* plainTexts(decoding: TextDecoding, { chunks, packing }: Input): AsyncGenerator<Extracted> {
  let continues = false;
  for await (const chunk of chunks) {
    const texts = [decoding.push(chunk.bytes)];
    // Bytes held for the next piece do not count as read.
    yield { texts, continues, fileBytes: packing === null ? decoding.position : chunk.fileBytes };
    continues = true;
  }
  decoding.end();
}

async function* recordTexts(decoding: TextDecoding, input: Input): AsyncGenerator<Extracted> {
  const records = new JsonRecords(labelOf(input.file, input.packing), input.textField);
  let fileBytes = 0;
  for await (const chunk of input.chunks) {
    fileBytes = chunk.fileBytes;
    yield { texts: records.push(decoding.push(chunk.bytes)), continues: false, fileBytes };
  }
  decoding.end();
  yield { texts: records.end(), continues: false, fileBytes };
}

/** @throws UserError `file_damaged`; `text_too_short` for a document without text */
async function* documentTexts(format: DocumentKind, { file, source }: Input): AsyncGenerator<Extracted> {
  const checkSize = expansionLimit(file, source.byteLength);
  let units = 0;
  try {
    for await (const { text, fileBytes } of readInWorker<DocumentPiece>({ kind: format, file })) {
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

async function* parquetTexts({ file, source, textField }: Input): AsyncGenerator<Extracted> {
  const checkSize = expansionLimit(file, source.byteLength);
  const reading = { kind: 'parquet', file, column: textField } as const;
  try {
    for await (const { texts, fileBytes } of readInWorker<ParquetTexts>(reading)) {
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
