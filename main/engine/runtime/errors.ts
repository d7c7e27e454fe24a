/**
 * Errors of code that cannot become a graph. They name the operation and the line of the traced function that asked
 * for it, because the person who reads them is looking for that line.
 */
import { UserError } from '../../../shared/errors.js';

/** Stack frames of the machinery: this folder, tfjs, Node itself. */
const MACHINERY = /[\\/](?:engine[\\/]runtime|node_modules)[\\/]|\(?node:|<anonymous>/;

/** `file:line:column` of the innermost frame outside the machinery. */
function sourceLine(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = limit;
  const frame = stack
    .split('\n')
    .slice(1)
    .find((line) => !MACHINERY.test(line));
  return frame?.trim().replace(/^at /, '') ?? 'an unknown line';
}

/**
 * @param operation what was asked for, in TensorFlow's or tfjs's words
 * @param why the reason it cannot be compiled, a sentence
 */
export function untraceable(operation: string, why: string, hint: string): UserError {
  return new UserError({
    code: 'untraceable',
    message: `${operation} cannot be compiled at ${sourceLine()}: ${why}`,
    hint,
  });
}
