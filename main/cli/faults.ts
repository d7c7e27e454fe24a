/** Faults for people: the specification's block of errors and suggestions, and the exit code that goes with each. Pure. */
import { assertNever, type Fault, type FaultCode } from '../../shared/errors.js';
import type { Problem } from '../../shared/config/checks.js';
import { typed } from '../../shared/sentence.js';
import type { Style } from './style.js';

export const exitCodes = { done: 0, failure: 1, badInput: 2, cluster: 75, interrupted: 130 } as const;

/**
 * 2 when the person can fix it by giving something else, 130 when they stopped it, 75 (sysexits' "try again") when another
 * rank of the run failed, 1 for all else.
 */
export function exitCodeOf(code: FaultCode): number {
  switch (code) {
    case 'bad_input':
    case 'file_not_found':
    case 'file_not_readable':
    case 'file_not_writable':
    case 'file_damaged':
    case 'text_encoding':
    case 'text_too_short':
    case 'unknown_character':
    case 'token_out_of_range':
    case 'tokenization_mismatch':
    case 'meta_file':
    case 'binary_file':
    case 'checkpoint':
    case 'exists':
    case 'disk_full':
      return exitCodes.badInput;
    case 'locked':
    case 'out_of_memory':
    case 'diverged':
    case 'runtime_missing':
    case 'untraceable':
    case 'unsupported':
    case 'busy':
    case 'network':
    case 'disconnected':
    case 'internal':
      return exitCodes.failure;
    case 'cluster':
      return exitCodes.cluster;
    case 'stopped':
      return exitCodes.interrupted;
    default:
      return assertNever(code);
  }
}

/** Several problems as the one fault that an error event carries. */
export function faultOf(problems: readonly Problem[]): Fault {
  const [first] = problems;
  if (!first) throw new Error('no problem, no fault');
  const message = problems.map((problem) => typed(problem.message)).join('; ');
  const hint = [...new Set(problems.map((problem) => typed(problem.hint)))].join('; ');
  return { code: first.code, message, hint, ...(first.field !== null && { field: first.field }) };
}

/** The block of specification 4.2. */
export function problemBlock(problems: readonly Problem[], style: Style): string {
  const hints = [...new Set(problems.map(({ hint }) => typed(hint)))];
  return [
    'Validation Errors:',
    ...problems.map(({ message }) => `  ${style.bad('ERROR:')} ${typed(message)}`),
    '',
    'Suggested fixes:',
    ...hints.map((hint) => `  ${style.good('SUGGESTION:')} ${hint}`),
    '',
  ].join('\n');
}

export function faultText(fault: Fault, style: Style): string {
  const [message, hint] = [typed(fault.message), typed(fault.hint)];
  if (fault.code === 'stopped') return `${message}\n${hint}\n`;
  if (exitCodeOf(fault.code) === exitCodes.badInput) {
    return problemBlock([{ ...fault, severity: 'error', field: fault.field ?? null }], style);
  }
  return `${style.bad('Error:')} ${message}\n${hint}\n`;
}
