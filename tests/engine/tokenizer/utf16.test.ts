// UTF-16 units and their UTF-8 bytes: what TextEncoder makes of them.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { codeAt, writeUnits, writeUtf8 } from '../../../main/engine/tokenizer/utf16.js';

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
);

it('writes what TextEncoder writes, half a character as U+FFFD', () => {
  fc.assert(
    fc.property(anything, fc.nat(5), (text, skip) => {
      const units = new Uint16Array(text.length + skip);
      writeUnits(text, units, skip);
      const bytes = new Uint8Array(3 * text.length);
      const written = writeUtf8(units, skip, units.length, bytes);
      expect(Buffer.from(bytes.subarray(0, written))).toEqual(Buffer.from(new TextEncoder().encode(text)));
    }),
    { numRuns: 500 },
  );
});

it('reads code points as strings do', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const units = new Uint16Array(text.length);
      writeUnits(text, units, 0);
      for (let i = 0; i < text.length; i++) expect(codeAt(units, i)).toBe(text.codePointAt(i));
    }),
  );
});
