/** Variables and compiled functions: state, shapes, aliasing, disposal, and the errors for what cannot be compiled. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { statelessUniform } from '../../../main/engine/runtime/ops.js';
import type { NodeBackend } from '../../../main/engine/runtime/tensorflow.js';
import { taken, testRuntime, uniformKnown, ways, withSession } from '../../support/runtime.js';

const values = (tensors: readonly tf.Tensor[]): number[][] => taken(tensors).map((tensor) => tensor.values);
const native = () => (tf.backend() as unknown as NodeBackend).binding;

beforeAll(testRuntime);

describe.each(ways)('a session, %s', (way) => {
  it('reads, assigns and reads again inside one function', () =>
    withSession(way, (session, xla) => {
      const v = session.variable('v', [2], Float32Array.of(1, 2));
      const f = session.compile(
        (x: tf.Tensor) => {
          const before = tf.mul(v, 10);
          v.assign(tf.add(v, x));
          const between = tf.mul(v, 10);
          v.assign(tf.mul(v, 2));
          return [before, between, tf.add(v, 0.5)];
        },
        { name: 'read_assign_read', xla },
      );
      const x = tf.tensor1d([1, 1]);
      expect(values(f(x))).toEqual([[10, 20], [20, 30], [4.5, 6.5]]); // oxfmt-ignore
      expect(Array.from(session.read(v))).toEqual([4, 6]);
      expect(values(f(x))).toEqual([[40, 60], [50, 70], [10.5, 14.5]]); // oxfmt-ignore
      x.dispose();
    }));

  it('keeps values assigned from arguments or captured tensors after these are disposed', () =>
    withSession(way, (session, xla) => {
      const v = session.variable('v', [2, 2]);
      const w = session.variable('w', [3], Float32Array.of(7, 8, 9));
      const captured = tf.tensor1d([4, 5, 6]);
      const store = session.compile(
        (x: tf.Tensor) => {
          v.assign(tf.reshape(x, [2, 2]) as tf.Tensor as typeof v);
          w.assign(captured);
          return [];
        },
        { name: 'store', xla },
      );
      const memory = Float32Array.of(1, 2, 3, 4);
      const x = tf.tensor1d(memory);
      store(x);
      // One by one, tfjs itself goes on using the array it was given.
      if (way !== 'eager') memory.fill(-1);
      tf.dispose([x, captured]);
      expect(Array.from(session.read(v))).toEqual([1, 2, 3, 4]);
      expect(Array.from(session.read(w))).toEqual([4, 5, 6]);
    }));

  it('gives results that later calls do not change', () =>
    withSession(way, (session, xla) => {
      const v = session.variable('v', [2], Float32Array.of(1, 2));
      const next = session.compile(
        () => {
          const old = v.clone();
          v.assign(tf.add(v, 1));
          return [old, v.clone()];
        },
        { name: 'next', xla },
      );
      const first = next();
      tf.dispose([...next()]);
      expect(values(first)).toEqual([[1, 2], [2, 3]]); // oxfmt-ignore
    }));

  it('shares variables between functions, whenever they are compiled', () =>
    withSession(way, (session, xla) => {
      const v = session.variable('v', [], Float32Array.of(1));
      const unused = session.variable('unused', [2], Float32Array.of(5, 6));
      const double = session.compile(
        () => {
          v.assign(tf.mul(v, 2));
          return [];
        },
        { name: 'double', xla },
      );
      double();
      const show = session.compile((x: tf.Tensor) => [tf.add(v, x)], { name: 'show', xla });
      const zero = tf.scalar(0);
      const zeros = tf.zeros([2]);
      expect(values(show(zero))).toEqual([[2]]);
      double();
      expect(values(show(zeros))).toEqual([[4, 4]]);
      double();
      expect(values(show(zero))).toEqual([[8]]);
      session.write(v, Float32Array.of(100));
      expect(values(show(zeros))).toEqual([[100, 100]]);
      double();
      expect([...session.read(v), ...session.read(unused)]).toEqual([200, 5, 6]);
      expect(session.readAll([unused, v]).map((x) => Array.from(x))).toEqual([[5, 6], [200]]);
      tf.dispose([zero, zeros]);
    }));

  it('uses captured tensors as they were when the function was traced', () =>
    withSession(way, (session, xla) => {
      const captured = tf.tensor2d([1, 2, 3, 4], [2, 2]);
      const f = session.compile((x: tf.Tensor2D) => [tf.matMul(x, captured), captured], { name: 'captured', xla });
      const x = tf.tensor2d([1, 0, 0, 1], [2, 2]);
      expect(values(f(x))).toEqual([[1, 2, 3, 4], [1, 2, 3, 4]]); // oxfmt-ignore
      tf.dispose([x, captured]);
    }));

  it('traces each combination of shapes and types once', () =>
    withSession(way, (session, xla) => {
      let calls = 0;
      const f = session.compile(
        (x: tf.Tensor) => {
          calls++;
          return [tf.add(x, x)];
        },
        { name: 'twice', xla },
      );
      const inputs = [tf.zeros([2]), tf.zeros([3]), tf.zeros([2], 'int32'), tf.zeros([2])];
      for (const x of [...inputs, ...inputs]) expect(taken(f(x))).toMatchObject([{ shape: x.shape, dtype: x.dtype }]);
      if (way !== 'eager') expect(calls).toBe(3);
      tf.dispose(inputs);
    }));

  it('tidies nested scopes, and calls compiled functions from compiled functions', () =>
    withSession(way, (session, xla) => {
      const v = session.variable('v', [2], Float32Array.of(3, 4));
      const inner = session.compile((x: tf.Tensor) => [tf.mul(x, v)], { name: 'inner', xla });
      const outer = session.compile(
        (x: tf.Tensor) => {
          const sum = tf.tidy(() => tf.tidy(() => tf.add(tf.square(x), 1)));
          const [product = sum] = inner(sum);
          return [tf.sum(product)];
        },
        { name: 'outer', xla },
      );
      const x = tf.tensor1d([1, 2]);
      expect(values(outer(x))).toEqual([[26]]);
      x.dispose();
    }));

  it('takes gradients of variables, by name, with the same name in another session', async () => {
    await withSession(way, (session, xla) => {
      session.variable('w', [1], Float32Array.of(100));
      return withSession(way, (other) => {
        const w = other.variable('w', [2], Float32Array.of(1, 2));
        const u = other.variable('u', [2], Float32Array.of(5, 6));
        const f = other.compile(
          (x: tf.Tensor) => {
            const { value, grads } = tf.variableGrads(() => tf.sum(tf.mul(tf.square(w), x)) as tf.Scalar, [w]);
            return [value, grads['w'] ?? tf.scalar(0), tf.add(u, 0)];
          },
          { name: 'gradient', xla },
        );
        const x = tf.tensor1d([3, 4]);
        expect(values(f(x))).toEqual([[19], [6, 16], [5, 6]]); // oxfmt-ignore
        x.dispose();
      });
    });
  });

  it('treats denormal numbers as zero, for speed', () =>
    withSession(way, (session, xla) => {
      const f = session.compile(
        (small: tf.Tensor, denormal: tf.Tensor) => {
          const product = tf.matMul(tf.reshape(small, [-1, 8]) as tf.Tensor2D, tf.fill([8, 8], 1e-30));
          return [tf.mul(small, 1e-30), tf.mul(denormal, 1e30), product];
        },
        { name: 'denormals', xla },
      );
      const args = [tf.fill([64], 1e-10), tf.tensor1d(new Float32Array(64).fill(1e-40))] as const;
      expect(values(f(...args)).flat(9)).toEqual(Array.from({ length: 192 }, () => 0));
      tf.dispose([...args]);
    }));

  it('leaves no tensor behind', async () => {
    const before = { tensors: tf.memory().numTensors, native: native().getNumOfTensors() };
    await withSession(way, (session, xla) => {
      const v = session.variable('v', [4], Float32Array.of(1, 2, 3, 4));
      session.variable('never used', [4]);
      const f = session.compile(
        (x: tf.Tensor) => {
          v.assign(tf.add(v, x));
          return [tf.sum(v), tf.mul(v, 2)];
        },
        { name: 'count', xla },
      );
      const x = tf.ones([4]);
      let after = -1;
      for (let i = 0; i < 20; i++) {
        tf.dispose([...f(x)]);
        session.read(v);
        if (i === 1) after = tf.memory().numTensors;
      }
      expect(tf.memory().numTensors).toBe(after);
      session.write(v, new Float32Array(4));
      tf.dispose([...f(x), x]);
    });
    expect({ tensors: tf.memory().numTensors, native: native().getNumOfTensors() }).toEqual(before);
    expect(native().getNumOfSavedModels()).toBe(0);
  });
});

describe('a compiled session', () => {
  it('refuses too many concurrent calls, and concurrent assignments', () =>
    withSession('graph', (session) => {
      const w = session.variable('w', [], Float32Array.of(0));
      const count = session.compile(
        () => {
          w.assign(tf.add(w, 1));
          return [];
        },
        { name: 'count', copies: 2 },
      );
      expect(() => count.together([[], []])).toThrow('count assigns, so it cannot have copies');
      const double = session.compile((x: tf.Tensor) => [tf.mul(x, 2)], { name: 'double', copies: 2 });
      const x = tf.scalar(1);
      expect(() => double.together([[x], [x], [x]])).toThrow('double has fewer than 3 copies');
      x.dispose();
    }));

  it('collects JavaScript’s copy of a large variable before the function runs', () =>
    withSession('graph', async (session) => {
      // Both do not fit one transfer.
      const size = 9 * 2 ** 20;
      const given = [1, 2].map((value) => new WeakRef(new Float32Array(size).fill(value)));
      const variables = given.map((values, i) => session.variable(`large.${i}`, [size], values.deref()));
      const ends = session.compile(() => [...variables, session.variable('zeros', [2])].map((one) => tf.sum(one)), {
        name: 'sums',
        xla: false,
      });
      // Dereferenced values live until the end of the turn.
      await new Promise((done) => setImmediate(done));
      expect(values(ends())).toEqual([[size], [2 * size], [0]]);
      expect(given.map((one) => one.deref())).toEqual([undefined, undefined]);
    }));

  it('reads the values of a variable once, when a function first needs it', () =>
    withSession('graph', (session) => {
      const size = 9 * 2 ** 20;
      const accessed: number[] = [];
      const variables = [1, 2, 3].map((value) =>
        session.variable(`given.${value}`, [size], {
          get data() {
            accessed.push(value);
            return new Float32Array(size).fill(value);
          },
        }),
      );
      const [first, second] = variables;
      const sums = session.compile(() => [first, second].map((one) => tf.sum(one as tf.Variable)), {
        name: 'two_sums',
        xla: false,
      });
      expect(accessed).toEqual([]);
      for (let i = 0; i < 2; i++) expect(values(sums())).toEqual([[size], [2 * size]]);
      expect(accessed).toEqual([1, 2]);
      const short = session.variable('short', [2], { data: Float32Array.of(1) });
      const read = session.compile(() => [tf.sum(short)], { name: 'read_short', xla: false });
      expect(() => read()).toThrow(/short has 2 elements/);
    }));

  it('stores a captured tensor once, whatever its size and uses', async () => {
    const operationsWith = async (size: number) => {
      let operations = 0;
      const onPhase = (phase: string, _name: string, count: number) => {
        if (phase === 'compile') operations = count;
      };
      const captured = tf.tidy(() => tf.mod(tf.range(0, size), 2));
      const x = tf.ones([size]);
      await withSession(
        'graph',
        (session) => {
          const f = session.compile(
            (x: tf.Tensor) => [tf.sum(tf.mul(tf.add(x, captured), tf.sub(x, captured.clone())))],
            { name: `captured_${String(size)}`, xla: true },
          );
          expect(values(f(x))).toEqual([[size / 2]]);
        },
        { onPhase },
      );
      tf.dispose([captured, x]);
      return operations;
    };
    // 32 numbers are compared by value.
    expect(await operationsWith(32)).toBeGreaterThan(0);
    expect(await operationsWith(2048)).toBe(await operationsWith(32));
  });

  it('reports a first run', async () => {
    const phases: string[] = [];
    await withSession(
      'graph',
      (session) => {
        const f = session.compile((x: tf.Tensor) => [tf.neg(x)], { name: 'negate', xla: false });
        const x = tf.zeros([2]);
        for (let i = 0; i < 3; i++) tf.dispose([...f(x)]);
        x.dispose();
      },
      { onPhase: (phase, name, operations) => phases.push(`${phase} ${name} ${operations}`) },
    );
    expect(phases).toEqual(['compile negate 0']);
  });

  it('computes what does not depend on arguments or variables once, while tracing', () =>
    withSession('graph', (session) => {
      let read = 0;
      const f = session.compile(
        (x: tf.Tensor) => {
          const mask = tf.sub(1, tf.tensor1d([0, 0.5, 1]));
          read += mask.dataSync()[0] ?? 0;
          return [tf.mul(x, mask)];
        },
        { name: 'constants', xla: false },
      );
      const x = tf.ones([3]);
      for (let i = 0; i < 3; i++) expect(values(f(x))).toEqual([[1, 0.5, 0]]);
      expect(read).toBe(1);
      x.dispose();
    }));

  it('is unchanged after a function that throws', () =>
    withSession('graph', (session) => {
      const v = session.variable('v', [2], Float32Array.of(1, 2));
      const broken = session.compile(
        () => {
          v.assign(tf.add(v, 1));
          throw new Error('no');
        },
        { name: 'broken' },
      );
      const tensors = tf.memory().numTensors;
      expect(() => broken()).toThrow('no');
      expect(() => broken()).toThrow('no');
      expect(tf.memory().numTensors).toBe(tensors);
      expect(Array.from(session.read(v))).toEqual([1, 2]);
      expect(() => Math.random()).not.toThrow();
    }));

  const faults: Record<string, [(x: tf.Tensor) => tf.Tensor, RegExp]> = {
    'reading values': [(x) => tf.scalar(x.dataSync()[0] ?? 0), /Reading values/],
    'reading a variable': [(x) => tf.scalar(x.arraySync() as number), /Reading values/],
    'random numbers of tfjs': [(x) => tf.add(x, tf.randomUniform(x.shape)), /random number/],
    'dropout of tfjs': [(x) => tf.dropout(x, 0.5), /random number/],
    'a draw that nothing repeats': [(x) => tf.multinomial(tf.reshape(x, [1, -1]) as tf.Tensor2D, 1, 3), /Multinomial/],
  };
  it.each(Object.keys(faults))('refuses %s, naming it and the line', (name) =>
    withSession('graph', (session) => {
      const [fn, words] = faults[name] ?? [];
      if (!fn || !words) throw new Error('no such case');
      const f = session.compile((x: tf.Tensor) => [fn(x)], { name: 'wrong' });
      const x = tf.ones([4]);
      expect(() => f(x)).toThrow(new RegExp(`${words.source}.*session\\.shipped\\.test\\.ts:\\d+`));
      x.dispose();
    }),
  );

  it('refuses a variable of another session', () =>
    withSession('graph', (session) =>
      withSession('graph', (other) => {
        const foreign = other.variable('foreign', [1]);
        const f = session.compile((x: tf.Tensor) => [tf.add(foreign, x)], { name: 'wrong' });
        const x = tf.ones([1]);
        expect(() => f(x)).toThrow(/another session/);
        x.dispose();
      }),
    ));

  it('refuses values that do not fit a variable', () =>
    withSession('graph', (session) => {
      expect(() => session.variable('v', [2], Float32Array.of(1))).toThrow(/v has 2 elements/);
      const v = session.variable('v', [2]);
      expect(() => session.write(v, new Float32Array(3))).toThrow(/2 elements/);
    }));
});

/** Of as many pairs as the shorter list has. */
function correlation(a: readonly number[], b: readonly number[]): number {
  // The mean of a uniform number is 1/2, its variance 1/12.
  return (12 * a.reduce((sum, value, i) => sum + (value - 0.5) * ((b[i] ?? NaN) - 0.5), 0)) / a.length;
}

