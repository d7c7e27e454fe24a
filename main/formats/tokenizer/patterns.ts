/** Compiles Oniguruma patterns of a tokenizer.json for V8; refuses exponential ones and limits the time of unknown ones. */
import { SplitPreTokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import type { UserError } from '../../../shared/errors.js';
import { quoted } from '../shorten.js';
import { isKnownPattern } from './known-patterns.js';
import { MAX_PATTERN_MS, withinTime } from './pattern-limit.js';

const MAX_PATTERN = 4096;
/** Twice the most in use. V8's compilation takes time with its fourth power, and cannot be interrupted. */
const MAX_ALTERNATIVES = 40;

export const patternSchema = z.union([
  z.strictObject({ String: z.string().min(1).max(MAX_PATTERN) }),
  z.strictObject({ Regex: z.string().min(1).max(MAX_PATTERN) }),
]);

interface Compiled {
  readonly found: RegExp;
  /** Runs work that uses the pattern. @throws UserError if that takes too long */
  limited<T>(work: () => T): T;
}

const unlimited = <T>(work: () => T): T => work();

/** @throws what `unsupported` gives for a pattern that cannot be translated, or would take too long */
export function compilePattern(
  pattern: z.infer<typeof patternSchema>,
  unsupported: (why: string) => UserError,
): Compiled {
  if ('String' in pattern) {
    const literal = pattern.String.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    return { found: new RegExp(literal, 'gu'), limited: unlimited };
  }
  const name = quoted(pattern.Regex);
  if (canTakeForEver(pattern.Regex)) throw unsupported(`its pattern ${name} repeats what is repeated already`);
  let found: RegExp | null;
  try {
    found = new SplitPreTokenizer({ type: 'Split', pattern, behavior: 'Isolated', invert: false }).pattern;
  } catch {
    found = null;
  }
  if (found === null) throw unsupported(`its pattern ${name} cannot be translated`);
  if (found.source.split('|').length > MAX_ALTERNATIVES)
    throw unsupported(`its pattern ${name} has more than ${MAX_ALTERNATIVES} alternatives`);
  if (isKnownPattern(pattern.Regex)) return { found, limited: unlimited };
  const tooLong = () =>
    unsupported(`its pattern ${name} takes more than ${MAX_PATTERN_MS / 1000} seconds for a part of a text`);
  return { found, limited: (work) => withinTime(work, tooLong) };
}

/** Detects a repeated group that contains a repetition, as in `(a+)+`: matching can take exponential time. */
export function canTakeForEver(pattern: string): boolean {
  /** For each open group: whether something in it is repeated. */
  const open: boolean[] = [];
  let isInClass = false;
  let closed: boolean | null = null;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const [repeat] = isInClass ? [] : (/^(?:[*+]|\{\d+(?:,\d*)?\})/.exec(pattern.slice(at, at + 16)) ?? []);
    if (repeat !== undefined) {
      if (closed === true) return true;
      // A number of times and no other is met in one way.
      if (open.length > 0 && !/^\{\d+\}$/.test(repeat)) open[open.length - 1] = true;
    }
    closed = null;
    if (character === '\\') at++;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else if (character === '(') open.push(false);
    else if (character === ')') {
      closed = open.pop() ?? false;
      if (closed && open.length > 0) open[open.length - 1] = true;
    }
  }
  return false;
}
