/** WebGPU on a software driver: the losses, gradients and texts of TensorFlow, and clear messages when a device fails. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { toFault } from '../../../shared/errors.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { generate } from '../../../main/engine/generate/generate.js';
import { trainedOf } from '../../../main/engine/model/adapters.js';
import { createParameters, initialWeights, trunk } from '../../../main/engine/model/model.js';
import { nextTokenLoss } from '../../../main/engine/model/token-losses.js';
import { valuesOf } from '../../../main/engine/runtime/reading.js';
import { disposeTrees } from '../../../main/engine/runtime/tree.js';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import { selectWebgpu } from '../../../main/engine/runtime/backends/webgpu.js';
import type { Runtime } from '../../../main/engine/runtime/types.js';
import { createAdamW } from '../../../main/engine/train/optimizer.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
import { runtimeWithoutXla, tinyLlama, tinyModel, tinyModern } from '../../support/engine.js';
import { difference, knownNumbers } from '../../support/runtime.js';
import { useSwiftshader } from '../../support/swiftshader.js';

const qwen: GPTConfig = {
  ...tinyLlama,
  llama: { ...tinyLlama.llama, tied_head: true, attention_bias: 'inputs' } as never,
};
const lora = { rank: 2, alpha: 4, projections: 'all' } as const;
const small = { n_layer: 1, block_size: 8 };
const shapes: readonly (readonly [string, GPTConfig])[] = [
  ['gpt2', { ...tinyModel, ...small }],
  ['modern', { ...tinyModern, ...small }],
  ['llama', { ...tinyLlama, ...small }],
  ['qwen2', { ...qwen, ...small }],
  ['llama with adapters', { ...tinyLlama, ...small, lora }],
  ['qwen2 with adapters', { ...qwen, ...small, lora }],
];

beforeAll(useSwiftshader);

/** The loss of a batch, its gradients, and the weights after `steps` of the optimizer. */
async function learned(runtime: Runtime, model: GPTConfig, steps = 1) {
  const session = runtime.createSession();
  const weights = Object.entries(initialWeights(model, 1)).map(([name, { shape, data }], at) => {
    // Adapters begin with zeros, which would hide their gradients.
    const noise = knownNumbers(data.length, at);
    return [name, { shape, data: data.map((value, i) => value + 0.02 * (noise[i] ?? 0)) }] as const;
  });
  const parameters = createParameters(session, Object.fromEntries(weights));
  const trained = trainedOf(model, parameters);
  const optimizer = createAdamW(session, trained, { weightDecay: 0.1, gradClip: 1, inPlace: true });
  const step = session.compile(
    (x: tf.Tensor, y: tf.Tensor, scalars: tf.Tensor) => {
      const { value, gradients } = gradientsOf(
        () => nextTokenLoss({ model, parameters, hidden: trunk(model, parameters, x), labels: y }),
        trained,
      );
      return { value, norm: optimizer.apply(gradients, scalars), gradients: Object.values(gradients) };
    },
    { name: 'step' },
  );
  const ids = Int32Array.from({ length: 2 * model.block_size + 1 }, (_, i) => (i * i) % 7);
  const shape = [2, model.block_size] as const;
  const inputs = [tf.tensor2d(ids.slice(0, -1), [...shape]), tf.tensor2d(ids.slice(1), [...shape])] as const;
  const numbers: number[][] = [];
  for (let at = 0; at < steps; at++) {
    const scalars = optimizer.scalars(at + 1, 1e-2);
    const outputs = step(...inputs, scalars);
    const read = await Promise.all([outputs.value, outputs.norm, ...outputs.gradients].map((x) => valuesOf(x)));
    if (at === 0) numbers.push(...read.map((values) => Array.from(values)));
    disposeTrees(outputs, scalars);
  }
  await session.download();
  numbers.push(...Object.values(trained).map((variable) => Array.from(session.read(variable))));
  disposeTrees(inputs);
  session.dispose();
  return numbers;
}

const webgpu = () => loadRuntime({ bindingPath: null, device: 'webgpu' });

describe('WebGPU', () => {
  it.each(shapes)('has the loss and the gradients of TensorFlow: %s', async (_, model) => {
    const expected = await learned(await runtimeWithoutXla(), model);
    const numbers = await learned(await webgpu(), model);
    expect(numbers.length).toBe(expected.length);
    numbers.forEach((values, at) => expect(difference(values, expected[at] ?? [])).toBeLessThan(1e-4));
  });

  it('takes steps in memory that does not grow, to the same bytes', async () => {
    const runtime = await webgpu();
    const [model] = shapes.map(([, shape]) => shape);
    const first = await learned(runtime, model as GPTConfig, 3);
    const held = () => (tf.memory() as unknown as { readonly numBytesAllocatedInGPU: number }).numBytesAllocatedInGPU;
    const [before, tensors] = [held(), tf.memory().numTensors];
    expect(await learned(runtime, model as GPTConfig, 3)).toEqual(first);
    expect([held(), tf.memory().numTensors]).toEqual([before, tensors]);
  });

  it('writes the text of TensorFlow, without a read for each token', async () => {
    const [model] = shapes.map(([, shape]) => shape);
    const weights = initialWeights(model as GPTConfig, 1);
    const write = async (runtime: Runtime) =>
      generate({
        ...{ model: model as GPTConfig, weights, prompts: [Uint32Array.of(1, 2), Uint32Array.of(3)], newTokens: 4 },
        ...{ temperature: 1, topP: 0.9, seed: 1, stream: 1 },
        env: {
          runtime,
          emit: () => undefined,
          now: () => 0,
          stop: { requested: false },
          yieldToEventLoop: () => Promise.resolve(),
        },
      });
    const expected = await write(await runtimeWithoutXla());
    expect(await write(await webgpu())).toEqual(expected);
  });

  it('reports an array beyond its limits, and then a device that is lost', async () => {
    const gpu = await selectWebgpu();
    const most = gpu.most;
    const x = tf.zeros([4]);
    const faultOf = async (make: () => tf.Tensor) => {
      try {
        await valuesOf(make());
        return null;
      } catch (error) {
        return toFault(error).code;
      }
    };
    expect(await faultOf(() => tf.fill([most / 4 + 1], 1))).toBe('out_of_memory');
    expect(await faultOf(() => tf.add(x, 1))).toBeNull();
    gpu.lose();
    expect(await faultOf(() => tf.add(x, 1))).toBe('runtime_missing');
  });
});
