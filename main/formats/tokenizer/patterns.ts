/** Compiles Oniguruma patterns of a tokenizer.json for V8, and limits the time of unknown ones. */
import process from 'node:process';
import { createContext, Script } from 'node:vm';
import { SplitPreTokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import type { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { quoted } from '../shorten.js';
import { isKnownPattern } from './known-patterns.js';

const MAX_PATTERN = 4096;
/** Twice the most in use. V8's compilation takes time with its fourth power, and cannot be interrupted. */
const MAX_ALTERNATIVES = 40;
/** For one part of a text: hundreds of times the longest time of a known tokenizer's pattern. */
const MAX_PATTERN_MS = 3000;

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

/** @throws the error of `unsupported` for a pattern that cannot be translated, or would take too long */
export function compilePattern(
  pattern: z.infer<typeof patternSchema>,
  unsupported: (why: Message) => UserError,
): Compiled {
  if ('String' in pattern) {
    const literal = pattern.String.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    return { found: new RegExp(literal, 'gu'), limited: unlimited };
  }
  const name = quoted(pattern.Regex);
  let found: RegExp | null;
  try {
    found = new SplitPreTokenizer({ type: 'Split', pattern, behavior: 'Isolated', invert: false }).pattern;
  } catch {
    found = null;
  }
  if (found === null) throw unsupported(localized('tokenizer.pattern', { pattern: name }));
  if (found.source.split('|').length > MAX_ALTERNATIVES)
    throw unsupported(localized('tokenizer.patternAlternatives', { pattern: name, most: MAX_ALTERNATIVES }));
  if (isKnownPattern(pattern.Regex)) return { found, limited: unlimited };
  const tooLong = () =>
    unsupported(localized('tokenizer.patternTime', { pattern: name, seconds: MAX_PATTERN_MS / 1000 }));
  return { found, limited: (work) => withinTime(work, tooLong) };
}

const script = new Script('work()');
const slot: { work: () => unknown } = { work: () => undefined };
let context: object | undefined;

/** Runs `work` in node:vm, which V8 can interrupt. @throws the error of `tooLong` at the limit; others as they come */
function withinTime<T>(work: () => T, tooLong: () => Error): T {
  context ??= createContext(slot);
  slot.work = work;
  const before = process.cpuUsage();
  for (;;) {
    try {
      return script.runInContext(context, { timeout: MAX_PATTERN_MS }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.cpuUsage(before);
      // If the machine was suspended, the pattern was not running: try again.
      if ((user + system) / 1000 >= MAX_PATTERN_MS / 2) throw tooLong();
    }
  }
}
