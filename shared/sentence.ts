/**
 * Represents sentences about settings: a setting is `--n_embd` in the terminal and its field's label in the window, and
 * a number is 65536 where it is typed and 65,536 or 65.536 where it is read. So a sentence stores its references
 * separately, and each surface words them.
 */
import { z } from 'zod';
import { createFormat } from './messages/formatter.js';
import { codedSchema, verbatim, type Message } from './messages/message.js';
import { terminalSurface } from './messages/surfaces.js';

/** By the key of a setting, with the value it has where that is a choice; as an option it is something that a person gives. */
const value = z.string().exactOptional();
const reference = z.union([
  z.strictObject({ setting: z.string(), value }),
  z.strictObject({ option: z.string(), value }),
]);
type Reference = z.infer<typeof reference>;

/** The value of a setting; or a count, which users do not type. */
const figure = z.union([z.strictObject({ number: z.number() }), z.strictObject({ count: z.number() })]);
type Figure = z.infer<typeof figure>;

export const sentenceSchema = z.union([
  z.string(),
  codedSchema,
  z.array(z.union([z.string(), reference, figure, codedSchema])).readonly(),
]);
/** Plain where it speaks of no setting. */
export type Sentence = z.infer<typeof sentenceSchema>;

export const setting = (key: string, chosen?: string): Reference => ({ setting: key, ...valued(chosen) });
export const option = (key: string, chosen?: string): Reference => ({ option: key, ...valued(chosen) });
const valued = (chosen: string | undefined) => (chosen === undefined ? {} : { value: chosen });

/** A number of things: 99,833 in a terminal as well. */
export const count = (value: number): Figure => ({ count: value });

type Part = string | Reference | Figure | Message;

/** say`${setting('n_embd')} is too large; use ${option('n_embd')} ${64}.` A number that is not finite is text. */
export const say = (
  texts: TemplateStringsArray,
  ...values: readonly (number | Reference | Figure | Sentence)[]
): Sentence =>
  texts
    .flatMap((text, at): readonly (number | Part)[] => [text, values[at] ?? ''].flat())
    .map((part) => (typeof part === 'number' ? (Number.isFinite(part) ? { number: part } : String(part)) : part))
    .filter((part) => part !== '');

interface Wording {
  /** @param value its chosen value, if the sentence has one */
  name(key: string, isOption: boolean, value?: string): string;
  number(value: number): string;
  count(value: number): string;
  message(message: Message): string;
}

export const worded = (sentence: Sentence, words: Wording): string =>
  isList(sentence) ? sentence.map((part) => wordedPart(part, words)).join('') : wordedPart(sentence, words);

const isList = (sentence: Sentence): sentence is Exclude<Sentence, string | Message> => Array.isArray(sentence);

function wordedPart(part: Part, words: Wording): string {
  if (typeof part === 'string') return part;
  if ('code' in part) return words.message(part);
  if ('number' in part) return words.number(part.number);
  if ('count' in part) return words.count(part.count);
  return 'option' in part ? words.name(part.option, true, part.value) : words.name(part.setting, false, part.value);
}

const terminal: Wording = {
  name: (key, isOption, value) => `${isOption ? '--' : ''}${key}${value === undefined ? '' : ` ${value}`}`,
  number: String,
  count: (value) => value.toLocaleString('en-US'),
  message: createFormat(terminalSurface('en')),
};

/** In the terminal's words: settings by their keys, options and numbers as they are typed. */
export const typed = (sentence: Sentence): string => worded(sentence, terminal);

/** As a message, while rooms are converted to codes: parts become plain English. */
export const asMessage = (sentence: Sentence): Message =>
  typeof sentence === 'object' && 'code' in sentence ? sentence : verbatim(typed(sentence));
