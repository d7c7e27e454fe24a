// Export by the job that the command line runs: the bytes that transformers and PyTorch were shown to compute with.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openAnyModel } from '../../../main/jobs/models.js';
import { exportJob } from '../../../main/jobs/export/export.js';
import { perplexityJob } from '../../../main/jobs/commands/perplexity.js';
import { sampleJob } from '../../../main/jobs/commands/sample.js';
import { readMetaPickle } from '../../../main/formats/pickle/meta-pickle.js';
import { decodeSafetensors } from '../../../main/formats/safetensors.js';
import { merged } from '../../../main/engine/model/adapters.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { readTorchCheckpoint } from '../../../main/formats/torch/torch-checkpoint.js';
import { openFile } from '../../../main/storage/disk/file-bytes.js';
import { saveModel } from '../../../main/storage/projects/models.js';
import { dataShape } from '../../../shared/config/data.js';
import { foreignFile, readForeign, tensorHashes } from '../../parity/foreign.js';
import { llamaFolder } from '../../parity/llama.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { contents } from '../../storage/faults.js';
import { tinyLlama, tinyModel, tinyModern } from '../../support/engine.js';
import { temporaryFolder, testContext } from '../context.js';

/** What tests/parity/check_export.py noted when it had compared logits. */
const verified = JSON.parse(readForeign('exported.json').toString('utf8')) as {
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
};
const { context } = testContext();

