/** Parameters in a session, by their names in checkpoints; and from arrays to variables and back. */
import type * as tf from '@tensorflow/tfjs';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';

/** Which parameters are kept in bfloat16. */
export type IsNarrow = (name: string) => boolean;

export type Parameters = Readonly<Record<string, tf.Variable>>;

/**
 * Puts weights into a session's variables, named `<prefix><parameter>`. In order of name, whatever order they come in: a
 * checkpoint's order is not a fresh model's, and sums over all parameters must round the same in both.
 */
export function createParameters(
  session: Session,
  weights: NamedArrays,
  prefix = '',
  isNarrow: IsNarrow = () => false,
): Parameters {
  const byName = Object.entries(weights).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    byName.map(([name, { shape, data }]) => [
      name,
      session.variable(prefix + name, shape, data, isNarrow(name) ? 'bfloat16' : 'float32'),
    ]),
  );
}

/** Takes weights out of a session. */
export function readParameters(session: Session, parameters: Parameters): NamedArrays {
  const entries = Object.entries(parameters);
  const values = session.readAll(entries.map(([, variable]) => variable));
  return Object.fromEntries(
    entries.map(([name, { shape }], i) => [name, { shape, data: Float32Array.from(values[i] ?? []) }]),
  );
}

/** Gives parameters of a session new values. */
export function writeParameters(session: Session, parameters: Parameters, weights: NamedArrays): void {
  for (const [name, { data }] of Object.entries(weights)) session.write(parameterOf(parameters, name), data);
}

export function parameterOf(parameters: Parameters, name: string): tf.Variable {
  const variable = parameters[name];
  if (!variable) throw new Error(`the model has no parameter ${name}`);
  return variable;
}
