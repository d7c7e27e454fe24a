/**
 * Every operation that the engine and tfjs's gradients use has the same result eagerly, as a graph and with XLA. They are in one
 * function, because XLA takes a while for each. Shape rules are checked too, since results are compared with their shapes.
 */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { dynamicSlice, dynamicUpdateSlice, statelessUniform } from '../../../main/engine/runtime/ops.js';
import { runCycles } from '../../../main/engine/cycle/cycle.js';
import type { NodeBackend } from '../../../main/engine/runtime/tensorflow.js';
import type { Runtime } from '../../../main/engine/runtime/types.js';
import { testEnvironment, tinyConfig } from '../../support/engine.js';
import { memoryStore } from '../../support/memory-store.js';
import { difference, taken, testRuntime, withSession, type Way } from '../../support/runtime.js';

type T2 = tf.Tensor2D;
interface Inputs {
  /** (4, 6), both signs. */
  readonly x: T2;
  /** (4, 6), between 0.1 and 2. */
  readonly p: T2;
  /** (2, 3, 4, 5) */
  readonly q: tf.Tensor4D;
  /** (3, 5) int32 from 0 to 3 */
  readonly i: T2;
  /** [1, 2] int32 */
  readonly start: tf.Tensor1D;
}

const int = (values: number[]) => tf.tensor1d(values, 'int32');

