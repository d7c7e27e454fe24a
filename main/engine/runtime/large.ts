/**
 * What large models need of memory: variables that are updated where they are, sums of squares and losses that make no
 * array on the way, and an order for what would otherwise be in memory at the same time. Eagerly, and on tfjs's own
 * backend, plain tfjs does the same.
 */
import * as tf from '@tensorflow/tfjs';
import type { Scalar, Tensor, Variable } from '@tensorflow/tfjs';
import type { Attrs } from './protobuf.js';
import { tensorflow, typeAttribute } from './ops.js';
import { DT, tensorflowType } from './tensorflow.js';
import { tracerOf } from './tracer.js';

/**
 * The same tensor, but computed no earlier than the others: what depends on it waits. Also keeps XLA from finding that
 * something is computed twice, where that is meant (to compute it again rather than to keep it). No gradient.
 */
export const after = (x: Tensor, ...others: readonly Tensor[]): Tensor => tracerOf(tf.backend())?.after(x, others) ?? x;

/**
 * The same tensor, with which another stretch of a compiled function begins, and with its derivative one of the backward pass.
 * A function of many stretches is compiled stretch by stretch, those that do the same once (stretches.ts): put it before each block.
 */
export function stretchFrom(x: Tensor): Tensor {
  if (!tracerOf(tf.backend())?.tracing) return x;
  const same = tf.customGrad((at) => {
    beginStretch('block');
    return {
      value: tf.clone(at as Tensor),
      gradFunc: (dy: Tensor) => {
        beginStretch('derivative');
        return tf.clone(dy);
      },
    };
  });
  return same(x);
}

/** Another stretch of a compiled function begins here; see `stretchFrom`. @param of what it does: those of one kind are counted together */
export const beginStretch = (of: string): void => tracerOf(tf.backend())?.beginStretch(of);

/**
 * What is made at the start of a compiled function, before its first stretch ends: what blocks would be different by, such as their
 * keys, they are handed instead.
 * @param make of arguments, variables and constants alone
 */
export const atStart = <T>(make: () => T): T => tracerOf(tf.backend())?.atStart(make) ?? make();

/** The sum of squares, a scalar; without an array of them. No gradient. */
export function sumOfSquares(x: Tensor): Scalar {
  const backend = tensorflow();
  if (!backend) return tf.sum(tf.square(x));
  return tf.mul(backend.executeSingleOutput('L2Loss', [typeAttribute('T', DT.FLOAT)], [x]), 2);
}

/**
 * −log p of each label, and what its derivative by the scores is: p minus 1 at the label. No gradient.
 * @param logits (rows, V)
 * @param labels int32 (rows)
 */
export function sparseCrossEntropy(
  logits: Tensor,
  labels: Tensor,
): { readonly loss: Tensor; readonly gradient: Tensor } {
  const backend = tensorflow();
  if (!backend) {
    const logs = tf.logSoftmax(logits);
    const places = tf.oneHot(labels as tf.Tensor1D, logits.shape[1] ?? 0);
    return { loss: tf.neg(tf.sum(tf.mul(logs, places), -1)), gradient: tf.sub(tf.exp(logs), places) };
  }
  const attrs = [typeAttribute('T', DT.FLOAT), typeAttribute('Tlabels', DT.INT32)];
  const [loss, gradient] = backend.executeMultipleOutputs(
    'SparseSoftmaxCrossEntropyWithLogits',
    attrs,
    [logits, labels],
    2,
  );
  if (!loss || !gradient) throw new Error('cross-entropy has two outputs');
  return { loss, gradient };
}

/** One parameter and its moments. */
interface Moments {
  readonly parameter: Variable;
  readonly m: Variable;
  readonly v: Variable;
}

interface AdamStep {
  readonly beta1: number;
  readonly beta2: number;
  /** Scalars: the parameter is multiplied with `kept` first, if it is there, and then moved by rate · m / (√v + epsilon). */
  readonly rate: Tensor;
  readonly epsilon: Tensor;
  readonly kept?: Tensor | undefined;
}

/**
 * One update of Adam (Kingma & Ba 2015), of the variables where they are: nothing but the gradient is in memory twice.
 * Inside a compiled function; outside of one they are assigned.
 */
export function adamInPlace(
  { parameter, m, v }: Moments,
  gradient: Tensor,
  { beta1, beta2, rate, epsilon, kept }: AdamStep,
): void {
  const tracer = tracerOf(tf.backend());
  if (!tracer?.tracing) {
    const newM = tf.add(tf.mul(m, beta1), tf.mul(gradient, 1 - beta1));
    const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(gradient), 1 - beta2));
    const moved = tf.div(tf.mul(newM, rate), tf.add(tf.sqrt(newV), epsilon));
    parameter.assign(tf.sub(kept ? tf.mul(parameter, kept) : parameter, moved));
    m.assign(newM);
    v.assign(newV);
    return;
  }
  const T: Attrs[string] = { kind: 'type', value: tensorflowType(parameter.dtype) };
  if (kept) {
    // Not before its turn: decayed weights of all parameters would be another model in memory.
    tracer.update('AssignVariableOp', [parameter], [tf.mul(after(parameter), kept)], { dtype: T });
  }
  const none = tf.scalar(0);
  // Corrections for the first steps are in `rate` and `epsilon`: powers of the betas that are 0 correct nothing.
  const inputs = [none, none, rate, tf.scalar(beta1), tf.scalar(beta2), epsilon, gradient];
  const attrs: Attrs = {
    T,
    use_locking: { kind: 'bool', value: false },
    use_nesterov: { kind: 'bool', value: false },
  };
  tracer.update('ResourceApplyAdam', [parameter, m, v], inputs, attrs);
}
