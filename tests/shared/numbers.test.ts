/** Numbers as people read and type them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCompact,
  formatCount,
  formatMeasure,
  formatSetting,
  formatShare,
  formatShareTick,
  formatTick,
  parseTyped,
} from '../../shared/base/numbers.js';

describe('numbers that are read', () => {
  it('are settings as one would type them: no group, and no row of zeros', () => {
    const written = [0.0003, 1e20, 2.5e12, 1_000_000, 99_999_999_999].map((value) => formatSetting(value, 'de'));
    expect(written).toEqual(['3e-4', '1e20', '2,5e12', '1000000', '99999999999']);
  });

  it('follow the language', () => {
    expect(formatCount(1234567, 'en-GB')).toBe('1,234,567');
    expect(formatCount(1234567, 'de-DE')).toBe('1.234.567');
    expect(formatMeasure(1.5, 'de-DE')).toBe('1,50');
    expect(formatShare(0.1234, 'en-GB', 1)).toBe('12.3%');
    for (const locale of ['en', 'en-GB', 'en-AU'])
      expect([1234, 134.5e6, 2.3e9, 4e12].map((value) => formatCompact(value, locale))).toEqual([
        '1.2K',
        '134.5M',
        '2.3B',
        '4T',
      ]);
    expect(formatCompact(134.5e6, 'de')).toBe('134,5\u00a0Mio.');
  });

  it('have a minus, not a hyphen, which is read as one as well', () => {
    for (const locale of ['en-GB', 'de', 'fr', 'sv', 'ar-EG']) {
      for (const written of [formatMeasure(-1.5, locale), formatTick(-0.25, locale), formatShare(-0.1, locale, 1)])
        expect(written).toMatch(/^[\u061c\u200e]?−/);
      expect(parseTyped(formatMeasure(-1.5, locale), locale)).toBe(-1.5);
    }
    expect(formatMeasure(-2e-6, 'en-GB')).toBe('−2e-6');
  });

  it('show a dash where nothing was measured', () => {
    for (const nothing of [null, undefined, NaN, Infinity]) {
      expect(formatMeasure(nothing, 'en-GB')).toBe('–');
      expect(formatCount(nothing, 'en-GB')).toBe('–');
      expect(formatBytes(nothing, 'en-GB')).toBe('–');
    }
  });

  it('keep three significant digits, and exponents where they help', () => {
    expect(formatMeasure(4.4712, 'en-GB')).toBe('4.47');
    expect(formatMeasure(0, 'en-GB')).toBe('0.00');
    expect(formatMeasure(1e-5, 'en-GB')).toBe('1e-5');
    expect(formatMeasure(123456, 'en-GB')).toBe('123,456');
    expect(formatTick(0.05, 'en-GB')).toBe('0.05');
    expect([0.5, 0.525].map((value) => formatShareTick(value, 'en-GB'))).toEqual(['50%', '52.5%']);
    expect([2.2685, 2.269, 0.1 + 0.2].map((value) => formatTick(value, 'de'))).toEqual(['2,2685', '2,269', '0,3']);
  });

  it('give bytes the largest unit below them', () => {
    expect(formatBytes(0, 'en-GB')).toBe('0 bytes');
    expect(formatBytes(20, 'en-GB')).toBe('20 bytes');
    expect(formatBytes(1, 'en-GB')).toBe('1 byte');
    expect(formatBytes(1_234_000, 'en-GB')).toBe('1.2 MB');
    expect(formatBytes(212e9, 'en-GB')).toBe('212 GB');
  });
});

describe('numbers that are typed', () => {
  it('are understood in the usual ways', () => {
    expect(parseTyped('1e-4')).toBe(1e-4);
    expect(parseTyped('0,5')).toBe(0.5);
    expect(parseTyped('10 000')).toBe(10000);
    expect(parseTyped('10,000')).toBe(10000);
    expect(parseTyped('.5')).toBe(0.5);
    expect(parseTyped('  ')).toBeNull();
  });

  it('are understood as the language of the person writes them', () => {
    const readings: readonly (readonly [string, string, number])[] = [
      ['de', '65.536', 65_536],
      ['de', '4.294.967.295', 4_294_967_295],
      ['de', '1.234,5', 1234.5],
      ['de', '0,5', 0.5],
      ['de', '0.5', 0.5],
      ['de', '0.001', 0.001],
      ['de', '1,000', 1],
      ['en', '1,000', 1000],
      ['en', '1.000', 1],
      ['en', '0,001', 0.001],
      ['fr', '65\u202f536', 65_536],
      ['de-CH', '65’536', 65_536],
      ['hi-IN', '12,34,567', 1_234_567],
      ['ar-EG', '١٢٬٣٤٥٫٥', 12_345.5],
    ];
    for (const [locale, text, value] of readings) expect(parseTyped(text, locale), `${locale} ${text}`).toBe(value);
  });

  it('stay text when they are none, so that the schema can say so', () => {
    for (const text of ['abc', '1.2.3', '1e', '--1', '0x10', 'NaN', 'Infinity']) expect(parseTyped(text)).toBe(text);
  });

  it('come back as what was shown', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        for (const locale of ['en', 'de', 'fr', 'ar-EG', undefined])
          expect(parseTyped(formatSetting(value, locale), locale)).toBe(value === 0 ? 0 : value);
      }),
    );
    // And what is shown of a limit, in groups.
    fc.assert(
      fc.property(fc.nat(2 ** 31), (value) => {
        for (const locale of ['en', 'de', 'fr', 'hi-IN', 'ar-EG', 'de-CH'])
          expect(parseTyped(formatCount(value, locale), locale)).toBe(value);
      }),
    );
  });
});