const operations: Record<string, (inputs: Inputs) => tf.Tensor> = {
  abs: ({ x }) => tf.abs(x),
  neg: ({ x }) => tf.neg(x),
  sign: ({ x }) => tf.sign(x),
  exp: ({ x }) => tf.exp(x),
  expm1: ({ x }) => tf.expm1(x),
  log: ({ p }) => tf.log(p),
  log1p: ({ p }) => tf.log1p(p),
  sqrt: ({ p }) => tf.sqrt(p),
  rsqrt: ({ p }) => tf.rsqrt(p),
  square: ({ x }) => tf.square(x),
  reciprocal: ({ p }) => tf.reciprocal(p),
  tanh: ({ x }) => tf.tanh(x),
  sigmoid: ({ x }) => tf.sigmoid(x),
  erf: ({ x }) => tf.erf(x),
  relu: ({ x }) => tf.relu(x),
  step: ({ x }) => tf.step(x, 0.5),
  floor: ({ x }) => tf.floor(x),
  round: ({ x }) => tf.round(x),
  clipByValue: ({ x }) => tf.clipByValue(x, -0.5, 0.5),
  isNaN: ({ x }) => tf.isNaN(tf.div(x, tf.sub(x, x))),
  isFinite: ({ x }) => tf.isFinite(tf.div(x, tf.relu(x))),
  add: ({ x, p }) => tf.add(x, p),
  'add, broadcast': ({ x }) => tf.add(x, tf.tensor1d([1, 2, 3, 4, 5, 6])),
  'add, int32': ({ i }) => tf.add(i, tf.scalar(3, 'int32')),
  'add, int32 and float32': ({ i }) => tf.add(i, 0.5),
  sub: ({ x, p }) => tf.sub(x, p),
  mul: ({ x, p }) => tf.mul(x, p),
  'mul, column': ({ x, p }) => tf.mul(x, tf.sum(p, 1, true)),
  div: ({ x, p }) => tf.div(x, p),
  floorDiv: ({ i }) => tf.floorDiv(i, tf.scalar(2, 'int32')),
  mod: ({ i }) => tf.mod(i, tf.scalar(2, 'int32')),
  pow: ({ p, x }) => tf.pow(p, x),
  maximum: ({ x, p }) => tf.maximum(x, p),
  minimum: ({ x, p }) => tf.minimum(x, p),
  equal: ({ i }) => tf.equal(i, tf.scalar(2, 'int32')),
  notEqual: ({ i }) => tf.notEqual(i, tf.scalar(2, 'int32')),
  greater: ({ x, p }) => tf.greater(x, p),
  greaterEqual: ({ i }) => tf.greaterEqual(i, tf.scalar(2, 'int32')),
  less: ({ x }) => tf.less(x, 0.1),
  lessEqual: ({ i }) => tf.lessEqual(i, tf.scalar(2, 'int32')),
  logicalAnd: ({ x, p }) => tf.logicalAnd(tf.greater(x, 0), tf.less(p, 1)),
  logicalOr: ({ x, p }) => tf.logicalOr(tf.greater(x, 0), tf.less(p, 1)),
  logicalNot: ({ x }) => tf.logicalNot(tf.greater(x, 0)),
  where: ({ x, p }) => tf.where(tf.greater(x, 0), x, p),
  'cast to int32': ({ x }) => tf.cast(tf.mul(x, 10), 'int32'),
  'cast to bool': ({ i }) => tf.cast(i, 'bool'),
  'cast from bool': ({ x }) => tf.cast(tf.greater(x, 0), 'float32'),
  'cast to the same': ({ x }) => tf.cast(x, 'float32'),
  sum: ({ x }) => tf.sum(x),
  'sum, axis': ({ q }) => tf.sum(q, [0, 2]),
  'sum, kept': ({ q }) => tf.sum(q, -1, true),
  'sum, int32': ({ i }) => tf.sum(i, 1),
  'sum, bool': ({ x }) => tf.sum(tf.greater(x, 0)),
  mean: ({ q }) => tf.mean(q, [1, -1], true),
  max: ({ x }) => tf.max(x, 1),
  min: ({ x }) => tf.min(x, 0, true),
  prod: ({ p }) => tf.prod(p, 1),
  all: ({ x }) => tf.all(tf.greater(x, -100)),
  any: ({ x }) => tf.any(tf.greater(x, 0), 1),
  logSumExp: ({ x }) => tf.logSumExp(x, -1),
  softmax: ({ x }) => tf.softmax(x),
  'softmax with −∞': ({ x }) => tf.softmax(tf.where(tf.greater(x, 0), x, tf.fill(x.shape, -Infinity))),
  logSoftmax: ({ x }) => tf.logSoftmax(x),
  cumsum: ({ x }) => tf.cumsum(x, 1),
  'cumsum, exclusive, reversed': ({ x }) => tf.cumsum(x, 0, true, true),
  matMul: ({ x, p }) => tf.matMul(x, p, false, true),
  'matMul, batches': ({ q }) => tf.matMul(q, q, false, true),
  'matMul, one for all batches': ({ q }) => tf.matMul(q, tf.ones([5, 2])),
  transpose: ({ q }) => tf.transpose(q, [2, 0, 3, 1]),
  reshape: ({ q }) => tf.reshape(q, [6, -1]),
  'reshape to a scalar': ({ x }) => tf.reshape(tf.slice(x, [1, 2], [1, 1]), []),
  expandDims: ({ x }) => tf.expandDims(x, 1),
  slice: ({ x }) => tf.slice(x, [1, 2], [2, -1]),
  concat: ({ x, p }) => tf.concat([x, p], 1),
  stack: ({ x, p }) => tf.stack([x, p], 1),
  unstack: ({ q }) => tf.unstack(q, 1)[2] ?? q,
  split: ({ x }) => tf.split(x, 3, 1)[1] ?? x,
  'split, sizes': ({ x }) => tf.split(x, [1, 3, 2], 1)[2] ?? x,
  // More parts than a few.
  'split, many alike': ({ x }) => tf.split(tf.reshape(x, [24]), 24)[20] ?? x,
  gather: ({ x, i }) => tf.gather(x, i),
  'gather, axis': ({ x }) => tf.gather(x, int([5, 0, 0]), 1),
  'gather, computed place': ({ q, start }) => tf.gather(q, tf.slice(start, [0], [1]), 2),
  oneHot: ({ i }) => tf.oneHot(tf.cast(i, 'int32'), 4),
  'oneHot, other values': ({ i }) => tf.oneHot(tf.cast(i, 'int32'), 4, 0.9, 0.1),
  pad: ({ x }) => tf.pad(x, [[1, 0], [0, 2]], 7), // oxfmt-ignore
  topk: ({ x }) => tf.topk(x, 3).values,
  'topk, indices': ({ x }) => tf.topk(x, 3).indices,
  unsortedSegmentSum: ({ q, i }) => tf.unsortedSegmentSum(tf.reshape(q, [15, 8]), tf.reshape(i, [15]), 4),
  tensorScatterUpdate: ({ x, start }) =>
    tf.tensorScatterUpdate(x, tf.reshape(start, [2, 1]) as T2, tf.ones([2, 6]) as T2),
  zerosLike: ({ x }) => tf.zerosLike(x),
  onesLike: ({ x }) => tf.onesLike(x),
  addN: ({ x, p }) => tf.addN([x, p, x]),
  range: ({ i }) => tf.add(i, tf.range(0, 5, 1, 'int32')),
  'a large range': ({ x }) => tf.add(tf.sum(x), tf.range(0, 5000)),
  'a large constant': ({ x }) => tf.add(tf.sum(x), tf.fill([90, 50], 0.25)),
  'a constant with −∞': ({ x }) => tf.add(tf.sum(x), tf.tensor1d([-Infinity, 1])),
  statelessUniform: ({ start }) => statelessUniform([3, 5], start),
  dynamicSlice: ({ x, start }) => dynamicSlice(x, start, [2, 3]),
  'dynamicSlice, moved inside': ({ x, start }) => dynamicSlice(x, start, [4, 5]),
  dynamicUpdateSlice: ({ x, start }) => dynamicUpdateSlice(x, tf.ones([2, 3]), start),
  'dynamicUpdateSlice, moved inside': ({ x, p, start }) => dynamicUpdateSlice(x, tf.slice(p, [0, 0], [3, 5]), start),
  'dynamicUpdateSlice, int32': ({ i, start }) => dynamicUpdateSlice(i, tf.zeros([1, 2], 'int32'), start),
};

