/**
 * What went wrong first when a loss or gradient became infinite or not a number. The step that fails spoils every
 * weight at once, so the steps since the last good state are taken again, which gives the same numbers, and the failing
 * step is then looked at tensor by tensor before it can spoil anything.
 */
import * as tf from '@tensorflow/tfjs';
import { parameterShapes, readParameters, type Parameters } from './model.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { Session } from './runtime/types.js';
import type { NamedArrays } from './types.js';

/** Steps that are taken again at most: beyond, looking would take longer than it is worth. */
export const MOST_STEPS_AGAIN = 1000;

/** Names in the order in which the network uses them. */
const inOrder = (model: GPTConfig, names: readonly string[]) => {
  const order = Object.keys(parameterShapes(model));
  return [...names].sort((a, b) => order.indexOf(a) - order.indexOf(b));
};

/** The largest absolute value of each tensor; infinite for one that holds anything not finite. */
const largest = (data: Float32Array) =>
  data.reduce((most, value) => Math.max(most, Number.isFinite(value) ? Math.abs(value) : Infinity), 0);

/**
 * The words for it, from a session whose weights are those just before the failing step.
 * @param gradients those of the failing step, of every parameter, as tensors that the caller disposes
 */
export function whatWentWrong(
  model: GPTConfig,
  weights: NamedArrays,
  loss: number,
  gradients: Readonly<Record<string, tf.Tensor>>,
): string {
  const names = inOrder(model, Object.keys(weights));
  const spoilt = names.find((name) => largest(weights[name]?.data ?? new Float32Array()) === Infinity);
  if (spoilt !== undefined)
    return `The first tensor that went wrong is ${spoilt}: it holds values that are not finite.`;
  if (Number.isFinite(loss)) {
    // Gradients flow from the end of the network to its beginning.
    const first = [...names].reverse().find((name) => {
      const gradient = gradients[name];
      return gradient !== undefined && largest(gradient.dataSync() as Float32Array) === Infinity;
    });
    if (first !== undefined) return `The first tensor that went wrong is the gradient of ${first}.`;
    return 'Every gradient is finite, but together they are too large for their length to be.';
  }
  const [name = '', size = 0] = names
    .map((each) => [each, largest(weights[each]?.data ?? new Float32Array())] as const)
    .reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0] as const);
  return `All weights are finite; the scores of the text overflowed. The largest weights, up to ${size.toExponential(1)}, are in ${name}.`;
}

/** Looks at one batch of the failing step, apart from the training step; see `whatWentWrong`. */
export function lookAtGradients(
  session: Session,
  parameters: Parameters,
  lossGradients: (x: tf.Tensor, y: tf.Tensor, key: tf.Tensor) => LossGradients,
  model: GPTConfig,
  batch: { readonly x: tf.Tensor; readonly y: tf.Tensor; readonly key: tf.Tensor },
): string {
  const names = Object.keys(parameters);
  const run = session.compile<readonly tf.Tensor[], readonly tf.Tensor[]>(
    (...args) => {
      const [x, y, key] = args as readonly [tf.Tensor, tf.Tensor, tf.Tensor];
      const { value, gradients } = lossGradients(x, y, key);
      return [value, ...names.map((name) => gradients[name] ?? tf.scalar(0))];
    },
    { name: 'look_at_gradients', xla: false },
  );
  const outputs = run(batch.x, batch.y, batch.key);
  const [loss = NaN, ...gradients] = outputs.map((output, i) => (i === 0 ? output.dataSync()[0] : output)) as [
    number | undefined,
    ...tf.Tensor[],
  ];
  const named = Object.fromEntries(names.flatMap((name, i) => (gradients[i] ? [[name, gradients[i]]] : [])));
  const words = whatWentWrong(model, readParameters(session, parameters), loss, named);
  tf.dispose([...outputs]);
  return words;
}

interface LossGradients {
  readonly value: tf.Tensor;
  readonly gradients: Readonly<Record<string, tf.Tensor>>;
}
