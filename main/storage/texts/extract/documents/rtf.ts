/** Extracts the text of Rich Text documents. Runs in file-reader.ts. (Microsoft, RTF 1.9.1) */
import { bytes, localized } from '../../../../../shared/messages/message.js';
import { bytesAt } from '../../../../formats/byte-source.js';
import type { OpenFile } from '../../../disk/file-bytes.js';
import { decoderOf, isKnown } from '../encoding.js';
import type { Damaged, DocumentPiece } from '../pieces.js';
import { Paragraphs } from './paragraphs.js';

const MAX_BYTES = 1 << 28;
const MAX_DEPTH = 2048;

/** A control word with its number, a byte in hexadecimal digits, a symbol, a brace, a line end, or text. */
const TOKEN = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/giy;
/** Groups whose text is not read. */
const UNREAD = new Set(
  'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf fldinst listtable listoverridetable themedata xmlnstbl rsidtbl generator bkmkstart bkmkend'.split(
    ' ',
  ),
);
/** Control words and symbols, each with its character at the end. */
const NAMED =
  'emdash—|endash–|lquote‘|rquote’|ldblquote“|rdblquote”|bullet•|emspace\u2003|enspace\u2002|~\u00a0|_\u2011|\\\\|{{|}}';
const CHARACTERS = new Map(NAMED.split('|').map((one) => [one.slice(0, -1), one.slice(-1)]));

interface Group {
  isUnread: boolean;
  /** Characters that follow a `\u` for readers that do not know it. */
  fallback: number;
}

export function* rtfTexts(source: OpenFile, damaged: Damaged): Generator<DocumentPiece> {
  if (source.byteLength > MAX_BYTES) throw damaged(localized('documents.rtf_too_large', { most: bytes(MAX_BYTES) }));
  const rtf = bytesAt(source, 0, source.byteLength).toString('latin1');
  const page = /\\ansicpg(\d+)/.exec(rtf)?.[1] ?? '1252';
  const decode = decoderOf(isKnown(`windows-${page}`) ? `windows-${page}` : 'windows-1252');
  const out = new Paragraphs();
  const open: Group[] = [];
  let group: Group = { isUnread: false, fallback: 1 };
  let toSkip = 0;
  const add = (text: string, isEncoded = false): void => {
    const skipped = Math.min(toSkip, text.length);
    toSkip -= skipped;
    const rest = text.slice(skipped);
    if (!group.isUnread && rest !== '') out.add(isEncoded ? decode(Buffer.from(rest, 'latin1')) : rest, true);
  };
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(rtf); found !== null; found = TOKEN.exec(rtf)) {
    const [, word, number, hex, symbol, brace, text] = found;
    if (brace === '{') {
      if (open.push(group) > MAX_DEPTH) throw damaged(localized('documents.too_deep', { most: MAX_DEPTH }));
      group = { ...group };
    } else if (brace === '}') [group, toSkip] = [open.pop() ?? group, 0];
    else if (hex !== undefined) add(String.fromCharCode(parseInt(hex, 16)), true);
    else if (text !== undefined) add(text, true);
    else if (symbol === '*') group.isUnread = true;
    else if (symbol === '\n' || symbol === '\r') out.endLine(2);
    else if (symbol !== undefined) add(CHARACTERS.get(symbol) ?? '');
    else if (word === 'u') {
      add(String.fromCharCode(Number(number) & 0xffff));
      toSkip = group.fallback;
    } else if (word === 'uc') group.fallback = Number(number ?? 1);
    else if (word === 'bin') TOKEN.lastIndex += Number(number ?? 0);
    else if (word === undefined || group.isUnread) continue;
    else if (UNREAD.has(word)) group.isUnread = true;
    else if (word === 'par' || word === 'sect' || word === 'page') out.endLine(2);
    else if (word === 'line' || word === 'row') out.endLine(1, true);
    else if (word === 'tab' || word === 'cell') out.tab();
    else add(CHARACTERS.get(word) ?? '');
  }
  yield { text: out.take(true), fileBytes: source.byteLength };
}