/** Gradients of tfjs with operations of their own. */
const gradients: Record<string, (inputs: Inputs) => tf.Tensor> = {
  'gather': ({ x, i }) => tf.grad((v) => tf.sum(tf.square(tf.gather(v as T2, i))))(x), // oxfmt-ignore
  'matMul': ({ x, p }) => tf.grad((v) => tf.sum(tf.tanh(tf.matMul(v as T2, p, false, true))))(x), // oxfmt-ignore
  'softmax': ({ x, p }) => tf.grad((v) => tf.sum(tf.mul(tf.softmax(v as T2), p)))(x), // oxfmt-ignore
  'logSumExp': ({ x }) => tf.grad((v) => tf.sum(tf.logSumExp(v, -1)))(x), // oxfmt-ignore
  'max': ({ x }) => tf.grad((v) => tf.sum(tf.max(v, 1)))(x), // oxfmt-ignore
  'minimum and clip': ({ x, p }) => tf.grad((v) => tf.sum(tf.minimum(tf.clipByValue(v, -0.5, 0.5), p)))(x),
  'layer norm': ({ x }) =>
    tf.grad((v) => {
      const centred = tf.sub(v, tf.mean(v, -1, true));
      return tf.sum(tf.pow(tf.mul(centred, tf.rsqrt(tf.add(tf.mean(tf.square(centred), -1, true), 1e-5))), 3));
    })(x),
  'erf': ({ x }) => tf.grad((v) => tf.sum(tf.mul(v, tf.erf(v))))(x), // oxfmt-ignore
  'slice, concat, pad': ({ x }) => tf.grad((v) => tf.sum(tf.square(tf.concat([tf.slice(v, [1, 0], [2, 6]), v], 0))))(x),
  'transpose, unstack': ({ q }) =>
    tf.grad((v) => tf.sum(tf.square(tf.unstack(tf.transpose(v, [1, 0, 3, 2]), 0)[1] ?? v)))(q),
  'log, where': ({ p, x }) => tf.grad((v) => tf.sum(tf.where(tf.greater(x, 0), tf.log(v), v)))(p),
  'relu, abs': ({ x }) => tf.grad((v) => tf.sum(tf.add(tf.relu(v), tf.abs(v))))(x),
  'sqrt, div': ({ p, x }) => tf.grad((v) => tf.sum(tf.div(x, tf.sqrt(v))))(p),
  'cumsum': ({ x, p }) => tf.grad((v) => tf.sum(tf.mul(tf.cumsum(v, 1), p)))(x), // oxfmt-ignore
};

