/** Makes the faults of files from elsewhere: those that cannot be read, and models that Verisim does not compute. */
import type { z } from 'zod';
import { UserError } from '../../shared/errors.js';
import { localized, type Message, verbatim } from '../../shared/messages/message.js';
import { shorten } from './shorten.js';

export const damaged = (what: string, why: Message, options?: ErrorOptions): UserError =>
  new UserError(
    { code: 'file_damaged', message: localized('damage.message', { what, why }), hint: localized('damage.hint') },
    options,
  );

export const notUsable = (what: string, why: Message, hint: Message): UserError =>
  new UserError({ code: 'checkpoint', message: localized('formats.cannot_used', { what, why }), hint });

/** Describes the first setting that is not possible. @param settings what was parsed */
export function firstIssue(error: z.ZodError, settings: unknown): Message {
  const [issue] = error.issues;
  const name = shorten(issue?.path.join('.') ?? '');
  if (issue?.code === 'custom') return verbatim(issue.message);
  const value = issue?.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null)?.[key], settings);
  return value === undefined
    ? localized('damage.missing', { name })
    : localized('damage.value', { name, value: shorten(JSON.stringify(value)) });
}
