/**
 * Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon), for the matrices of the blocks: the momentum of each matrix
 * is made orthogonal, all its singular values brought near 1, so that a step moves every direction alike and not only the
 * few that gradients are large in. Numerically as PyTorch's `torch.optim.Muon`, but in the precision of the function it is
 * compiled in. Matrices of one shape are multiplied together, as one stack: few large products in place of many small ones.
 */
import * as tf from '@tensorflow/tfjs';
import { parameterOf, type Parameters } from '../model/model.js';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';
import { gradientOf } from './gradients.js';
import { createMoments, type Rule } from './rule.js';

interface MuonConfig {
  /** How many matrices of one shape lie one below another in a parameter, by its name. */
  readonly stacked: Readonly<Record<string, number>>;
  /** Its learning rate, as so many times the one that it is told of each step. */
  readonly rate: number;
  readonly weightDecay: number;
  /** Of Newton and Schulz; 5 bring all singular values that matter to between 0.7 and 1.2. */
  readonly iterations: number;
}

const MOMENTUM = 0.95;
/** Of the quintic a x + b x³ + c x⁵, which lifts small singular values fastest (Jordan et al.). */
const [A, B, C] = [3.4445, -4.775, 2.0315];
const EPSILON = 1e-7;

/** One parameter's matrices as they are made orthogonal: [n, short, long], turned around where they are tall. */
interface Turned {
  readonly name: string;
  readonly parameter: tf.Variable;
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Scalars of a step: the learning rate. Moments: `m.<parameter>`.
 * @param saved the moments, from a checkpoint; zeros without
 */
export function muon(
  session: Session,
  matrices: Parameters,
  { stacked, rate, weightDecay, iterations }: MuonConfig,
  saved: NamedArrays = {},
): Rule {
  const moments = createMoments(session, matrices, ['m'], saved);
  const groups = sameShapes(matrices, stacked);

  return {
    moments,
    scalars: (_step, learningRate) => [rate * learningRate],

    update(gradients, clip, scalars) {
      const [learningRate] = scalars as [tf.Scalar];
      const kept = weightDecay > 0 ? tf.sub(1, tf.mul(learningRate, weightDecay)) : undefined;
      for (const group of groups) {
        const directions = group.map((matrix) => {
          const gradient = tf.mul(gradientOf(gradients, matrix.name, clip), 1 - MOMENTUM);
          const m = parameterOf(moments, `m.${matrix.name}`);
          const newM = tf.add(tf.mul(m, MOMENTUM), gradient);
          m.assign(newM);
          // Nesterov's: as far along as the next gradient of this kind would take it.
          return turned(tf.add(gradient, tf.mul(newM, MOMENTUM)), matrix);
        });
        const whole = orthogonal(tf.concat(directions, 0), iterations);
        const parts = tf.split(
          whole,
          group.map(({ count }) => count),
          0,
        );
        group.forEach((matrix, index) => {
          const { parameter, rows, columns } = matrix;
          const step = tf.mul(learningRate, Math.sqrt(Math.max(1, rows / columns)));
          const moved = tf.mul(turnedBack(parts[index] ?? whole, matrix), step);
          parameter.assign(tf.sub(kept ? tf.mul(parameter, kept) : parameter, moved));
        });
      }
    },
  };
}

/** The parameters, those together whose matrices have one shape, turned or not. */
function sameShapes(matrices: Parameters, stacked: MuonConfig['stacked']): readonly (readonly Turned[])[] {
  const groups = new Map<string, Turned[]>();
  for (const [name, parameter] of Object.entries(matrices)) {
    const [out = 0, columns = 0] = parameter.shape;
    const count = stacked[name] ?? 1;
    const rows = out / count;
    const shape = [rows, columns].sort((a, b) => a - b).join();
    groups.set(shape, [...(groups.get(shape) ?? []), { name, parameter, count, rows, columns }]);
  }
  return [...groups.values()];
}

/** [count · rows, columns] to [count, short, long]. */
function turned(x: tf.Tensor, { count, rows, columns }: Turned): tf.Tensor {
  const each = tf.reshape(x, [count, rows, columns]);
  return rows > columns ? tf.transpose(each, [0, 2, 1]) : each;
}

function turnedBack(x: tf.Tensor, { count, rows, columns }: Turned): tf.Tensor {
  return tf.reshape(rows > columns ? tf.transpose(x, [0, 2, 1]) : x, [count * rows, columns]);
}

/**
 * Newton and Schulz: near U Vᵀ of each matrix's singular value decomposition U S Vᵀ.
 * @param x [n, short, long]
 */
export function orthogonal(x: tf.Tensor, iterations: number): tf.Tensor {
  const length = tf.sqrt(tf.sum(tf.square(x), [1, 2], true));
  let turning = tf.div(x, tf.maximum(length, EPSILON));
  for (let i = 0; i < iterations; i++) {
    const squares = tf.matMul(turning, turning, false, true); // [n, short, short]
    const factor = tf.add(tf.mul(squares, B), tf.mul(tf.matMul(squares, squares), C));
    turning = tf.add(tf.mul(turning, A), tf.matMul(factor, turning));
  }
  return turning;
}
