/** What a writer says of its own tokens is what reading them says: nothing is read a second time. */
import { expect, it } from 'vitest';
import { initialWeights, createParameters } from '../../../main/engine/model/model.js';
import { createContinuer, createReader, spreadPassages } from '../../../main/engine/voice/passages.js';
import { withSession } from '../../../main/engine/runtime/session.js';
import { passageShape } from '../../../shared/config/voice.js';
import { patternTokens, testEnvironment, tinyLlama } from '../../support/engine.js';

it('scores continuations in the pass that writes them, under the network and not the rule they are drawn by', async () => {
  const env = await testEnvironment();
  await withSession(env.runtime, async (session) => {
    const model = { ...tinyLlama, lora: { rank: 2, alpha: 4, projections: 'all' as const } };
    const weights = Object.entries(initialWeights(model, 3)).map(([name, { shape, data }]) => {
      // As after training: an adapter's second factor begins at zero.
      const moved = name.endsWith('lora_B.weight') ? data.map((_, at) => Math.sin(at)) : data.map((x) => 8 * x);
      return [name, { shape, data: moved }] as const;
    });
    const parameters = createParameters(session, Object.fromEntries(weights));
    const shape = passageShape(model);
    const write = createContinuer(session, model, parameters, env, { rows: 6, vocabLimit: 8, excluded: [3] });
    const written = await write(spreadPassages(patternTokens(200), 4, shape), { seed: 1, stream: 9, first: 0 }, 3);
    if (!written) throw new Error('nothing was written');
    const read = await createReader(session, [{ model, parameters }], env)(written.ids);
    expect(written.logProbs).toHaveLength(12);
    written.logProbs.forEach((own, row) => expect(own).toBeCloseTo(read[row] ?? NaN, 3));
    expect(new Set(written.logProbs).size).toBeGreaterThan(4);
  });
});
