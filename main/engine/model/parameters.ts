/** Parameters in a session, by their names in checkpoints; and from arrays to variables and back. */
import type * as tf from '@tensorflow/tfjs';
import type { Session } from '../runtime/types.js';
import { inTransfers } from '../runtime/tensorflow.js';
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
    byName.map(([name, array]) => [
      name,
      session.variable(prefix + name, array.shape, array, isNarrow(name) ? 'bfloat16' : 'float32'),
    ]),
  );
}

/** Takes weights out of a session. */
export function readParameters(session: Session, parameters: Parameters): NamedArrays {
  const read = readOnDemand(session, parameters);
  return Object.fromEntries(Object.entries(read).map(([name, { shape, data }]) => [name, { shape, data }]));
}

/**
 * The same for who needs them one after the other, in order of their names, as a checkpoint does: each is taken out when its
 * data is asked for, as it is then, so that no copy of a large model lies beside it. Nothing of the session may change before that.
 */
export function readOnDemand(session: Session, parameters: Parameters): NamedArrays {
  const byName = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  let held: { readonly part: object; readonly values: ReadonlyMap<string, Float32Array> } | undefined;
  const dataOf = (name: string, part: readonly [string, tf.Variable][]) => {
    if (held?.part !== part) {
      held = undefined;
      const values = session.readAll(part.map(([, variable]) => variable));
      held = { part, values: new Map(part.map(([name], i) => [name, values[i] as Float32Array])) };
    }
    return held.values.get(name) ?? new Float32Array();
  };
  // One variable after the other takes longer, all of them memory.
  const entries = inTransfers(byName, ([, { size }]) => size).flatMap((part) =>
    part.map(([name, { shape }]) => {
      return [
        name,
        {
          shape,
          get data() {
            return dataOf(name, part);
          },
        },
      ] as const;
    }),
  );
  return Object.fromEntries(entries);
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
