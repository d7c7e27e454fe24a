/**
 * Adapters against PEFT: loss, the gradient of every factor, the merged network, and the files that it saves. The issue asks
 * for 1e-5 in the loss and 1e-3 in gradients; float32 in PyTorch itself is up to 2e-6 from float64 here (make_peft.py).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type * as tf from '@tensorflow/tfjs';
import { merged, trainedOf } from '../../main/engine/model/adapters.js';
import { crossEntropy } from '../../main/engine/model/layers.js';
import { createParameters, lmLogits, trunk } from '../../main/engine/model/model.js';
import { selectPrefix } from '../../main/engine/model/named-arrays.js';
import { gradientsOf } from '../../main/engine/train/gradients.js';
import type { NamedArrays } from '../../main/engine/types.js';
import { writePeftAdapters } from '../../main/formats/peft.js';
import { decodeSafetensors } from '../../main/formats/safetensors.js';
import { findForeignModel, loadForeignModel } from '../../main/storage/projects/foreign-models.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { Lora } from '../../shared/config/tune.js';
import { compileAs, inputsAndLabels, take, takeNumber, withSession, type Way } from './engine.js';
import { expectClose, expectParity, readArrays } from './fixture.js';

interface Facts {
  readonly base: string;
  readonly ids: readonly (readonly number[])[];
  readonly loss: number;
  readonly merged: number;
}
const at = (name: string) => new URL(`./fixtures/${name}`, import.meta.url);
const facts = JSON.parse(readFileSync(at('peft/peft.json'), 'utf8')) as Readonly<Record<string, Facts>>;

function fixtureOf(name: string, projections: Lora['projections']) {
  const { base = '', ...known } = facts[name] ?? {};
  const found = findForeignModel(at(base).pathname);
  if (!found) throw new Error(`no base for ${name}`);
  const { config, weights } = loadForeignModel(found);
  const ours = (arrays: NamedArrays) => selectPrefix(arrays, 'base_model.model.') ?? {};
  const model: GPTConfig = { ...config, dropout: 0, lora: { rank: 3, alpha: 12, projections } };
  const adapters = ours(readArrays(`peft/${name}/adapter_model`));
  return { ...known, base, model, weights: { ...weights, ...adapters }, gradients: ours(readArrays(`peft/${name}`)) };
}

const evaluate = (way: Way, model: GPTConfig, weights: NamedArrays, ids: Facts['ids']) =>
  withSession(way, (session) => {
    const parameters = createParameters(session, weights);
    const trained = trainedOf(model, parameters);
    const names = Object.keys(trained);
    const run = session.compile(
      (x: tf.Tensor, y: tf.Tensor) => {
        const loss = () => crossEntropy(lmLogits(model, parameters, trunk(model, parameters, x)), y);
        const { value, gradients } = gradientsOf(loss, trained);
        return [value, ...names.flatMap((name) => gradients[name] ?? [])];
      },
      compileAs(way, 'evaluate'),
    );
    const [loss, ...gradients] = run(...inputsAndLabels(ids));
    return { loss: takeNumber(loss), gradients: take(names, gradients) };
  });

describe.each([
  ['llama', 'all', ['eager', 'graph', 'xla']],
  ['qwen2', 'attention', ['graph']],
  ['gpt2', 'all', ['eager', 'graph']],
] as const)('adapters of %s on %s', (name, projections, ways) => {
  const { model, weights, ids = [], loss = NaN, ...expected } = fixtureOf(name, projections);

  it.each(ways)('loss, and gradients of the adapters alone: %s', async (way) => {
    const found = await evaluate(way, model, weights, ids);
    expectClose(found.loss, loss, 1e-5);
    expect(Object.keys(found.gradients).sort()).toEqual(Object.keys(expected.gradients).sort());
    expectParity(found.gradients, expected.gradients, 1e-4);
  });

  it('merged, computes the same', async () => {
    const whole = merged({ model, weights });
    const found = await evaluate('graph', whole.model, whole.weights, ids);
    expectClose(found.loss, expected.merged ?? NaN, 1e-5);
  });

  it('saved, are PEFT’s own file, and its settings', () => {
    const files = writePeftAdapters(model, weights, expected.base);
    const bytes = Buffer.concat([...files['adapter_model.safetensors']]);
    expect(decodeSafetensors(bytes, name).arrays).toEqual(readArrays(`peft/${name}/adapter_model`));
    const theirs: unknown = JSON.parse(readFileSync(at(`peft/${name}/adapter_config.json`), 'utf8'));
    const settings = JSON.parse(files['adapter_config.json']) as { target_modules: string[] };
    const targets = (theirs as typeof settings).target_modules;
    expect({ ...settings, target_modules: [] }).toEqual({ ...pick(theirs, Object.keys(settings)), target_modules: [] });
    expect(settings.target_modules.sort()).toEqual(targets.sort());
  });
});

const pick = (record: unknown, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(record as object).filter(([key]) => keys.includes(key)));
