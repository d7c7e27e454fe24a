/** Text as the numbers it is made of: UTF-16 units, code points, and their UTF-8 bytes. */

/** The code point at `index`; half a character is its own. */
export function codeAt(units: Uint16Array, index: number): number {
  const unit = units[index] ?? 0;
  if ((unit & 0xfc00) !== 0xd800) return unit;
  const low = units[index + 1] ?? 0;
  return (low & 0xfc00) === 0xdc00 ? 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : unit;
}

/** Writes a text's units to `into` at `at`, where there must be room. */
export function writeUnits(text: string, into: Uint16Array, at: number): void {
  for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
}

/**
 * Writes the UTF-8 of [start, end) to `into`, three bytes a unit at most; half a character becomes U+FFFD.
 * @returns how many bytes
 */
export function writeUtf8(units: Uint16Array, start: number, end: number, into: Uint8Array): number {
  let n = 0;
  for (let i = start; i < end; i++) {
    let code = units[i] ?? 0;
    if (code < 0x80) {
      into[n++] = code;
      continue;
    }
    if ((code & 0xf800) === 0xd800) {
      const whole = i + 1 < end ? codeAt(units, i) : code;
      if (whole > 0xffff) {
        i++;
        into[n++] = 0xf0 | (whole >> 18);
        into[n++] = 0x80 | ((whole >> 12) & 0x3f);
        into[n++] = 0x80 | ((whole >> 6) & 0x3f);
        into[n++] = 0x80 | (whole & 0x3f);
        continue;
      }
      code = 0xfffd;
    }
    if (code < 0x800) into[n++] = 0xc0 | (code >> 6);
    else {
      into[n++] = 0xe0 | (code >> 12);
      into[n++] = 0x80 | ((code >> 6) & 0x3f);
    }
    into[n++] = 0x80 | (code & 0x3f);
  }
  return n;
}
