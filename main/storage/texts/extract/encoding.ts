/** Chooses the encoding of a text: UTF-8, though some bytes are damaged, or an older one that chardet recognizes. */
import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';

/** A survey reads no more of a file. */
export const MAX_SURVEY = 1 << 28;
const SAMPLE_BYTES = 1 << 16;
/** Bytes before the first that is not UTF-8: the language helps to recognize the encoding. */
const SAMPLE_BEFORE = 1 << 12;
/** Shares of a text above which it is none: bytes that are not UTF-8, zeros, and other control characters. */
const MAX_INVALID = 0.01;
const MAX_ZEROS = 0.001;
const MAX_CONTROLS = 0.005;
/** Percent of confidence up to which chardet only guesses. */
const GUESS = 10;

/** Counts the characters and the damage of a text. Push its bytes in order. */
export class Survey {
  private held: Buffer = Buffer.alloc(0);
  private bytes = 0;
  private characters = 0;
  private invalid = 0;
  private zeros = 0;
  private controls = 0;
  private sample: Buffer[] = [];
  private sampleBytes = 0;

  push(bytes: Uint8Array): void {
    const all = Buffer.concat([this.held, bytes]);
    const length = wholeUtf8(all);
    this.held = all.subarray(length);
    const whole = all.subarray(0, length);
    this.bytes += length;
    if (this.sampleBytes < SAMPLE_BYTES && (this.sampleBytes > 0 || !isUtf8(whole))) {
      const start = this.sampleBytes > 0 ? 0 : Math.max(0, firstInvalidUtf8(whole) - SAMPLE_BEFORE);
      const part = whole.subarray(start, start + SAMPLE_BYTES - this.sampleBytes);
      this.sampleBytes += part.length;
      this.sample.push(part);
    }
    const text = whole.toString('utf8');
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0xfffd) this.invalid++;
      else if (code > 0x7f) this.characters++;
      else if (code === 0) this.zeros++;
      else if (code < 9 || (code > 13 && code < 32 && code !== 0x1b)) this.controls++;
    }
  }

  /** Returns `UTF-8`, or the name of another encoding; null if the bytes are no text. */
  choose(): string | null {
    if (this.isBinary()) return null;
    // One last byte is a letter of an older encoding, more of them are a character that was cut.
    const invalid = this.characters === 0 && this.held.length === 1 ? this.invalid + 1 : this.invalid;
    if (this.characters < invalid) return legacyEncodingOf(Buffer.concat(this.sample));
    return invalid <= Math.max(1, MAX_INVALID * this.bytes) ? 'UTF-8' : null;
  }

  isBinary(): boolean {
    return this.zeros > MAX_ZEROS * this.bytes || this.controls > MAX_CONTROLS * this.bytes;
  }
}

function legacyEncodingOf(sample: Buffer): string {
  const best = analyse(sample).find(({ name }) => !/^(UTF|ASCII)/.test(name) && isKnown(name));
  if (best === undefined || best.confidence <= GUESS || best.name === 'ISO-8859-1') return 'windows-1252';
  return best.name;
}

export function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label) !== null;
  } catch {
    return false;
  }
}

/** Bytes 0x80 to 0x9F of Windows-1252. */
const C1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Returns a decoder of pieces, to be called without bytes at the end; what cannot be decoded becomes U+FFFD. */
export function decoderOf(label: string): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder(label);
  // Several versions of Node decode Windows-1252 as Latin-1 (nodejs/node issue 56542).
  if (decoder.encoding !== 'windows-1252')
    return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
  return (bytes = new Uint8Array()) =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\x80-\x9f]/g, (one) => C1.charAt(one.charCodeAt(0) - 0x80));
}

/** Length without an unfinished character at the end. */
export function wholeUtf8(bytes: Uint8Array): number {
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
