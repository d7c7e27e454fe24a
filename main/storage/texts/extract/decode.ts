/** Decodes the bytes of a text by chunks, and converts other encodings than UTF-8 and UTF-16. */
import { isUtf8 } from 'node:buffer';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { type Encoding, notText, TOKEN_FILES } from '../identify.js';
import { decoderOf, firstInvalidUtf8, type Survey } from './encoding.js';

/** Decodes chunks of bytes; each returned text ends between characters. */
export class TextDecoding {
  /** Bytes decoded so far, a byte order mark included. */
  position = 0;
  /** Encoding of the text, as far as is known. */
  name: string;
  private decode: (bytes?: Uint8Array) => string;
  private held: Buffer = Buffer.alloc(0);
  private isSurveyed = false;
  private isFirst = true;

  /**
   * @param isMarked whether the text begins with a byte order mark, which is removed
   * @param survey reads the whole text, from its beginning, to choose its encoding
   */
  constructor(
    private readonly file: string | Message,
    encoding: Encoding,
    private readonly isMarked: boolean,
    private readonly survey: () => Promise<Survey>,
  ) {
    this.name = encoding;
    this.decode = decoderOf(encoding);
  }

  /** @throws UserError `text_encoding` with the position of the first byte that is not text */
  async push(bytes: Buffer): Promise<string> {
    const all = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    const length = this.name === 'UTF-8' ? wholeUtf8(all) : all.length;
    this.held = Buffer.from(all.subarray(length));
    const text = await this.take(all.subarray(0, length), false);
    if (text === '' || !this.isFirst) return text;
    this.isFirst = false;
    return this.isMarked ? text.slice(1) : text;
  }

  /** Decodes half a character at the end. @throws UserError `text_encoding` */
  end(): Promise<string> {
    return this.take(this.held, true);
  }

  private async take(bytes: Buffer, isLast: boolean): Promise<string> {
    const start = this.position;
    this.position += bytes.length;
    const decoded = (): string => this.decode(bytes) + (isLast ? this.decode() : '');
    let text = decoded();
    // A replacement character in valid UTF-8 is a character like any other.
    const isWhole = this.name === 'UTF-8' ? isUtf8(bytes) : !text.includes('\ufffd');
    if (!this.isSurveyed && (!isWhole || text.includes('\0'))) {
      this.isSurveyed = true;
      const chosen = (await this.survey()).choose();
      if (chosen === null || (this.isMarked && chosen !== this.name)) throw this.refusal(bytes, text, start);
      if (chosen !== this.name) {
        [this.name, this.decode] = [chosen, decoderOf(chosen)];
        text = decoded();
      }
    }
    return text.replaceAll('\0', '\ufffd');
  }

  private refusal(bytes: Buffer, text: string, start: number) {
    const isNarrow = this.name === 'UTF-8';
    const [invalid, zero] = isNarrow
      ? [firstInvalidUtf8(bytes), bytes.indexOf(0)]
      : [2 * text.indexOf('\ufffd'), 2 * text.indexOf('\0')];
    const isZero = zero >= 0 && (invalid < 0 || zero < invalid);
    const at = { file: this.file, byte: String(start + (isZero ? zero : invalid)) };
    const value = (bytes[invalid] ?? 0).toString(16).toUpperCase().padStart(2, '0');
    // Token files are the usual mistake.
    const isBin = typeof this.file === 'string' && this.file.endsWith('.bin');
    const hint = localized(isZero ? 'extract.name_plain_text_file_saved' : 'extract.convert_to_utf_8');
    const invalidText = isNarrow
      ? localized('texts.invalid_utf8', { ...at, value })
      : localized('texts.invalid_utf16', at);
    return notText(isZero ? localized('texts.zero_byte', at) : invalidText, isBin ? TOKEN_FILES : hint);
  }
}

/** Length without an unfinished character at the end. */
function wholeUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
