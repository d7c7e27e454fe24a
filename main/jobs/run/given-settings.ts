/** Settings that come as plain values, from a call, resolved as the command line resolves its flags. */
import { z } from 'zod';
import type { Shape } from '../../../shared/config/fields.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { UserError } from '../../../shared/errors.js';

/** @throws UserError for the first problem there is */
export function givenSettings<S extends Shape>(
  shape: S,
  given: Readonly<Record<string, unknown>>,
): z.infer<z.ZodObject<S>> {
  const resolved = resolveSettings(shape, given);
  if (resolved.ok) return z.object(shape).parse(resolved.value);
  const [problem] = resolved.problems;
  throw new UserError({
    code: 'bad_input',
    message: problem?.message ?? 'The settings are not complete',
    hint: problem?.hint ?? 'Fix them first.',
    ...(problem?.field ? { field: problem.field } : {}),
  });
}