describe.each(ways)('statelessUniform, %s', (way) => {
  it('is a function of its key, uniform in [0, 1)', () =>
    withSession(way, (session, xla) => {
      const draw = session.compile((key: tf.Tensor) => [statelessUniform([100, 200], key)], { name: 'draw', xla });
      const drawn = (a: number, b: number): number[] => {
        const key = tf.tensor1d([a, b], 'int32');
        const [numbers = []] = values(draw(key));
        key.dispose();
        return numbers;
      };
      const first = drawn(1, 2);
      expect(drawn(1, 2)).toEqual(first);
      expect(first.slice(0, 4).map((value) => value * 2 ** 24)).toEqual(uniformKnown);
      const others = [drawn(2, 2), drawn(1, 3), drawn(-5, 2)];
      for (const other of others) {
        const equal = other.filter((value, i) => value === first[i]).length;
        expect(equal).toBeLessThan(20);
        expect(Math.abs(correlation(other, first))).toBeLessThan(5 / 141); // five standard deviations of 20,000
      }
      for (const numbers of [first, ...others]) {
        expect(numbers.every((value) => value >= 0 && value < 1)).toBe(true);
        const counts = Array.from(
          { length: 10 },
          (_, i) => numbers.filter((value) => Math.floor(value * 10) === i).length,
        );
        // 2,000 expected in each of ten bins, standard deviation 42.
        for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(6 * 42);
        // Neighbours, in the row and in the column, know nothing of each other.
        for (const lag of [1, 2, 200]) expect(Math.abs(correlation(numbers.slice(lag), numbers))).toBeLessThan(5 / 141);
      }
    }));
});
