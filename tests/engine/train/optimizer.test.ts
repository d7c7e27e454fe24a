/** Which rule trains what, and Muon against plain loops in float64; tests/parity/muon.test.ts compares with PyTorch. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import { createOptimizer } from '../../../main/engine/train/optimizer.js';
import { normals, streams } from '../../../main/engine/rng.js';
import { orthogonal } from '../../../main/engine/train/muon.js';
import { blockMatrices, parameterShapes } from '../../../shared/architectures/index.js';
import { testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

type Matrix = readonly (readonly number[])[];

const transpose = (x: Matrix): Matrix => (x[0] ?? []).map((_, column) => x.map((row) => row[column] ?? 0));
const multiply = (x: Matrix, y: Matrix): Matrix => {
  const columns = transpose(y);
  return x.map((row) => columns.map((column) => row.reduce((sum, value, i) => sum + value * (column[i] ?? 0), 0)));
};
const combine = (x: Matrix, y: Matrix, a: number, b: number): Matrix =>
  x.map((row, i) => row.map((value, j) => a * value + b * (y[i]?.[j] ?? 0)));

/** Keller Jordan's, on rows and columns as they are. */
function newtonSchulz(x: Matrix, iterations: number): Matrix {
  const length = Math.sqrt(x.flat().reduce((sum, value) => sum + value * value, 0));
  let result = combine(x, x, 1 / length, 0);
  for (let i = 0; i < iterations; i++) {
    const squares = multiply(result, transpose(result));
    const factor = combine(squares, multiply(squares, squares), -4.775, 2.0315);
    result = combine(result, multiply(factor, result), 3.4445, 1);
  }
  return result;
}

const rowsOf = (data: ArrayLike<number>, columns: number): Matrix =>
  Array.from({ length: data.length / columns }, (_, row) =>
    Array.from({ length: columns }, (_value, column) => data[row * columns + column] ?? 0),
  );

const noise = (length: number, place: number) => normals(1, streams.init, place, 0, length);

const train = tinyConfig({ optimizer: 'muon', muon_learning_rate: 0.05, learning_rate: 0.01, grad_clip: 0 });

describe('Muon', () => {
  it('brings every singular value near 1, of a stack of matrices at once', async () => {
    await testEnvironment();
    const stack = tf.tensor(noise(3 * 4 * 9, 1), [3, 4, 9]);
    const result = orthogonal(stack, 5);
    const squares = tf.matMul(result, result, false, true).arraySync() as number[][][];
    for (const square of squares) {
      square.forEach((row, i) => {
        row.forEach((value, j) => {
          if (i === j) expect(value).toBeGreaterThan(0.4);
          expect(Math.abs(value)).toBeLessThan(i === j ? 1.5 : 0.45);
        });
      });
    }
  });

  it('trains the matrices of the blocks, queries, keys and values apart, and leaves the rest to AdamW', async () => {
    expect(blockMatrices(tinyModel)).toEqual(
      Object.fromEntries(
        Object.keys(parameterShapes(tinyModel)).flatMap((name) =>
          /\.h\.\d+\.(attn|mlp)\..*weight$/.test(name) ? [[name, name.includes('c_attn') ? 3 : 1]] : [],
        ),
      ),
    );
    const { runtime } = await testEnvironment();
    const session = runtime.createSession();
    const weights = initialWeights(tinyModel, 3);
    const parameters = createParameters(session, weights);
    const names = Object.keys(parameters);
    const optimizer = createOptimizer(session, tinyModel, parameters, train);
    const plain = createOptimizer(session, tinyModel, parameters, { ...train, optimizer: 'adamw' });
    const compile = (of: typeof optimizer) =>
      session.compile(
        (scalars: tf.Tensor, ...given: tf.Tensor[]) => [
          of.apply(Object.fromEntries(given.map((gradient, i) => [names[i] ?? '', gradient])), scalars),
        ],
        { name: 'update' },
      );
    const gradients = names.map((name, i) => noise(parameters[name]?.size ?? 0, i));
    const given = names.map((name, i) => tf.tensor(gradients[i] ?? [], parameters[name]?.shape));
    const take = (of: typeof optimizer) => {
      const scalars = of.scalars(1, 0.01);
      tf.dispose([...compile(of)(scalars, ...given), scalars]);
      const after = Object.fromEntries(Object.entries(parameters).map(([name, each]) => [name, session.read(each)]));
      for (const name of names)
        session.write(parameters[name] ?? tf.variable(tf.scalar(0)), Float32Array.from(weights[name]?.data ?? []));
      return after;
    };
    const [byAdamW, byMuon] = [take(plain), take(optimizer)];

    names.forEach((name, index) => {
      const matrices = blockMatrices(tinyModel)[name];
      const found = byMuon[name] ?? [];
      if (matrices === undefined) return expect(found).toEqual(byAdamW[name]);
      const [, columns = 1] = parameters[name]?.shape ?? [];
      const rows = (parameters[name]?.size ?? 0) / columns / matrices;
      const before = rowsOf(weights[name]?.data ?? [], columns);
      // The first momentum is a twentieth of the gradient, of which Nesterov's step is a multiple: the direction is its own.
      const direction = rowsOf(gradients[index] ?? [], columns);
      const expected = Array.from({ length: matrices }, (_, part) => {
        const piece = direction.slice(part * rows, (part + 1) * rows);
        const moved = newtonSchulz(piece, 5);
        const step = 0.05 * Math.sqrt(Math.max(1, rows / columns));
        return combine(before.slice(part * rows, (part + 1) * rows), moved, 1 - 0.05 * train.weight_decay, -step);
      }).flat(2);
      expect(found).toHaveLength(expected.length);
      expected.forEach((value, i) => expect(found[i]).toBeCloseTo(value, 4));
    });
    tf.dispose(given);
    session.dispose();
  });

  it('remembers one number for each weight of the matrices, and two for each of the others', async () => {
    const { runtime } = await testEnvironment();
    const session = runtime.createSession();
    const parameters = createParameters(session, initialWeights(tinyModel, 3));
    const kept = Object.keys(createOptimizer(session, tinyModel, parameters, train).read());
    const matrices = Object.keys(blockMatrices(tinyModel));
    for (const name of Object.keys(parameters)) {
      expect(kept).toContain(`m.${name}`);
      expect(kept.includes(`v.${name}`)).toBe(!matrices.includes(name));
    }
    session.dispose();
  });
});
