/** Decodes the bytes of a text by chunks, and converts other encodings than UTF-8 and UTF-16. */
import { isUtf8 } from 'node:buffer';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { type Encoding, notText, TOKEN_FILES } from '../identify.js';
import { decoderOf, firstInvalidUtf8, type Survey, wholeUtf8 } from './encoding.js';

/** Half of a pair, which is no character. */
const HALF = /\p{Surrogate}/u;

/** Decodes chunks of bytes; each returned text ends between characters. */
export class TextDecoding {
  /** Bytes decoded so far, a byte order mark included. */
  position = 0;
  private held: Buffer = Buffer.alloc(0);
  private readonly isMarked: boolean;
  /** Set once bytes that are not UTF-8 have been met. */
  private chosen: { readonly label: string; readonly decode: (bytes?: Uint8Array) => string } | null = null;

  /**
   * @param mark whether the text begins with a byte order mark, which is removed
   * @param survey reads the whole text, from its beginning, to choose its encoding
   */
  constructor(
    private readonly file: string | Message,
    private readonly encoding: Encoding,
    private mark: boolean,
    private readonly survey: () => Promise<Survey>,
  ) {
    this.isMarked = mark;
  }

  /** The encoding, for the user. */
  get name(): string {
    const label = this.chosen?.label ?? 'UTF-8';
    return label === 'UTF-8' ? this.encoding : label;
  }

  /** @throws UserError `text_encoding` with the position of the first byte that is not text */
  async push(bytes: Buffer): Promise<string> {
    const all = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    const length = wholeLength(all, this.encoding);
    this.held = Buffer.from(all.subarray(length));
    const text = await this.decode(all.subarray(0, length));
    if (text === '' || !this.mark) return text;
    this.mark = false;
    return text.slice(1);
  }

  /** Decodes half a character at the end. @throws UserError `text_encoding` */
  async end(): Promise<string> {
    const text = this.held.length > 0 ? await this.decode(this.held) : '';
    return text + (this.chosen?.decode() ?? '');
  }

  private async decode(bytes: Buffer): Promise<string> {
    const start = this.position;
    this.position += bytes.length;
    if (this.encoding !== 'UTF-8') return this.decodeUtf16(bytes, start);
    if (this.chosen === null) {
      if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8');
      const label = (await this.survey()).choose();
      if (label === null || (this.isMarked && label !== 'UTF-8')) throw this.refusal(bytes, start);
      this.chosen = { label, decode: decoderOf(label) };
    }
    return this.chosen.decode(bytes).replaceAll('\0', '\ufffd');
  }

  private decodeUtf16(bytes: Buffer, start: number): string {
    if (bytes.length % 2 !== 0) {
      const hint = localized('extract.file_cut_short_use_another');
      throw notText(localized('texts.odd_utf16', this.at(start + bytes.length - 1)), hint);
    }
    const text = (this.encoding === 'UTF-16BE' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
    const [half, zero] = [text.search(HALF), text.indexOf('\0')];
    if (zero >= 0 && (half < 0 || zero < half)) throw this.zeroByte(start + 2 * zero);
    if (half < 0) return text;
    throw notText(localized('texts.invalid_utf16', this.at(start + 2 * half)), localized('extract.convert_to_utf_8'));
  }

  private refusal(bytes: Buffer, start: number) {
    const [invalid, zero] = [firstInvalidUtf8(bytes), bytes.indexOf(0)];
    if (zero >= 0 && (invalid < 0 || zero < invalid)) return this.zeroByte(start + zero);
    const value = (bytes[invalid] ?? 0).toString(16).toUpperCase().padStart(2, '0');
    const message = localized('texts.invalid_utf8', { ...this.at(start + invalid), value });
    return notText(message, this.isBin() ? TOKEN_FILES : localized('extract.convert_to_utf_8'));
  }

  private zeroByte(byte: number) {
    const hint = this.isBin() ? TOKEN_FILES : localized('extract.name_plain_text_file_saved');
    return notText(localized('texts.zero_byte', this.at(byte)), hint);
  }

  private at(byte: number) {
    return { file: this.file, byte: String(byte) };
  }

  /** Token files are the usual mistake. */
  private isBin(): boolean {
    return typeof this.file === 'string' && this.file.endsWith('.bin');
  }
}

function wholeLength(bytes: Buffer, encoding: Encoding): number {
  if (encoding === 'UTF-8') return wholeUtf8(bytes);
  const even = bytes.length - (bytes.length % 2);
  const last = even < 2 ? 0 : encoding === 'UTF-16BE' ? bytes.readUInt16BE(even - 2) : bytes.readUInt16LE(even - 2);
  return (last & 0xfc00) === 0xd800 ? even - 2 : even;
}
