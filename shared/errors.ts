/**
 * Errors as values. What crosses a boundary (terminal, IPC, WebSocket, trainer messages) is a `Fault`:
 * a code from one closed list, a message that says what is wrong and where, and a hint that says what to do.
 * `UserError` carries a fault through code that throws; any other exception is a bug, unless a disk says it.
 */
import { z } from 'zod';
import { diskFault } from './file-faults.js';
import { localized, messageSchema, verbatim } from './messages/message.js';
import { plainEnglish } from './messages/surfaces.js';

export const faultCodes = [
  'bad_input', // a flag, field or configuration value is not acceptable
  'file_not_found',
  'file_not_readable',
  'file_not_writable',
  'file_damaged', // not what it claims to be: wrong length, hash, header
  'text_encoding',
  'text_too_short',
  'unknown_character',
  'token_out_of_range',
  'tokenization_mismatch',
  'meta_file', // documented as MetaFileError
  'binary_file', // documented as BinaryFileError
  'checkpoint', // missing or does not fit the model
  'exists', // would overwrite
  'locked', // another process holds the project
  'disk_full',
  'out_of_memory',
  'diverged', // a loss became NaN or infinite
  'runtime_missing', // no TensorFlow for the requested backend
  'stopped', // the user requested a stop
  'unsupported', // not possible here: no dialog in a browser, no trash on this system
  'busy', // too many requests
  'network', // the hub of models could not be reached, or could not answer
  'cluster', // another rank of the same run is gone, does not answer, or has something else
  'disconnected', // the answer got lost with the connection
  'internal',
] as const;

export type FaultCode = (typeof faultCodes)[number];

export const faultSchema = z.object({
  code: z.enum(faultCodes),
  message: messageSchema,
  hint: messageSchema,
  field: z.string().optional(),
});

export type Fault = z.infer<typeof faultSchema>;

/** The fault of work that the user stopped. */
export const stopped: Fault = {
  code: 'stopped',
  message: localized('errors.stopped'),
  hint: localized('errors.nothing_changed'),
};

/** An error that a person can do something about; its own message and hint are in the terminal's words. */
export class UserError extends Error {
  readonly code: FaultCode;
  readonly hint: string;
  readonly field: string | undefined;
  private readonly texts: Pick<Fault, 'message' | 'hint'>;

  constructor({ code, message, hint, field }: Fault, options?: ErrorOptions) {
    super(plainEnglish(message), options);
    this.name = 'UserError';
    this.code = code;
    this.hint = plainEnglish(hint);
    this.field = field;
    this.texts = { message, hint };
  }

  toFault(): Fault {
    const { code, texts, field } = this;
    return field === undefined ? { code, ...texts } : { code, ...texts, field };
  }
}

/** Attributes an error to the setting whose value caused it. */
export const aboutField = (field: string, error: unknown): unknown =>
  error instanceof UserError ? new UserError({ ...error.toFault(), field }, { cause: error }) : error;

/** Any thrown value as a fault; what is not a `UserError`, and not of a disk, is reported as a bug. */
export function toFault(error: unknown): Fault {
  if (error instanceof UserError) return error.toFault();
  const ofDisk = diskFault(error);
  if (ofDisk !== null) return ofDisk;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'internal', message: verbatim(message), hint: localized('errors.bug_verisim_please_report_command') };
}
