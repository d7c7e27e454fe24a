/** Restores letters of TeX's bitmap fonts, for which a PDF gives codes without names. (encodings OT1 and T1) */

const ligatures = ['ff', 'fi', 'fl', 'ffi', 'ffl'];
/** Codes of ligatures in OT1, 11 to 15, and in T1, 27 to 31; a stray break has no small letter behind it. */
const LIGATURE = /[\x0b-\x0f\x1b-\x1f](?=\p{Ll})|(?<=\p{L})[\x0b\x1b]/gu; // eslint-disable-line no-control-regex
const IN_OT1 = /[\x0b-\x0f](?=\p{Ll})/u; // eslint-disable-line no-control-regex
/** Marks in the places of others. */
const marks: Readonly<Record<string, string>> = { '\\': '“', '"': '”', '{': '–', '|': '—' };

interface InFont {
  readonly str: string;
  readonly fontName: string;
}

/** Restores a page's letters; a font with one of OT1's ligatures has its quotation marks and dashes too. */
export function withTexLetters<Item extends InFont>(items: readonly Item[]): readonly Item[] {
  const old = new Set(items.filter(({ str }) => IN_OT1.test(str)).map(({ fontName }) => fontName));
  return items.map((item) => {
    const letters = item.str.replace(LIGATURE, (code) => ligatures[(code.charCodeAt(0) & 15) - 11] ?? code);
    const str = old.has(item.fontName) ? letters.replace(/[\\"{|]/g, (mark) => marks[mark] ?? mark) : letters;
    return { ...item, str };
  });
}
