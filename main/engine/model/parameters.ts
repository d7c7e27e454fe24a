/** Parameters of a session by their names in checkpoints: creates, reads and writes them. */
import type * as tf from '@tensorflow/tfjs';
import type { Session } from '../runtime/types.js';
import { inTransfers } from '../runtime/tensorflow.js';
import type { NamedArrays } from '../types.js';

/** Whether a parameter is stored as bfloat16. */
export type IsNarrow = (name: string) => boolean;

export type Parameters = Readonly<Record<string, tf.Variable>>;

/**
 * Creates variables `<prefix><parameter>` in order of name, since sums over all parameters must round the same for a checkpoint
 * and a new model.
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

export async function readParameters(session: Session, parameters: Parameters): Promise<NamedArrays> {
  await session.download(Object.values(parameters));
  return copyParameters(session, parameters);
}

/** Reads parameters that no step has changed yet, or whose values were downloaded. */
export function copyParameters(session: Session, parameters: Parameters): NamedArrays {
  const read = readOnDemand(session, parameters);
  return Object.fromEntries(Object.entries(read).map(([name, { shape, data }]) => [name, { shape, data }]));
}

/**
 * Reads each parameter when its data is accessed, which should be in order of name, to avoid a copy of the whole model. Parameters
 * must not change meanwhile.
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
  // Single reads are slower, and one read of all would take memory.
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

export function writeParameters(session: Session, parameters: Parameters, weights: NamedArrays): void {
  for (const [name, { data }] of Object.entries(weights)) session.write(parameterOf(parameters, name), data);
}

export function parameterOf(parameters: Parameters, name: string): tf.Variable {
  const variable = parameters[name];
  if (!variable) throw new Error(`the model has no parameter ${name}`);
  return variable;
}