const all = { ...operations, ...Object.fromEntries(Object.entries(gradients).map(([k, f]) => [`gradient: ${k}`, f])) };

function inputs(): [T2, T2, tf.Tensor4D, T2, tf.Tensor1D] {
  const spread = (i: number) => ((i * 7919) % 241) / 60 - 2;
  const numbers = (length: number, of: (i: number) => number) => Float32Array.from({ length }, (_, i) => of(i));
  return [
    tf.tensor2d(numbers(24, spread), [4, 6]),
    tf.tensor2d(numbers(24, (i) => 0.1 + ((i * 37) % 19) / 10), [4, 6]), // oxfmt-ignore
    tf.tensor4d(numbers(120, (i) => spread(i + 50)), [2, 3, 4, 5]), // oxfmt-ignore
    tf.tensor2d(Int32Array.from({ length: 15 }, (_, i) => (i * 7) % 4), [3, 5]), // oxfmt-ignore
    tf.tensor1d(Int32Array.of(1, 2)),
  ];
}

function resultsOf(way: Way) {
  return withSession(way, (session, xla) => {
    const fn = session.compile(
      (x: T2, p: T2, q: tf.Tensor4D, i: T2, start: tf.Tensor1D) =>
        Object.values(all).map((operation) => operation({ x, p, q, i, start })),
      { name: 'operations', xla },
    );
    const args = inputs();
    const results = taken(fn(...args));
    tf.dispose(args);
    return new Map(Object.keys(all).map((name, i) => [name, results[i]]));
  });
}

describe('the operations of the engine', () => {
  let eager: Awaited<ReturnType<typeof resultsOf>>;
  beforeAll(async () => {
    await testRuntime();
    eager = await resultsOf('eager');
  });

  it.each(['graph', 'xla'] as const)('give the same as a %s as they do one by one', async (way) => {
    const compiled = await resultsOf(way);
    for (const [name, expected] of eager) {
      const actual = compiled.get(name);
      expect([name, actual?.shape, actual?.dtype]).toEqual([name, expected?.shape, expected?.dtype]);
      expect(difference(actual?.values ?? [], expected?.values ?? []), name).toBeLessThanOrEqual(1e-6);
    }
  });

  it('are all that whole cycles use, gradients included', async () => {
    const tested = await operationsOf(() => resultsOf('eager'));
    const used = await operationsOf(async () => {
      for (const changes of [{ reward_kind: 'head' }, { reward_kind: 'critic' }] as const) {
        const quick = { max_iters: 2, eval_interval: 2, reward_max_iters: 2, grpo_max_steps: 2, max_cycles: 1 };
        const few = { eval_iters: 1, reward_train_samples: 16, reward_val_samples: 16, grpo_eval_prompts: 4 };
        const config = tinyConfig({ dropout: 0.1, ...quick, ...few, ...changes });
        const env = await testEnvironment();
        const runtime: Runtime = {
          ...env.runtime,
          createSession: () => env.runtime.createSession({ compiled: false }),
        };
        await runCycles({ config, store: memoryStore(), env: { ...env, runtime } });
      }
    });
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((name) => !tested.has(name))).toEqual([]);
  });
});

/** TensorFlow's names of the operations that `work` runs eagerly. */
async function operationsOf(work: () => Promise<unknown>): Promise<Set<string>> {
  const backend = tf.backend() as unknown as NodeBackend;
  const { executeSingleOutput, executeMultipleOutputs } = backend;
  const names = new Set<string>();
  backend.executeSingleOutput = (name, ...rest) => {
    names.add(name);
    return executeSingleOutput(name, ...rest);
  };
  backend.executeMultipleOutputs = (name, ...rest) => {
    names.add(name);
    return executeMultipleOutputs(name, ...rest);
  };
  try {
    await work();
  } finally {
    Object.assign(backend, { executeSingleOutput, executeMultipleOutputs });
  }
  return names;
}
