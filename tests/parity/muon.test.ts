/** Muon against PyTorch's own, on given gradients; the fixture is make_muon.py's. */
import * as tf from '@tensorflow/tfjs';
import { describe, it } from 'vitest';
import { selectPrefix } from '../../main/engine/model/named-arrays.js';
import { createParameters } from '../../main/engine/model/model.js';
import { muon } from '../../main/engine/train/muon.js';
import { compileAs, withSession, WAYS, type Way } from './engine.js';
import { expectParity, readFixture } from './fixture.js';

interface Facts {
  readonly rates: readonly number[];
  readonly weight_decay: number;
  readonly joined: Readonly<Record<string, number>>;
}

describe.each<Way>([...WAYS, 'xla'])('Muon, %s', (way) => {
  it('four steps: tall, square and wide matrices, three in one, one that stands still at first', async () => {
    const { arrays, facts } = readFixture<Facts>('muon');
    const under = (prefix: string) => selectPrefix(arrays, prefix) ?? {};
    await withSession(way, (session) => {
      const parameters = createParameters(session, under('start.'));
      const names = Object.keys(parameters);
      const config = { stacked: facts.joined, rate: 2, weightDecay: facts.weight_decay, iterations: 5 };
      const rule = muon(session, parameters, config);
      const step = session.compile(
        (scalars: tf.Tensor, ...given: tf.Tensor[]) => {
          const gradients = Object.fromEntries(given.map((gradient, i) => [names[i] ?? '', gradient]));
          rule.update(gradients, undefined, tf.unstack(scalars) as tf.Scalar[]);
          return [tf.scalar(0)];
        },
        compileAs(way, 'muon'),
      );
      facts.rates.forEach((rate, index) => {
        const gradients = under(`gradient.${String(index)}.`);
        const given = names.map((name) => {
          const { data, shape } = gradients[name] ?? { data: new Float32Array(), shape: [0] };
          return tf.tensor(data, [...shape]);
        });
        const scalars = tf.tensor1d([...rule.scalars(index + 1, rate / 2)]);
        tf.dispose([...step(scalars, ...given), scalars, ...given]);
        const found = Object.fromEntries(Object.entries(parameters).map(([name, of]) => [name, session.read(of)]));
        expectParity(found, under(`after.${String(index)}.`), 1e-5);
      });
    });
  });
});