describe('an exported model', () => {
  it.each(Object.entries(verified.files))(
    '%s: is byte for byte what other programs were tried with',
    async (name, files) => {
      const [model = '', format = ''] = name.split(' ');
      const out_dir = join(temporaryFolder(), 'export');
      const chosen = format === 'nanogpt' ? format : 'huggingface';
      await exportJob({ model_path: foreignFile(model), format: chosen, out_dir }, context);
      const hashes = Object.keys(files).map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(out_dir, file)))
          .digest('hex'),
      ]);
      expect(Object.fromEntries(hashes)).toEqual(files);
    },
  );

  it('with adapters: they alone, as PEFT has them, or added into the weights', async () => {
    const folder = temporaryFolder();
    const config = { ...tinyLlama, lora: { rank: 2, alpha: 4, projections: 'attention' } } as const;
    const weights = Object.fromEntries(
      Object.entries(initialWeights(config, 5)).map(([name, { shape, data }]) => [
        name,
        { shape, data: name.endsWith('.lora_B.weight') ? data.map((_, i) => Math.sin(i)) : data },
      ]),
    );
    const tokenization = { method: 'char' as const, vocab_size: 3, chars: ['a', 'b', 'c'] };
    const kept = { config, weights, tokenization, provenance: { init_from: '/models/base' } };
    saveModel(join(folder, 'm'), kept);
    const written = async (format: 'peft' | 'huggingface', model_path = join(folder, 'm')) => {
      const out_dir = join(folder, format);
      await exportJob({ model_path, format, out_dir }, context);
      return (name: string) => readFileSync(join(out_dir, name));
    };
    const adapters = await written('peft');
    expect(JSON.parse(adapters('adapter_config.json').toString())).toMatchObject({
      base_model_name_or_path: '/models/base',
      r: 2,
    });
    const { arrays } = decodeSafetensors(adapters('adapter_model.safetensors'), 'adapters');
    expect(Object.keys(arrays).length).toBe(2 * 4 * tinyLlama.n_layer);
    const whole = decodeSafetensors((await written('huggingface'))('model.safetensors'), 'merged').arrays;
    expect(tensorHashes(whole)).toEqual(tensorHashes(merged({ model: config, weights }).weights));
    saveModel(join(folder, 'plain'), { ...kept, ...{ config: tinyLlama, weights: initialWeights(tinyLlama, 5) } });
    expect(await faultOfAsync(written('peft', join(folder, 'plain')))).toMatchObject({ field: 'format' });
  });

  it('of Verisim’s own comes back as it was, with its characters and how far its training was', async () => {
    const folder = temporaryFolder();
    const weights = initialWeights(tinyModel, 5);
    const chars = [...'\n abcdé😀'];
    const provenance = { iterations: 40, val_loss: 1.5 };
    const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
    saveModel(join(folder, 'm'), { weights, config: tinyModel, tokenization, provenance });
    for (const format of ['nanogpt', 'huggingface'] as const) {
      const out_dir = join(folder, format);
      const result = await exportJob({ model_path: join(folder, 'm'), format, out_dir }, context);
      expect(readdirSync(out_dir)).toEqual(expect.arrayContaining([...(result['files'] as string[]), 'meta.pkl']));
      expect(readMetaPickle(readFileSync(join(out_dir, 'meta.pkl')))).toEqual(chars);
      // It can be used from there as any model: with the same seed it writes the same.
      const prompt = {
        prompt: 'ab',
        num_samples: 2,
        max_new_tokens: 8,
        temperature: 1,
        top_k: null,
        top_p: 1,
        seed: 1,
      };
      const settings = { ...prompt, device: 'cpu', threads: 1 } as never;
      const [ours, theirs] = await Promise.all(
        [join(folder, 'm'), out_dir].map((model_path) =>
          sampleJob({ ...(settings as object), model_path } as never, context),
        ),
      );
      expect(theirs?.['samples']).toEqual(ours?.['samples']);
    }
    const file = openFile(join(folder, 'nanogpt', 'ckpt.pt'));
    const back = readTorchCheckpoint(file, 'ckpt.pt');
    file.close();
    expect(tensorHashes(back.weights)).toEqual(tensorHashes(weights));
    expect(back.training).toEqual({ iter_num: 40, best_val_loss: 1.5, dataset: 'verisim' });
  });

  it('replaces its own earlier export, and nothing else', async () => {
    const out_dir = join(temporaryFolder(), 'export');
    const again = (format: 'nanogpt' | 'huggingface' = 'nanogpt') =>
      exportJob({ model_path: foreignFile('half.pt'), format, out_dir }, context);
    await again();
    await again();
    const before = contents(out_dir);
    // The other format's would lose this one; one without a mark may be anything.
    expect(await faultOfAsync(again('huggingface'))).toMatchObject({ code: 'exists', message: /nanogpt/ as unknown });
    expect(contents(out_dir)).toEqual(before);
    const manifest = JSON.parse(readFileSync(join(out_dir, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(out_dir, 'manifest.json'), JSON.stringify({ ...manifest, holds: undefined }));
    expect(await faultOfAsync(again())).toMatchObject({ code: 'exists', message: /older Verisim/ as unknown });
    writeFileSync(join(out_dir, 'manifest.json'), JSON.stringify(manifest));
    await again();
    writeFileSync(join(out_dir, 'mine.txt'), 'do not lose');
    expect(await faultOfAsync(again())).toMatchObject({ code: 'exists', message: /mine\.txt/ as unknown });
    rmSync(join(out_dir, 'mine.txt'));
    // What another program saved under a name of the export's.
    writeFileSync(join(out_dir, 'ckpt.pt'), 'trained further in Python');
    expect(await faultOfAsync(again())).toMatchObject({ code: 'exists', message: /ckpt\.pt/ as unknown });
    expect(readFileSync(join(out_dir, 'ckpt.pt'), 'utf8')).toBe('trained further in Python');
  });

  it.each(['nanogpt', 'huggingface'] as const)(
    '%s never takes the place of a model, a run or a project',
    async (format) => {
      const root = temporaryFolder();
      const weights = initialWeights(tinyModel, 5);
      const tokenization = { method: 'bpe', vocab_size: tinyModel.vocab_size } as const;
      const save = (name: string) =>
        saveModel(join(root, name), { weights, config: tinyModel, tokenization, provenance: {} });
      ['run/model', 'other', 'project/checkpoints/base_model_v1'].forEach(save);
      writeFileSync(join(root, 'run', 'run.json'), '{"format_version":1}');
      writeFileSync(join(root, 'project', 'project.json'), '{"format_version":1}');
      symlinkSync('other', join(root, 'link'));
      symlinkSync('project', join(root, 'linked project'));
      const before = contents(root);
      for (const place of [
        ...[
          'run',
          'run/model',
          'run/model/export',
          'run/checkpoints',
          'other',
          'other/deep/export',
          '.',
          'link',
          'link/export',
        ],
        ...['project', 'project/checkpoints', 'project/checkpoints/base_model_v1', 'project/checkpoints/base_model_v2'],
        ...['linked project', 'linked project/checkpoints/base_model_v2'],
      ]) {
        for (const model_path of ['run', 'run/model', 'other'].map((name) => join(root, name))) {
          const fault = await faultOfAsync(exportJob({ model_path, format, out_dir: join(root, place) }, context));
          expect({ place, code: fault.code }).toEqual({ place, code: 'exists' });
        }
      }
      expect(contents(root)).toEqual(before);
    },
  );

  it('is not written over the very export that it is read from', async () => {
    const out_dir = join(temporaryFolder(), 'export');
    await exportJob({ model_path: foreignFile('half.pt'), format: 'nanogpt', out_dir }, context);
    const fault = await faultOfAsync(
      exportJob({ model_path: join(out_dir, 'ckpt.pt'), format: 'nanogpt', out_dir }, context),
    );
    expect(fault).toMatchObject({ code: 'exists', field: 'out_dir' });
  });

  it('or its perplexity is refused of weights that are not finite', async () => {
    const folder = temporaryFolder();
    const weights = initialWeights(tinyModel, 5);
    const { data } = weights['transformer.ln_f.weight'] ?? { data: new Float32Array(1) };
    data[3] = Infinity;
    const chars = [...'\n abcdé😀'];
    const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
    const model_path = join(folder, 'm');
    saveModel(model_path, { weights, config: tinyModel, tokenization, provenance: {} });
    writeFileSync(join(folder, 'text.txt'), 'ab c\n'.repeat(200));
    const data_path = join(folder, 'text.txt');
    const config = { ...z.object(dataShape).parse({ data_path }), model_path, split: 'val' as const };
    const out_dir = join(folder, 'export');
    for (const act of [
      exportJob({ model_path, format: 'nanogpt', out_dir }, context),
      perplexityJob(config, context),
    ]) {
      const fault = await faultOfAsync(act);
      expect(fault).toMatchObject({
        code: 'checkpoint',
        message: /ln_f\.weight holds numbers that are not finite/ as unknown,
      });
    }
    expect(readdirSync(folder).sort()).toEqual(['m', 'text.txt']);
  });

  it.each(['linear', 'qwen2'] as const)(
    'of Llama’s family comes back as it was, and is not nanoGPT’s: %s',
    async (name) => {
      const [out_dir, model_path] = [join(temporaryFolder(), 'export'), llamaFolder(name)];
      const fault = await faultOfAsync(exportJob({ model_path, format: 'nanogpt', out_dir }, context));
      expect(fault).toMatchObject({ code: 'checkpoint', field: 'format' });
      const result = await exportJob({ model_path, format: 'huggingface', out_dir }, context);
      expect(result['files']).toEqual(['README.txt', 'config.json', 'generation_config.json', 'model.safetensors']);
      const [was, is] = [model_path, out_dir].map((path) => openAnyModel(path, { context }));
      expect(is?.config).toEqual(was?.config);
      expect(tensorHashes(is?.weights ?? {})).toEqual(tensorHashes(was?.weights ?? {}));
    },
  );

  it('of the modern architecture is NanoChat’s, and refused in other forms before its weights are read', async () => {
    const folder = temporaryFolder();
    const tokenization = { method: 'char' as const, vocab_size: 8, chars: [...'abcdefgh'] };
    const weights = initialWeights(tinyModern, 5);
    const model_path = join(folder, 'm');
    saveModel(model_path, { weights, config: tinyModern, tokenization, provenance: {} });
    const out_dir = join(folder, 'export');
    await exportJob({ model_path, format: 'huggingface', out_dir }, context);
    expect(tensorHashes(openAnyModel(out_dir, { context }).weights)).toEqual(tensorHashes(weights));
    rmSync(join(model_path, 'weights.safetensors'));
    for (const [format, why] of [
      ['gguf', /modern architecture \(NanoChat\); llama\.cpp has no such architecture/],
      ['nanogpt', /nanoGPT’s checkpoints hold GPT-2’s/],
    ] as const) {
      const fault = await faultOfAsync(exportJob({ model_path, format, out_dir: join(folder, format) }, context));
      expect(fault).toMatchObject({
        code: 'checkpoint',
        field: 'format',
        message: expect.stringMatching(why) as unknown,
      });
    }
  });

  it('of a reward model is nanoGPT’s only', async () => {
    const out_dir = join(temporaryFolder(), 'export');
    const fault = await faultOfAsync(
      exportJob({ model_path: foreignFile('reward.pt'), format: 'huggingface', out_dir }, context),
    );
    expect(fault).toMatchObject({ code: 'checkpoint', field: 'model_path' });
  });
});
