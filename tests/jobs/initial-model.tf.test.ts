// Training that begins from a model (--init_from): its shape and tokens, a shorter context, and what cannot be.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { frozenOf, merged } from '../../main/engine/model/adapters.js';
import { initialWeights } from '../../main/engine/model/model.js';
import { trainJob } from '../../main/jobs/commands/train.js';
import { trainProblems } from '../../main/jobs/problems.js';
import { cloneJob, cycleJob, newProjectJob } from '../../main/jobs/project/cycle.js';
import { writeMetaPickle } from '../../main/formats/pickle/meta-pickle.js';
import { openProject } from '../../main/storage/projects/project-folder.js';
import { loadModel, saveModel } from '../../main/storage/projects/models.js';
import { trainCommandShape, type TrainCommand } from '../../shared/config/commands.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import { positionsOf, type GPTConfig } from '../../shared/config/model.js';
import { foreignFile, tensorHashes } from '../parity/foreign.js';
import { llamaFolder } from '../parity/llama.js';
import { faultOfAsync } from '../storage/fault-of.js';
import { tinyLlama, tinyModel, tinyModern } from '../support/engine.js';
import { projectRequest, temporaryFolder, testContext } from './context.js';

const small: GPTConfig = { ...tinyLlama, n_layer: 1, block_size: 64 };
const home = temporaryFolder();
const at = (...names: string[]) => join(home, ...names);
const chars = [...'\n abcdef'];
const text = Array.from({ length: 600 }, (_, i) => chars[(i * i + (i >> 2)) % chars.length]).join('');

const save = (name: string, config: GPTConfig) => {
  const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
  saveModel(at(name), { weights: initialWeights(config, 5), config, tokenization, provenance: {} });
};
beforeAll(() => {
  writeFileSync(at('book.txt'), text);
  save('llama', small);
  save('gpt2', tinyModel);
  save('modern', { ...tinyModern, n_layer: 1 });
});

const settings = (out: string, given: Readonly<Record<string, unknown>>): TrainCommand => {
  const quick = { max_iters: 4, eval_interval: 2, batch_size: 4, block_size: 8, warmup_iters: 1, threads: 1 };
  const all = { data_path: at('book.txt'), out_dir: at(out), device: 'cpu', ...quick, ...given };
  const resolved = resolveSettings(trainCommandShape, all);
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
  return z.object(trainCommandShape).parse(resolved.value);
};
const { context } = testContext();

