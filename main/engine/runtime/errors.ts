/** Errors of functions that cannot become a graph, and of graphs that fail because a disk is full. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { fileFault } from '../../../shared/file-faults.js';

/** Frames of tfjs and of Node, and of the tracer if it is bundled with everything else. */
const MACHINERY = /[\\/]node_modules[\\/]|\(?node:|<anonymous>|Tracer\.|untraceable|kernelFunc|Math\.value/;

/** `file:line:column` of the innermost frame outside the machinery. */
function sourceLine(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const [own = '', ...frames] = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = limit;
  // Unbundled, this file gives the folder of the machinery.
  const folder = /(?:file:\/\/)?([^( ]*[\\/])errors\.[jt]s/.exec(own)?.[1];
  const frame = frames.find((line) => !MACHINERY.test(line) && (folder === undefined || !line.includes(folder)));
  return frame?.trim().replace(/^at /, '') ?? 'unknown';
}

/** Names the operation and the line of the traced function, for the developer who wrote it. @param remedy a sentence */
export const untraceable = (operation: string, why: string, remedy: string): Error =>
  new Error(`${operation} cannot be compiled at ${sourceLine()}: ${why} ${remedy}`);

/** XLA's compiled code goes to a disk that may be full; other errors are returned as they are. */
export function runError(error: unknown): unknown {
  const [, file] = /error: ([^;]+); No space left on device/.exec(error instanceof Error ? error.message : '') ?? [];
  if (file === undefined) return error;
  const hint = localized('runtime.free_space_for_compiled');
  return new UserError({ ...fileFault('ENOSPC', file, 'write'), hint }, { cause: error });
}
