/** Implements normalizers and pre-tokenizers of a tokenizer.json with the results of Python's `tokenizers`. */
import { z } from 'zod';
import type { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { METASPACE } from '../../engine/tokenizer/byte-alphabet.js';
import { type Prefix, unchanged } from '../../engine/tokenizer/pretrained.js';
import { type Cut, cutBy } from '../../engine/tokenizer/splits.js';
import { quoted, shorten } from '../shorten.js';
import { compilePattern, patternSchema } from './patterns.js';

interface Fail {
  damaged(why: Message): UserError;
  unsupported(why: Message): UserError;
}

interface NormalizerSteps {
  readonly prefix: Prefix | null;
  normalize(text: string): string;
}

interface PreTokenizerSteps {
  readonly alphabet: 'bytes' | 'characters';
  readonly cuts: readonly Cut[];
  readonly cutsLikeGpt2: boolean;
  readonly writesBlanks: boolean;
  readonly prefix: Prefix | null;
}

const stepSchema = z.looseObject({ type: z.string() });
type Step = z.infer<typeof stepSchema>;

function parsed<T>(schema: z.ZodType<T>, value: unknown, of: string, fail: Fail): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') ?? '';
  throw fail.damaged(localized('damage.field', { name: shorten(path === '' ? of : `${of}.${path}`) }));
}

/** Lists the steps, nested or alone. @param key of the steps in a `Sequence` */
function flattened(value: unknown, of: string, key: string, fail: Fail): readonly Step[] {
  if (value === null) return [];
  const step = parsed(stepSchema, value, of, fail);
  if (step.type !== 'Sequence') return [step];
  return parsed(z.array(z.unknown()).max(64), step[key], of, fail).flatMap((one) => flattened(one, of, key, fail));
}

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'];
/** The most by which a text may grow; NFKC writes one character as 18 at most. */
const MAX_GROWTH = 32;

/** @throws UserError for a step that is unknown or not valid */
export function readNormalizer(value: unknown, fail: Fail): NormalizerSteps {
  let prefix: Prefix | null = null;
  const changes: ((text: string) => string)[] = [];
  flattened(value, 'normalizer', 'normalizers', fail).forEach((step, place) => {
    if (forms.includes(step.type)) {
      changes.push((text) => text.normalize(step.type));
    } else if (step.type === 'Replace') {
      const { pattern, content } = parsed(replaceSchema, step, 'normalizer.Replace', fail);
      const { found, limited } = compilePattern(pattern, fail.unsupported);
      changes.push((text) => limited(() => text.replace(found, () => content)));
    } else if (step.type === 'Prepend' && place === 0) {
      const { prepend } = parsed(z.object({ prepend: z.string().max(64) }), step, 'normalizer.Prepend', fail);
      prefix = { text: prepend, when: 'before', onlyFirst: false };
    } else {
      throw fail.unsupported(localized('tokenizer.normalizer', { type: quoted(step.type) }));
    }
  });
  const tooLong = () => fail.unsupported(localized('tokenizer.growth', { most: MAX_GROWTH }));
  if (changes.length === 0) return { prefix, normalize: unchanged };
  return {
    prefix,
    normalize: (text) =>
      changes.reduce((changed, change) => {
        const next = change(changed);
        if (next.length > MAX_GROWTH * (text.length + 1)) throw tooLong();
        return next;
      }, text),
  };
}

const replaceSchema = z.object({ pattern: patternSchema, content: z.string().max(MAX_GROWTH) });
const splitSchema = z.object({
  pattern: patternSchema,
  behavior: z.enum(['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']),
  invert: z.boolean().default(false),
});
const byteLevelSchema = z.object({
  add_prefix_space: z.boolean().default(true),
  use_regex: z.boolean().default(true),
});
const metaspaceSchema = z.object({
  replacement: z.literal(METASPACE),
  prepend_scheme: z.enum(['always', 'first', 'never']).optional(),
  add_prefix_space: z.boolean().optional(),
  split: z.boolean().default(true),
});

/** @throws UserError for a step that is unknown, not valid, or in the wrong place */
export function readPreTokenizer(value: unknown, fail: Fail): PreTokenizerSteps {
  const steps = flattened(value, 'pre_tokenizer', 'pretokenizers', fail);
  const cuts: Cut[] = [];
  let [cutsLikeGpt2, writesBlanks] = [false, false];
  let prefix: Prefix | null = null;
  let alphabet: PreTokenizerSteps['alphabet'] = 'characters';
  steps.forEach((step, place) => {
    if (alphabet === 'bytes')
      throw fail.unsupported(localized('tokenizer.afterByteLevel', { type: quoted(step.type) }));
    if (step.type === 'Split') {
      const { pattern, behavior, invert } = parsed(splitSchema, step, 'pre_tokenizer.Split', fail);
      const { found, limited } = compilePattern(pattern, fail.unsupported);
      const cut = cutBy({ pattern: found, behavior, invert });
      cuts.push((parts) => limited(() => cut(parts)));
    } else if (step.type === 'Digits') {
      const { individual_digits } = parsed(digitsSchema, step, 'pre_tokenizer.Digits', fail);
      const behavior = individual_digits ? 'Isolated' : 'Contiguous';
      cuts.push(cutBy({ pattern: /\p{N}/gu, behavior, invert: false }));
    } else if (step.type === 'ByteLevel') {
      const { add_prefix_space, use_regex } = parsed(byteLevelSchema, step, 'pre_tokenizer.ByteLevel', fail);
      if (add_prefix_space && place > 0) throw fail.unsupported(localized('tokenizer.blanks'));
      if (add_prefix_space) prefix = { text: ' ', when: 'after', onlyFirst: false };
      cutsLikeGpt2 = use_regex;
      alphabet = 'bytes';
    } else if (step.type === 'Metaspace' && place === 0) {
      const metaspace = parsed(metaspaceSchema, step, 'pre_tokenizer.Metaspace', fail);
      const scheme = metaspace.prepend_scheme ?? (metaspace.add_prefix_space === false ? 'never' : 'always');
      if (scheme !== 'never') prefix = { text: METASPACE, when: 'after', onlyFirst: scheme === 'first' };
      writesBlanks = true;
      if (metaspace.split) cuts.push(cutBy({ pattern: /\u2581/gu, behavior: 'MergedWithNext', invert: false }));
    } else {
      throw fail.unsupported(localized('tokenizer.preTokenizer', { type: quoted(step.type) }));
    }
  });
  return { alphabet, cuts, cutsLikeGpt2, writesBlanks, prefix };
}

const digitsSchema = z.object({ individual_digits: z.boolean().default(false) });
