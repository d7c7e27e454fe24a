/**
 * Errors of code that cannot become a graph. They name the operation and the line of the traced function that asked
 * for it, because the person who reads them is looking for that line. And what of TensorFlow's own a person can mend.
 */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { fileFault } from '../../../shared/file-faults.js';

/** Frames of tfjs and of Node, and of the tracer where it is bundled with everything else. */
const MACHINERY = /[\\/]node_modules[\\/]|\(?node:|<anonymous>|Tracer\.|untraceable|kernelFunc|Math\.value/;

/** `file:line:column` of the innermost frame outside the machinery. */
function sourceLine(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const [own = '', ...frames] = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = limit;
  // Unbundled, this file says which folder the machinery is in.
  const folder = /(?:file:\/\/)?([^( ]*[\\/])errors\.[jt]s/.exec(own)?.[1];
  const frame = frames.find((line) => !MACHINERY.test(line) && (folder === undefined || !line.includes(folder)));
  return frame?.trim().replace(/^at /, '') ?? 'an unknown line';
}

/**
 * @param operation what was asked for, in TensorFlow's or tfjs's words
 * @param why the reason it cannot be compiled, a sentence
 */
export function untraceable(operation: string, why: string, hint: string): UserError {
  return new UserError({
    code: 'untraceable',
    message: localized('runtime.cannot_compiled', { operation, sourceLine: sourceLine(), why }),
    hint,
  });
}

/** An error of a graph that ran; what XLA has compiled goes to the disk then, which may be full. */
export function runError(error: unknown): unknown {
  const said = error instanceof Error ? error.message : '';
  const [, file] = /error: ([^;]+); No space left on device/.exec(said) ?? [];
  if (file === undefined) return error;
  const hint = 'Free some space on this disk and try again: what is compiled is kept there for the next time.';
  return new UserError({ ...fileFault('ENOSPC', file, 'write'), hint }, { cause: error });
}
