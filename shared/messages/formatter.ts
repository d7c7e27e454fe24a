/**
 * Formats messages for one surface: a terminal, the window, or a document. Texts are ICU messages with four tags of ours:
 * `<setting>n_embd</setting>`, `<option>n_embd=64</option>` and `<choice>tune=lora</choice>` become the flag in a terminal and the
 * field's label elsewhere; `<label>nav.write</label>` is the text of a button or page of the window. `{surface, select, terminal {…} other {…}}` words a message differently where flags are typed.
 */
import { IntlMessageFormat } from 'intl-messageformat';
import { formatBytes, formatCount, formatMeasure, formatShare } from '../base/numbers.js';
import type { Locale } from '../base/formatters.js';
import { textOf, type Language } from './catalogue.js';
import type { Message, MessageCode, MessageParameter, MessageParameters } from './message.js';

export interface Surface {
  readonly name: 'terminal' | 'window' | 'document';
  /** The language of the words. */
  readonly language: Language;
  /** The locale of numbers; undefined is the system's. */
  readonly locale: Locale;
  /** Names a setting: `n_embd` or its label. @param value the choice that is meant, if one is */
  setting(key: string, value: string | undefined): string;
  /** Names a setting as something the user gives: `--n_embd 64` or its label. */
  option(key: string, value: string | undefined): string;
  /** Names a choice of a setting: `lora` or its label. */
  choice(key: string, value: string): string;
  /** Writes the value of a setting. */
  number(value: number): string;
  duration(seconds: number): string;
}

export type Format = {
  (message: Message): string;
  (code: MessageCode, params?: MessageParameters): string;
};

/** The parser's types of elements. */
const [ARGUMENT, NUMBER, SELECT, PLURAL, TAG] = [1, 2, 5, 6, 8] as const;

/** Texts without any of these need no parser. */
const SYNTAX = /[{<']/;

const parsed = new Map<string, IntlMessageFormat>();

/** Parses each text once for each locale. */
function parse(text: string, locale: string): IntlMessageFormat {
  const key = `${locale}\0${text}`;
  const found = parsed.get(key) ?? new IntlMessageFormat(text, locale);
  parsed.set(key, found);
  return found;
}

export function createFormat(surface: Surface): Format {
  const numberLocale = surface.locale ?? surface.language;
  const tags = {
    setting: (chunks: readonly unknown[]) => surface.setting(...pair(chunks)),
    option: (chunks: readonly unknown[]) => surface.option(...pair(chunks)),
    choice: (chunks: readonly unknown[]) => {
      const [key, value = ''] = pair(chunks);
      return surface.choice(key, value);
    },
    label: ([code]: readonly unknown[]) => format('text.quote', { text: format(code as MessageCode) }),
  };
  const format = (given: Message | MessageCode, params?: MessageParameters): string => {
    if (typeof given !== 'string') return format(given.code, given.params);
    const text = textOf(surface.language, given);
    if (!SYNTAX.test(text)) return text;
    const message = parse(text, numberLocale);
    const { named, counted, selected } = argumentsOf(message);
    // Undefined parameters are lost on their way between processes: what is missing is empty, too.
    const values = [...named].map((name) => {
      const value = params?.[name];
      if (typeof value === 'number' && counted.has(name)) return [name, value];
      const text = written(value);
      return [name, text === '' && selected.has(name) ? 'none' : text];
    });
    const result = message.format<string>({ ...tags, ...Object.fromEntries(values), surface: surface.name });
    return Array.isArray(result) ? result.join('') : String(result);
  };
  const written = (value: MessageParameter | undefined): string => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean') return String(value);
    if (typeof value === 'number') return Number.isFinite(value) ? surface.number(value) : String(value);
    if (isList(value)) return value.map((one) => written(one)).join('; ');
    if ('code' in value) return format(value);
    if ('bytes' in value) return formatBytes(value.bytes, surface.locale);
    if ('seconds' in value) return surface.duration(value.seconds);
    if ('share' in value) return formatShare(value.share, surface.locale, value.decimals);
    if ('measure' in value) return formatMeasure(value.measure, surface.locale, value.digits);
    if ('language' in value) return nameLanguage(value.language, surface.language);
    return formatCount(value.count, surface.locale);
  };
  return format as Format;
}

const nameLanguage = (tag: string, language: Language): string =>
  new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag;

const isList = (value: MessageParameter): value is readonly (string | Message)[] => Array.isArray(value);

/** `n_embd=64` as its key and value. */
function pair(chunks: readonly unknown[]): [key: string, value: string | undefined] {
  const text = chunks.join('');
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

interface Arguments {
  readonly named: ReadonlySet<string>;
  /** Numbers that the text itself writes: `plural`, `number`. */
  readonly counted: ReadonlySet<string>;
  /** What the text chooses by: an empty value selects `none`. */
  readonly selected: ReadonlySet<string>;
}

const argumentsIn = new WeakMap<IntlMessageFormat, Arguments>();

function argumentsOf(message: IntlMessageFormat): Arguments {
  const known = argumentsIn.get(message);
  if (known) return known;
  const named = new Set<string>();
  const counted = new Set<string>();
  const selected = new Set<string>();
  const visit = (element: ReturnType<IntlMessageFormat['getAst']>[number]): void => {
    const { type } = element;
    if (type === ARGUMENT || type === NUMBER || type === SELECT || type === PLURAL) named.add(element.value);
    if (element.type === NUMBER || element.type === PLURAL) counted.add(element.value);
    if (element.type === SELECT) selected.add(element.value);
    if (element.type === TAG) element.children.forEach(visit);
    if (element.type === SELECT || element.type === PLURAL) {
      for (const option of Object.values(element.options)) option.value.forEach(visit);
    }
  };
  message.getAst().forEach(visit);
  const found = { named, counted, selected };
  argumentsIn.set(message, found);
  return found;
}
