/** Resolves the settings of a call, plain values, as the command line resolves its flags. */
import { localized } from '../../../shared/messages/message.js';
import { z } from 'zod';
import type { Shape } from '../../../shared/config/fields.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { UserError } from '../../../shared/errors.js';

/** @throws UserError the first problem */
export function givenSettings<S extends Shape>(
  shape: S,
  given: Readonly<Record<string, unknown>>,
): z.infer<z.ZodObject<S>> {
  const resolved = resolveSettings(shape, given);
  if (resolved.ok) return z.object(shape).parse(resolved.value);
  const [problem] = resolved.problems;
  throw new UserError({
    code: 'bad_input',
    message: problem?.message ?? localized('run.incomplete_settings'),
    hint: problem?.hint ?? localized('run.fix_settings'),
    ...(problem?.field ? { field: problem.field } : {}),
  });
}
