/**
 * Random small programs over arguments and variables, with assignments in between: compiled, they give what they give
 * one operation at a time, call after call. Operations keep values small, so that 1e-6 means the same everywhere.
 */
import * as tf from '@tensorflow/tfjs';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { beginSegment } from '../../../main/engine/runtime/control-flow.js';
import type { Session } from '../../../main/engine/runtime/types.js';
import { difference, taken, testRuntime, withSession, type Way } from '../../support/runtime.js';

type T2 = tf.Tensor2D;
const N = 3;

/** Each takes earlier values (all N × N) and makes another. */
const unary: Record<string, (a: T2) => T2> = {
  tanh: (a) => tf.tanh(a),
  sigmoid: (a) => tf.sigmoid(a),
  softmax: (a) => tf.softmax(a),
  erf: (a) => tf.erf(a),
  transpose: (a) => tf.transpose(a),
  relu: (a) => tf.relu(a),
  'reshape there and back': (a) => tf.reshape(tf.add(tf.reshape(a, [N * N]), 0.25), [N, N]),
  'only reshape': (a) => tf.reshape(tf.reshape(a, [1, N, N, 1]), [N, N]),
  clone: (a) => tf.clone(a),
  'row mean': (a) => tf.sub(a, tf.mean(a, 1, true)),
  'column sum': (a) => tf.tanh(tf.mul(a, tf.sum(a, 0))),
  'halves exchanged': (a) => tf.concat([tf.slice(a, [1, 0], [N - 1, N]), tf.slice(a, [0, 0], [1, N])], 0),
  'rows gathered': (a) => tf.gather(a, tf.tensor1d([2, 0, 0], 'int32')),
  'nested tidy': (a) => tf.tidy(() => tf.tidy(() => tf.tanh(tf.mul(a, 0.5)))),
  gradient: (a) => tf.tidy(() => tf.tanh(tf.grad((v) => tf.sum(tf.square(tf.sigmoid(v))))(a)) as T2),
  int32: (a) => tf.cast(tf.floor(tf.clipByValue(a, -2, 2)), 'int32').toFloat() as T2,
};
const binary: Record<string, (a: T2, b: T2) => T2> = {
  add: (a, b) => tf.tanh(tf.add(a, b)),
  sub: (a, b) => tf.tanh(tf.sub(a, b)),
  mul: (a, b) => tf.tanh(tf.mul(a, b)),
  matMul: (a, b) => tf.tanh(tf.matMul(a, b)),
  'matMul, transposed': (a, b) => tf.tanh(tf.matMul(a, b, true, true)),
  maximum: (a, b) => tf.maximum(a, b),
  where: (a, b) => tf.where(tf.greater(a, b), a, tf.mul(b, 0.5)),
};

interface Step {
  readonly op: string;
  readonly from: readonly [number, number];
  /** The variable that takes the result, if any. */
  readonly into: number | null;
  /** Whether a segment begins before it. */
  readonly begins: boolean;
}

const step = fc.record({
  op: fc.constantFrom(...Object.keys(unary), ...Object.keys(binary)),
  from: fc.tuple(fc.nat(30), fc.nat(30)),
  into: fc.option(fc.nat(1), { freq: 4 }),
  begins: fc.boolean(),
}) satisfies fc.Arbitrary<Step>;

/** Values in the order in which steps may take them: two arguments, two variables (as they are now), results so far. */
function runProgram(steps: readonly Step[], args: readonly T2[], variables: readonly tf.Variable[]): T2[] {
  const results: T2[] = [];
  const pick = (i: number): T2 => {
    const values = [...args, ...(variables as readonly tf.Tensor[] as readonly T2[]), ...results];
    const value = values[i % values.length];
    if (!value) throw new Error('a program has values');
    return value;
  };
  for (const { op, from, into, begins } of steps) {
    if (begins) beginSegment('step');
    const result = unary[op]?.(pick(from[0])) ?? binary[op]?.(pick(from[0]), pick(from[1]));
    if (!result) throw new Error(op);
    results.push(result);
    if (into !== null) variables[into]?.assign(result as tf.Tensor as tf.Variable);
  }
  return results;
}

const CALLS = 3;
const numbers = (seed: number) => Float32Array.from({ length: N * N }, (_, i) => Math.sin(seed * 13.7 + i * 2.1));

/** @param cut whether it has many segments */
function execute(session: Session, steps: readonly Step[], xla: boolean, cut = false): number[] {
  const variables = [0, 1].map((i) => session.variable(`v${i}`, [N, N], numbers(i + 5)));
  const whole = (a: T2, b: T2) => {
    for (let i = 0; cut && i < 13; i++) beginSegment('many');
    return runProgram(steps, [a, b], variables);
  };
  const program = session.compile(whole, { name: 'program', xla });
  const seen: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const a = tf.tensor2d(numbers(call), [N, N]);
    const b = tf.tensor2d(numbers(call + 0.5), [N, N]);
    for (const { values } of taken(program(a, b))) seen.push(...values);
    for (const variable of variables) seen.push(...session.read(variable));
    tf.dispose([a, b]);
  }
  return seen;
}

beforeAll(testRuntime);

describe('random programs', () => {
  it.each([
    ['a graph', 'graph' as const, 60],
    ['one that XLA compiles', 'xla' as const, 8],
    ['segments that XLA compiles', 'xla' as const, 12],
  ])('give as %s what they give one operation at a time', async (form: string, way: Way, numRuns: number) => {
    const cut = form.startsWith('segments');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const tensors = tf.memory().numTensors;
        const expected = await withSession('eager', (session) => execute(session, steps, false));
        const actual = await withSession(way, (session, xla) => execute(session, steps, xla, cut));
        expect(difference(actual, expected)).toBeLessThanOrEqual(1e-6);
        expect(tf.memory().numTensors).toBe(tensors);
      }),
      { numRuns, seed: 20240 },
    );
  });
});