describe('training', () => {
  it.each(['llama', 'gpt2', 'modern'])(
    'takes the model’s network and tokens, and a context of its own: %s',
    async (name) => {
      const results = await trainJob(settings(`out-${name}`, { init_from: at(name) }), context);
      const [was, is] = [loadModel(at(name)), loadModel(at(`out-${name}`, 'model'))];
      // Held-out text is read as far as the preset says, or the positions reach: those of gpt2 and modern end with the context.
      const window = name === 'llama' ? { eval_block_size: positionsOf(was.config) } : {};
      expect(is.config).toEqual({ ...was.config, ...window, block_size: 8, dropout: 0, reward_head_hidden_dim: 256 });
      expect(is.tokenization).toEqual(was.tokenization);
      expect(is.provenance).toMatchObject({ init_from: at(name), iterations: 4 });
      expect(results['iterations']).toBe(4);
      expect(tensorHashes(is.weights)).not.toEqual(tensorHashes(was.weights));
    },
  );

  it('begins with these very weights', async () => {
    await trainJob(settings('out-same', { init_from: at('llama'), max_iters: 0 }), context);
    expect(tensorHashes(loadModel(at('out-same', 'model')).weights)).toEqual(
      tensorHashes(loadModel(at('llama')).weights),
    );
    await trainJob(settings('out-cut', { init_from: at('gpt2'), max_iters: 0 }), context);
    const [positions, all] = ['out-cut/model', 'gpt2'].map(
      (name) => loadModel(at(name)).weights['transformer.wpe.weight'],
    );
    expect(positions?.shape).toEqual([8, 16]);
    expect(positions?.data).toEqual(all?.data.subarray(0, 8 * 16));
  });

  it('takes a checkpoint of nanoGPT with its meta.pkl', async () => {
    mkdirSync(at('nano'), { recursive: true });
    copyFileSync(foreignFile('nanogpt.pt'), at('nano/ckpt.pt'));
    copyFileSync(foreignFile('meta.pkl'), at('nano/meta.pkl'));
    writeFileSync(at('abc.txt'), 'abc de!\n'.repeat(100));
    const given = { init_from: at('nano'), data_path: at('abc.txt'), max_iters: 1 };
    await trainJob(settings('out-nano', given), context);
    expect(loadModel(at('out-nano', 'model')).config).toMatchObject({ n_layer: 2, n_embd: 12, vocab_size: 11 });
  });

  it('begins from a folder of NanoChat, whatever architecture is requested', async () => {
    mkdirSync(at('nanochat'), { recursive: true });
    for (const name of ['config.json', 'model.safetensors']) {
      copyFileSync(join(llamaFolder('nanochat'), name), at('nanochat', name));
    }
    // As many characters as it knows tokens.
    const known = Array.from({ length: 53 }, (_, i) => (i === 0 ? '\n' : String.fromCharCode(31 + i)));
    writeFileSync(at('nanochat/meta.pkl'), writeMetaPickle(known));
    writeFileSync(at('signs.txt'), 'A BC DE 123!\n'.repeat(100));
    const given = { init_from: at('nanochat'), data_path: at('signs.txt'), architecture: 'gpt2' };
    await trainJob(settings('out-nanochat', given), context);
    const { config } = loadModel(at('out-nanochat', 'model'));
    expect(config).toMatchObject({ architecture: 'modern', vocab_size: 53, block_size: 8, modern: { n_inner: 24 } });
    expect(readFileSync(at('out-nanochat/run.json'), 'utf8')).not.toContain('"architecture":"gpt2"');
  });

  it('scratch is the same run as none', async () => {
    const shape = { n_layer: 1, n_head: 1, n_embd: 8, tokenization: 'char' };
    await trainJob(settings('out-scratch', { init_from: 'scratch', ...shape }), context);
    const before = readFileSync(at('out-scratch/model/weights.safetensors'));
    const again = testContext();
    await trainJob(settings('out-scratch', shape), again.context);
    expect(again.events).toContainEqual(expect.objectContaining({ code: 'finished_already' }));
    expect(readFileSync(at('out-scratch/model/weights.safetensors'))).toEqual(before);
    expect(readFileSync(at('out-scratch/run.json'), 'utf8')).not.toContain('init_from');
  });

  const lora = { tune: 'lora', learning_rate: 1e-2 };

  it.each(['llama', 'gpt2', 'modern'])(
    'trains adapters alone, resumes, and is a beginning itself: %s',
    async (name) => {
      const given = { init_from: at(name), max_iters: 6, ...lora };
      await trainJob(settings(`lora-${name}`, given), context);
      const [was, is] = [loadModel(at(name)), loadModel(at(`lora-${name}`, 'model'))];
      expect(is.config.lora).toEqual({ rank: 16, alpha: 32, projections: 'all' });
      const frozen = frozenOf(is.config, is.weights);
      for (const [tensor, { data }] of Object.entries(frozen)) {
        expect(was.weights[tensor]?.data.subarray(0, data.length), tensor).toEqual(data);
      }
      const moved = Object.entries(is.weights).filter(([tensor]) => tensor.endsWith('.lora_B.weight'));
      expect(moved.length).toBeGreaterThan(4);
      expect(moved.every(([, { data }]) => data.some((x) => x !== 0))).toBe(true);

      // Metrics are emitted for every evaluation, progress less often.
      const stopping = testContext((event) => event.event === 'metrics' && event.step === 4);
      expect(await faultOfAsync(trainJob(settings(`again-${name}`, given), stopping.context))).toMatchObject({
        code: 'stopped',
      });
      await trainJob(settings(`again-${name}`, given), context);
      expect(tensorHashes(loadModel(at(`again-${name}`, 'model')).weights)).toEqual(tensorHashes(is.weights));

      // What is trained further is one set of weights, with the adapters added in.
      const further = { init_from: at(`lora-${name}`), max_iters: 0 };
      await trainJob(settings(`further-${name}`, further), context);
      const started = loadModel(at(`further-${name}`, 'model'));
      expect(started.config.lora).toBeUndefined();
      expect(tensorHashes(started.weights)).toEqual(
        tensorHashes(merged({ model: is.config, weights: is.weights }).weights),
      );
    },
  );

  it('adapters need a model to adapt', () => {
    const files = {
      kind: () => 'file' as const,
      readable: () => true,
      writable: () => true,
      matching: () => [],
      textsIn: () => [],
    };
    expect(trainProblems(settings('out-lora', lora), files)).toContainEqual(
      expect.objectContaining({ field: 'tune', code: 'bad_input', fix: { set: { tune: 'full' } } }),
    );
    const adapting = trainProblems(settings('out-lora', { ...lora, init_from: at('llama') }), files);
    expect(adapting.map(({ field }) => field)).not.toContain('tune');
  });

  it('a preset keeps its hands off the network, and takes small steps', () => {
    const started = resolveSettings(trainCommandShape, { init_from: '/models/smollm2', preset: 'medium' });
    const scratch = resolveSettings(trainCommandShape, { preset: 'medium' });
    if (!started.ok || !scratch.ok) throw new Error('not resolved');
    expect(scratch.value).toMatchObject({ n_embd: 384, block_size: 256, max_iters: 5000 });
    expect(started.value).toMatchObject({ block_size: 128, dropout: 0, learning_rate: 2e-4, max_iters: 200 });
    expect(started.value['n_embd']).not.toBe(384);
  });

  it.each<[string, Readonly<Record<string, unknown>>, object]>([
    [
      'a context that is too long',
      { init_from: at('llama'), block_size: 65 },
      { code: 'bad_input', field: 'block_size' },
    ],
    ['GPT-2’s too', { init_from: at('gpt2'), block_size: 17 }, { code: 'bad_input', field: 'block_size' }],
    [
      'tokens of another kind',
      { init_from: at('llama'), tokenization: 'bpe' },
      { code: 'tokenization_mismatch', field: 'tokenization' },
    ],
    ['a reward model', { init_from: foreignFile('reward.pt') }, { code: 'checkpoint', field: 'init_from' }],
  ])('refuses %s', async (_, given, fault) => {
    expect(await faultOfAsync(trainJob(settings('out-refused', given), context))).toMatchObject(fault);
  });

  it('a model that is not there is reported with the other problems', () => {
    const files = {
      kind: () => 'missing' as const,
      readable: () => true,
      writable: () => true,
      matching: () => [],
      textsIn: () => [],
    };
    const problems = trainProblems(settings('out-missing', { init_from: '/nowhere' }), files);
    expect(problems).toContainEqual(expect.objectContaining({ field: 'init_from', code: 'file_not_found' }));
  });
});

