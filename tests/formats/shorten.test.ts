// Text from a file in a message is short, whatever the file contains.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoted, shorten } from '../../main/formats/shorten.js';

it('shows short words whole, and of long ones the beginning', () => {
  expect(shorten('weights', 10)).toBe('weights');
  expect(shorten('x'.repeat(11), 10)).toBe('xxxxxxxxxx…');
  expect(quoted('os.system')).toBe('"os.system"');
  expect(quoted('a "b"\n')).toBe('"a \\"b\\"\\n"');
  expect(quoted('x'.repeat(11), 10)).toBe('"xxxxxxxxxx…"');
});

it('counts what escapes take', () => {
  expect(quoted('\u0005'.repeat(100), 20)).toBe('"\\u0005\\u0005\\u0005\\u…"');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 100 }), (text, most) => {
      expect(quoted(text, most).length).toBeLessThanOrEqual(most + 3);
    }),
  );
});
