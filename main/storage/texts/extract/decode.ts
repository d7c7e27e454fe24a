/** Decodes UTF-8 and UTF-16 by chunks; a fault names the first byte that is not text. */
import { isUtf8 } from 'node:buffer';
import type { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { type Encoding, notText, TOKEN_FILES } from '../identify.js';

/** Half of a pair, which is no character. */
const HALF = /\p{Surrogate}/u;

/** Decodes chunks of bytes; each returned text ends between characters. */
export class TextDecoding {
  /** Bytes decoded so far, a byte order mark included. */
  position = 0;
  private held: Buffer = Buffer.alloc(0);

  /** @param mark whether the text begins with a byte order mark, which is removed */
  constructor(
    private readonly file: string | Message,
    private readonly encoding: Encoding,
    private mark: boolean,
  ) {}

  /** @throws UserError `text_encoding` with the position of the byte that is not text */
  push(bytes: Buffer): string {
    const all = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    const length = wholeLength(all, this.encoding);
    this.held = Buffer.from(all.subarray(length));
    const text = this.decode(all.subarray(0, length));
    if (text === '' || !this.mark) return text;
    this.mark = false;
    return text.slice(1);
  }

  /** Refuses half a character at the end. @throws UserError `text_encoding` */
  end(): void {
    if (this.held.length > 0) this.decode(this.held);
  }

  private decode(bytes: Buffer): string {
    const start = this.position;
    this.position += bytes.length;
    const isWide = this.encoding !== 'UTF-8';
    if (isWide && bytes.length % 2 !== 0) {
      const hint = localized('extract.file_cut_short_use_another');
      throw notText(localized('texts.odd_utf16', this.at(start + bytes.length - 1)), hint);
    }
    const text = decoded(bytes, this.encoding);
    const invalid = isWide ? 2 * text.search(HALF) : isUtf8(bytes) ? -1 : firstInvalidUtf8(bytes);
    const zero = isWide ? 2 * text.indexOf('\0') : bytes.indexOf(0);
    if (zero >= 0 && (invalid < 0 || zero < invalid)) {
      throw this.notText(localized('texts.zero_byte', this.at(start + zero)), 'extract.name_plain_text_file_saved');
    }
    if (invalid < 0) return text;
    if (isWide)
      throw notText(localized('texts.invalid_utf16', this.at(start + invalid)), localized('extract.convert_to_utf_8'));
    const value = (bytes[invalid] ?? 0).toString(16).toUpperCase().padStart(2, '0');
    throw this.notText(
      localized('texts.invalid_utf8', { ...this.at(start + invalid), value }),
      'extract.save_file_utf_8_editor',
    );
  }

  private at(byte: number) {
    return { file: this.file, byte: String(byte) };
  }

  /** Token files are the usual mistake. */
  private notText(
    message: Message,
    hint: 'extract.name_plain_text_file_saved' | 'extract.save_file_utf_8_editor',
  ): UserError {
    const isBinary = typeof this.file === 'string' && this.file.endsWith('.bin');
    return notText(message, isBinary ? TOKEN_FILES : localized(hint));
  }
}

function decoded(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'UTF-8') return bytes.toString('utf8');
  return (encoding === 'UTF-16BE' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

function wholeLength(bytes: Buffer, encoding: Encoding): number {
  if (encoding === 'UTF-8') return wholeUtf8(bytes);
  const even = bytes.length - (bytes.length % 2);
  const last = even < 2 ? 0 : encoding === 'UTF-16BE' ? bytes.readUInt16BE(even - 2) : bytes.readUInt16LE(even - 2);
  return (last & 0xfc00) === 0xd800 ? even - 2 : even;
}

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

/** Finds the first ill-formed sequence (Unicode 15, table 3-7), or -1. */
export function firstInvalidUtf8(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length;) {
    const lead = bytes[i] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0) return i;
    for (let k = 1; k < length; k++) {
      const byte = bytes[i + k] ?? 0;
      const least = k > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      const most = k > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      if (byte < least || byte > most) return i;
    }
    i += length;
  }
  return -1;
}
