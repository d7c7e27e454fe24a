/**
 * Sentences that speak of settings: what is said is the same everywhere, but a setting is `--n_embd` in the terminal and
 * the label of its field in the window. So a sentence keeps apart what it refers to, and each surface words it.
 */
import { z } from 'zod';

/** By the key of a setting; as an option it is something that a person gives. */
const reference = z.union([z.strictObject({ setting: z.string() }), z.strictObject({ option: z.string() })]);
type Reference = z.infer<typeof reference>;

export const sentenceSchema = z.union([z.string(), z.array(z.union([z.string(), reference])).readonly()]);
/** Plain where it speaks of no setting. */
export type Sentence = z.infer<typeof sentenceSchema>;

export const setting = (key: string): Reference => ({ setting: key });
export const option = (key: string): Reference => ({ option: key });

/** say`${setting('n_embd')} is too large; use ${option('n_embd')} ${64}.` */
export const say = (texts: TemplateStringsArray, ...values: readonly (number | Reference | Sentence)[]): Sentence =>
  texts
    .flatMap((text, at) => [text, values[at] ?? ''].flat())
    .map((part) => (typeof part === 'number' ? String(part) : part))
    .filter((part) => part !== '');

export const worded = (sentence: Sentence, name: (key: string, isOption: boolean) => string): string =>
  typeof sentence === 'string'
    ? sentence
    : sentence
        .map((part) =>
          typeof part === 'string' ? part : 'option' in part ? name(part.option, true) : name(part.setting, false),
        )
        .join('');

/** In the terminal's words: settings by their keys, options as they are typed. */
export const typed = (sentence: Sentence): string => worded(sentence, (key, isOption) => (isOption ? `--${key}` : key));
