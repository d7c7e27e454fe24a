/** What a call or promise that must fail with a `UserError` said. */
import { type Fault, UserError } from '../../shared/errors.js';

export function faultOf(action: () => unknown): Fault {
  try {
    action();
  } catch (error) {
    return asFault(error);
  }
  throw new Error('it did not fail');
}

export async function faultOfAsync(promise: Promise<unknown>): Promise<Fault> {
  let error: unknown;
  try {
    await promise;
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) throw new Error('it did not fail');
  return asFault(error);
}

function asFault(error: unknown): Fault {
  if (!(error instanceof UserError)) throw new Error('not a UserError', { cause: error });
  if (error.hint === '') throw new Error('it gives no hint', { cause: error });
  return error.toFault();
}
