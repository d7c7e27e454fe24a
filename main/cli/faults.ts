/** Formats faults as the specification's block of errors and suggestions, and maps them to exit codes. Pure. */
import type { Problem } from '../../shared/config/checks.js';
import type { Fault, FaultCode } from '../../shared/errors.js';
import { localized, type Message } from '../../shared/messages/message.js';
import { t } from './language.js';
import type { Style } from './style.js';

/** `cluster` is sysexits' "try again": another rank of the run failed. */
export const exitCodes = { done: 0, failure: 1, badInput: 2, cluster: 75, interrupted: 130 } as const;

/** Faults that the user can fix by giving something else. */
const badInputs: ReadonlySet<FaultCode> = new Set([
  ...(['bad_input', 'file_not_found', 'file_not_readable', 'file_not_writable', 'file_damaged'] as const),
  ...(['text_encoding', 'text_too_short', 'unknown_character', 'token_out_of_range', 'tokenization_mismatch'] as const),
  ...(['meta_file', 'binary_file', 'checkpoint', 'exists', 'disk_full'] as const),
]);

export function exitCodeOf(code: FaultCode): number {
  if (badInputs.has(code)) return exitCodes.badInput;
  if (code === 'cluster') return exitCodes.cluster;
  return code === 'stopped' ? exitCodes.interrupted : exitCodes.failure;
}

/** Joins problems into the one fault of an error event. */
export function faultOf(problems: readonly [Problem, ...Problem[]]): Fault {
  const [{ code, field }] = problems;
  const joined = (messages: readonly Message[]) => {
    const different = new Map(messages.map((message) => [t(message), message]));
    return localized('text.verbatim', { text: [...different.values()] });
  };
  const message = joined(problems.map((problem) => problem.message));
  return { code, message, hint: joined(problems.map(({ hint }) => hint)), ...(field !== null && { field }) };
}

/** Formats the block of specification 4.2. */
export function problemBlock(problems: readonly Pick<Fault, 'message' | 'hint'>[], style: Style): string {
  const hints = new Set(problems.map(({ hint }) => t(hint)));
  return [
    t('cli.validation_errors'),
    ...problems.map(({ message }) => `  ${style.bad(t('cli.error_label'))} ${t(message)}`),
    '',
    t('cli.suggested_fixes'),
    ...[...hints].map((hint) => `  ${style.good(t('cli.suggestion_label'))} ${hint}`),
    '',
  ].join('\n');
}

export function faultText(fault: Fault, style: Style): string {
  if (exitCodeOf(fault.code) === exitCodes.badInput) return problemBlock([fault], style);
  const label = fault.code === 'stopped' ? '' : `${style.bad(t('cli.error'))} `;
  return `${label}${t(fault.message)}\n${t(fault.hint)}\n`;
}