describe('a project', () => {
  const given = (more: Readonly<Record<string, unknown>> = {}) => ({
    ...{ data_path: at('book.txt'), init_from: at('llama'), preset: 'none', threads: 1 },
    ...{ block_size: 8, batch_size: 4, max_iters: 6, eval_interval: 3, warmup_iters: 1 },
    ...{ samples_per_chunk: 1, reward_train_samples: 32, reward_val_samples: 16, max_cycles: 1 },
    ...{ reward_max_iters: 10, group_size: 4, prompts_per_step: 1, grpo_max_steps: 2 },
    ...{ grpo_eval_prompts: 4, kl_cap: 100, ...more },
  });
  const request = (name: string, more: Readonly<Record<string, unknown>> = {}) => projectRequest(at(name), given(more));

  it('runs from the model to an improved one', async () => {
    const results = await cycleJob(request('project'), context);
    expect(results['base']).toMatchObject({ iterations: 6 });
    const { config } = openProject(at('project'));
    expect(config).toMatchObject({ architecture: 'llama', llama: tinyLlama.llama, n_embd: 16, init_from: at('llama') });
    for (const name of ['base_model_v1', 'reward_model_v1', 'base_model_v2']) {
      const model = loadModel(at('project', 'checkpoints', name));
      expect(model.config, name).toMatchObject({ architecture: 'llama', block_size: 8, vocab_size: 8 });
      expect(model.tokenization.chars).toEqual(chars);
    }
  });

  it('begins from nothing in the architecture that it was given, keeps it, and is cloned with it', async () => {
    const { init_from: _, ...rest } = given({ architecture: 'modern', n_layer: 1, n_head: 2, n_embd: 16 });
    const wanted = projectRequest(at('new'), rest);
    const whole = { ...wanted, settings: { ...wanted.settings, tokenization: 'char', judge_passages: 8 } as const };
    await cycleJob(whole, context);
    for (const name of ['base_model_v1', 'reward_model_v1', 'base_model_v2', 'judge_model_v1']) {
      expect(loadModel(at('new', 'checkpoints', name)).config, name).toMatchObject({ architecture: 'modern' });
    }
    const other = { ...whole, given: { architecture: 'gpt2' } };
    expect(await faultOfAsync(cycleJob(other, context))).toMatchObject({ code: 'bad_input', field: 'architecture' });
    await cloneJob({ settings: { ...whole.settings, to: at('clone') }, given: { n_embd: 32 } }, context);
    expect(openProject(at('clone')).config).toMatchObject({ architecture: 'modern', n_embd: 32 });
    // What begins from a model is the model's, and what was GPT-2's from the start says nothing.
    const started = { ...whole.settings, to: at('started') };
    await cloneJob({ settings: started, given: { init_from: at('llama') } }, context);
    expect(openProject(at('started')).config).toMatchObject({ architecture: 'llama', n_embd: 16 });
    await cloneJob(
      { settings: { ...started, project: at('started'), to: at('old') }, given: { init_from: 'scratch' } },
      context,
    );
    expect(openProject(at('old')).config).not.toHaveProperty('architecture');
    await newProjectJob({ ...request('old', {}), settings: null, given: { architecture: 'gpt2' } }, context);
  });

  it('of adapters runs on frozen weights alone', async () => {
    const given = { tune: 'lora', learning_rate: 1e-2 };
    await cycleJob(request('adapters', given), context);
    const made = ['base_model_v1', 'reward_model_v1', 'base_model_v2'].map((name) =>
      loadModel(at('adapters', 'checkpoints', name)),
    );
    const initial = loadModel(at('llama')).weights;
    for (const { config, weights } of made) {
      expect(config.lora).toEqual({ rank: 16, alpha: 32, projections: 'all' });
      const frozen = Object.entries(frozenOf(config, weights));
      expect(frozen.length).toBeGreaterThan(10);
      expect(frozen.every(([name, { data }]) => data.every((x, i) => x === initial[name]?.data[i]))).toBe(true);
    }
    const ups = made.map(({ weights }) => weights['model.layers.0.self_attn.q_proj.lora_B.weight']?.data.join());
    // The reward model is a head on its generator.
    expect(new Set(ups).size).toBe(2);
  });

  it('has a critic that goes on from its first generator', async () => {
    const given = { reward_kind: 'critic', critic_length: 0.01, max_iters: 20, learning_rate: 1e-3, eval_interval: 20 };
    await cycleJob(request('critic', given), context);
    const weightsOf = (...path: string[]) => loadModel(at(...path)).weights['lm_head.weight']?.data ?? [];
    const [initial, generator, critic] = [
      weightsOf('llama'),
      ...['base_model_v1', 'critic_model_v1'].map((name) => weightsOf('critic', 'checkpoints', name)),
    ];
    const apart = (a: ArrayLike<number>, b: ArrayLike<number> = []) =>
      Math.max(...Array.from(a, (x, i) => Math.abs(x - (b[i] ?? NaN))));
    // One step compared with twenty.
    expect(apart(critic ?? [], generator)).toBeLessThan(0.2 * apart(initial ?? [], generator));
  });

  it('is resumed as it was made, without the model once it is trained', async () => {
    save('passing', small);
    const wanted = request('resumed', { init_from: at('passing'), max_cycles: 0 });
    expect(await newProjectJob(wanted, context)).toMatchObject({ vocab_size: 8 });
    await cycleJob(wanted, context);
    rmSync(at('passing'), { recursive: true });
    expect(await cycleJob({ ...wanted, settings: null, given: {} }, context)).toMatchObject({
      base: { iterations: 6 },
    });
    const other = { ...wanted, given: { ...wanted.given, init_from: 'scratch' } };
    expect(await faultOfAsync(cycleJob(other, context))).toMatchObject({ code: 'bad_input', field: 'init_from' });
  });

  it('leaves nothing behind when its model cannot be started from', async () => {
    const fault = await faultOfAsync(newProjectJob(request('refused', { block_size: 100 }), context));
    expect(fault).toMatchObject({ code: 'bad_input', field: 'block_size' });
    expect(() => openProject(at('refused'))).toThrow();
  });
});
