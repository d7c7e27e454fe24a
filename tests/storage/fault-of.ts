/** What a call or promise that must fail with a `UserError` reports. */
import { plainFault } from '../support/messages.js';
import { UserError, type Fault } from '../../shared/errors.js';

/** In the terminal's words. */
export type TypedFault = Fault & { readonly message: string; readonly hint: string };

export function faultOf(action: () => unknown): TypedFault {
  try {
    action();
  } catch (error) {
    return asFault(error);
  }
  throw new Error('it did not fail');
}

export async function faultOfAsync(promise: Promise<unknown>): Promise<TypedFault> {
  let error: unknown;
  try {
    await promise;
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) throw new Error('it did not fail');
  return asFault(error);
}

function asFault(error: unknown): TypedFault {
  if (!(error instanceof UserError)) throw new Error('not a UserError', { cause: error });
  if (error.hint === '') throw new Error('it gives no hint', { cause: error });
  return plainFault(error.toFault());
}
