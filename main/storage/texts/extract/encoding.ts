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
  private readonly decode: (bytes?: Uint8Array) => string;
  private bytes = 0;
  private characters = 0;
  private invalid = 0;
  private zeros = 0;
  private controls = 0;
  private sample = Buffer.alloc(0);

  /** @param encoding that the text seems to have */
  constructor(private readonly encoding = 'UTF-8') {
    this.decode = decoderOf(encoding);
  }

  push(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (this.sample.length > 0) this.take(bytes);
    else if (!isUtf8(bytes)) this.take(bytes.subarray(Math.max(0, firstInvalidUtf8(bytes) - SAMPLE_BEFORE)));
    this.count(this.decode(bytes));
  }

  private take(bytes: Buffer): void {
    const missing = SAMPLE_BYTES - this.sample.length;
    if (missing > 0) this.sample = Buffer.concat([this.sample, bytes.subarray(0, missing)]);
  }

  private count(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0xfffd) this.invalid++;
      else if (code > 0x7f) this.characters++;
      else if (code === 0) this.zeros++;
      else if (code < 9 || (code > 13 && code < 32 && code !== 0x1b)) this.controls++;
    }
  }

  /** Call once: returns the encoding, or another if it was UTF-8; null if the bytes are no text. */
  choose(): string | null {
    this.count(this.decode());
    if (this.isBinary()) return null;
    if (this.encoding === 'UTF-8' && this.characters < this.invalid) return legacyEncodingOf(this.sample);
    return this.invalid <= Math.max(1, MAX_INVALID * this.bytes) ? this.encoding : null;
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
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/** Bytes 0x80 to 0x9F of Windows-1252. */
const C1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Returns a decoder of pieces, to be called without bytes at the end; what cannot be decoded becomes U+FFFD. */
export function decoderOf(label: string): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  // Several versions of Node decode Windows-1252 as Latin-1 (nodejs/node issue 56542).
  if (decoder.encoding !== 'windows-1252')
    return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
  return (bytes = new Uint8Array()) =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\x80-\x9f]/g, (one) => C1.charAt(one.charCodeAt(0) - 0x80));
}

/** Finds the first ill-formed sequence (Unicode 15, table 3-7), or -1. */
export function firstInvalidUtf8(bytes: Buffer): number {
  const [first = '', ...parts] = bytes.toString('utf8').split('\ufffd');
  let at = Buffer.byteLength(first);
  for (const part of parts) {
    if (bytes.toString('hex', at, at + 3) !== 'efbfbd') return at;
    at += 3 + Buffer.byteLength(part);
  }
  return -1;
}
