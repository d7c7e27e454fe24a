/** Decodes UTF-8 and UTF-16 by chunks; a fault names the first byte that is not text. */
import { localized } from '../../../../shared/messages/message.js';
import { isUtf8 } from 'node:buffer';
import type { UserError } from '../../../../shared/errors.js';
import { type Encoding, notText, TOKEN_FILES } from '../identify.js';

/** Decodes chunks of bytes; each returned text ends between characters. */
export class TextDecoding {
  /** Bytes decoded so far, a byte order mark included. */
  position = 0;
  private held: Buffer = Buffer.alloc(0);
  private readonly encoding: Encoding;
  private skip: number;

  /** @param name of the text in messages: a file, or what is packed in it */
  constructor(
    private readonly name: string,
    { encoding, mark }: { readonly encoding: Encoding; readonly mark: number },
  ) {
    [this.encoding, this.skip] = [encoding, mark];
  }

  /** @throws UserError `text_encoding` with the position of the byte that is not text */
  push(bytes: Buffer): string {
    const skipped = Math.min(this.skip, bytes.length);
    this.skip -= skipped;
    this.position += skipped;
    const fresh = bytes.subarray(skipped);
    const all = this.held.length === 0 ? fresh : Buffer.concat([this.held, fresh]);
    const length = this.encoding === 'UTF-8' ? wholeUtf8(all) : wholeUtf16(all, this.encoding);
    this.held = Buffer.from(all.subarray(length));
    return this.decode(all.subarray(0, length));
  }

  /** Refuses half a character at the end. @throws UserError `text_encoding` */
  end(): void {
    if (this.held.length > 0) this.decode(this.held);
  }

  private decode(bytes: Buffer): string {
    const { name, position, encoding } = this;
    this.position += bytes.length;
    return encoding === 'UTF-8' ? decodeUtf8(name, bytes, position) : decodeUtf16(name, bytes, position, encoding);
  }
}

/** Returns the length of the whole characters in `bytes`, if more may follow. */
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

function decodeUtf8(name: string, bytes: Buffer, position: number): string {
  const zero = bytes.indexOf(0);
  if (!isUtf8(bytes)) {
    const at = firstInvalidUtf8(bytes);
    if (zero === -1 || zero > at) {
      const value = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
      throw notText(
        `${name} is not valid UTF-8: byte ${position + at} (0x${value}) cannot be part of a character`,
        name.endsWith('.bin') ? TOKEN_FILES : localized('extract.save_file_utf_8_editor'),
      );
    }
  }
  if (zero !== -1) throw binary(name, position + zero);
  return bytes.toString('utf8');
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

const unitAt = (bytes: Buffer, i: number, encoding: Encoding): number =>
  encoding === 'UTF-16BE' ? bytes.readUInt16BE(i) : bytes.readUInt16LE(i);

function wholeUtf16(bytes: Buffer, encoding: Encoding): number {
  const even = bytes.length - (bytes.length % 2);
  return even >= 2 && (unitAt(bytes, even - 2, encoding) & 0xfc00) === 0xd800 ? even - 2 : even;
}

function decodeUtf16(name: string, bytes: Buffer, position: number, encoding: Encoding): string {
  if (bytes.length % 2 !== 0) {
    throw notText(
      `${name} is UTF-16 of an odd number of bytes: byte ${position + bytes.length - 1} is half a character`,
      localized('extract.file_cut_short_use_another'),
    );
  }
  for (let i = 0; i < bytes.length; i += 2) {
    const unit = unitAt(bytes, i, encoding);
    if (unit === 0) throw binary(name, position + i);
    if ((unit & 0xf800) !== 0xd800) continue;
    const isPair = unit < 0xdc00 && i + 3 < bytes.length && (unitAt(bytes, i + 2, encoding) & 0xfc00) === 0xdc00;
    if (!isPair) {
      throw notText(
        `${name} is not valid UTF-16: byte ${position + i} begins half a character`,
        localized('extract.convert_to_utf_8'),
      );
    }
    i += 2;
  }
  return (encoding === 'UTF-16BE' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

function binary(name: string, at: number): UserError {
  return notText(
    `${name} is not text: byte ${at} is zero`,
    name.endsWith('.bin') ? TOKEN_FILES : localized('extract.name_plain_text_file_saved'),
  );
}
