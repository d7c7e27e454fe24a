// GGUF by the job that the command line runs: the bytes that llama.cpp was shown to read, and to write with as Verisim does
// (tests/parity/check_gguf.py), and what the file holds when it is read again.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialWeights } from '../../../main/engine/model/model.js';
import { openGguf } from '../../../main/formats/gguf/gguf.js';
import { writeMetaPickle } from '../../../main/formats/pickle/meta-pickle.js';
import { exportJob, exportModel, type ModelExport } from '../../../main/jobs/export/export.js';
import { openAnyModel } from '../../../main/jobs/models.js';
import { tokenizerOf } from '../../../main/jobs/text.js';
import { interrupted } from '../../../main/jobs/types.js';
import { withFile } from '../../../main/storage/disk/file-bytes.js';
import { saveModel } from '../../../main/storage/projects/models.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { foreignFile, outputOf } from '../../parity/foreign.js';
import type { llamaNames } from '../../parity/llama.js';
import { llamaFolder } from '../../parity/llama.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { tinyModel } from '../../support/engine.js';
import { temporaryFolder, testContext } from '../context.js';

const verified = JSON.parse(
  readFileSync(new URL('../../parity/fixtures/gguf-exported.json', import.meta.url), 'utf8'),
) as { readonly files: Readonly<Record<string, string>> };
const { context } = testContext();

async function exported(model_path: string, settings: Partial<ModelExport> = {}) {
  const out_dir = join(temporaryFolder(), 'export');
  const result = await exportJob({ model_path, format: 'gguf', out_dir, ...settings }, context);
  const file = readdirSync(out_dir).find((name) => name.endsWith('.gguf')) ?? '';
  return { out_dir, result, file: join(out_dir, file) };
}

describe('a model as GGUF', () => {
  const alphabet = [...Array.from({ length: 0x33 }, (_, i) => String.fromCharCode(0x40 + i)), 'é', '\n'].sort();
  const home = temporaryFolder();
  const signs = [...'\0\t\n\r "\\', ...alphabet.slice(1, 20), '😀'];
  /** A byte-level tokenizer of 368 tokens that is not OpenAI's. */
  const ownTokens = (): string => {
    const { gpt2 } = JSON.parse(
      readFileSync(new URL('../../engine/tokenizer/pretrained-cases.json', import.meta.url), 'utf8'),
    ) as { readonly gpt2: { readonly tokenizer: object } };
    writeFileSync(join(home, 'tokenizer.json'), JSON.stringify(gpt2.tokenizer));
    return join(home, 'tokenizer.json');
  };
  const modelAt = (name: string): string => {
    const folder = join(home, name);
    if (name === 'nanogpt') {
      mkdirSync(folder, { recursive: true });
      cpSync(foreignFile('nanogpt.pt'), join(folder, 'ckpt.pt'));
      cpSync(foreignFile('meta.pkl'), join(folder, 'meta.pkl'));
    } else {
      cpSync(llamaFolder(name as (typeof llamaNames)[number]), folder, { recursive: true });
      writeFileSync(join(folder, 'meta.pkl'), writeMetaPickle(alphabet));
    }
    return folder;
  };

  it.each(Object.entries(verified.files))('has the bytes that llama.cpp computed with: %s', async (name, hash) => {
    const [model = '', outtype] = name.split(' ') as [string, 'f16' | 'q8_0'];
    const { file } = await exported(modelAt(model), { outtype });
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(hash);
  });

  it('comes back with its numbers in 16 bits, and its folder is a model too', async () => {
    const model_path = modelAt('llama');
    const { file, out_dir } = await exported(model_path);
    expect(readdirSync(out_dir).sort()).toEqual(['Modelfile', 'README.txt', 'llama-F16.gguf', 'manifest.json']);
    // Characters are a kind of tokenizer that llama.cpp's other programs have no file for.
    const kind = withFile(file, (source) => openGguf(source).metadata.get('tokenizer.ggml.model'));
    expect(kind).toBe('rwkv');
    const was = openAnyModel(model_path, { context });
    for (const path of [file, out_dir]) {
      const is = openAnyModel(path, { context });
      expect(is.config).toEqual(was.config);
      for (const [name, { data }] of Object.entries(was.weights)) {
        const read = is.weights[name]?.data ?? new Float32Array(0);
        expect(data.every((value, i) => Math.abs(value - (read[i] ?? NaN)) <= Math.abs(value) / 1024 + 1e-7)).toBe(
          true,
        );
      }
    }
  });

  it('of GPT-2’s word pieces has its tokens, its merges and no rows beyond them', async () => {
    const config: GPTConfig = { ...tinyModel, vocab_size: 50304 };
    const model_path = join(home, 'words');
    const tokenization = { method: 'bpe', vocab_size: 50257 } as const;
    saveModel(model_path, { weights: initialWeights(config, 1), config, tokenization, provenance: {} });
    const { file, out_dir } = await exported(model_path, { outtype: 'q8_0', temperature: 0.5 });
    const { metadata, tensors } = withFile(file, (source) => openGguf(source));
    expect(metadata.get('tokenizer.ggml.pre')).toBe('gpt-2');
    expect(metadata.get('tokenizer.ggml.eos_token_id')).toBe(50256);
    expect(metadata.get('tokenizer.ggml.merges')).toMatchObject({ length: 50000, 0: 'Ġ t' });
    expect(tensors.get('token_embd.weight')?.shape).toEqual([50257, config.n_embd]);
    expect(tensors.has('blk.0.attn_qkv.bias')).toBe(true);
    const { config: read, tokenization: tokens } = openAnyModel(file, { context });
    expect([read.vocab_size, tokens]).toEqual([50257, tokenization]);
    expect(readFileSync(join(out_dir, 'Modelfile'), 'utf8')).toMatch(
      /temperature 0\.5[^]*top_p 0\.9[^]*stop "<\|endoftext\|>"/,
    );
  });

  it.each(['characters', 'word pieces of its own'] as const)(
    'of GPT-2’s network comes back with %s: equal ids, and its logits within 16 bits',
    async (kind) => {
      const model_path = join(home, kind);
      const text = kind === 'characters' ? 'BAD\n\\"😀\0' : 'the whale\n ship 12';
      const tokenization =
        kind === 'characters'
          ? ({ method: 'char', vocab_size: signs.length, chars: signs } as const)
          : ({ method: 'pretrained', vocab_size: 368, tokenizerPath: ownTokens() } as const);
      const config: GPTConfig = { ...tinyModel, bias: kind === 'characters', vocab_size: tokenization.vocab_size };
      const weights = initialWeights(config, 5);
      saveModel(model_path, { weights, config, tokenization, provenance: {} });
      const { file } = await exported(model_path);

      const [was, is] = [model_path, file].map((path) => openAnyModel(path, { context }));
      if (!was || !is) throw new Error('no models');
      expect(is.tokenization).toMatchObject({ method: tokenization.method, vocab_size: tokenization.vocab_size });
      const [before, after] = await Promise.all([was, is].map((model) => tokenizerOf(model.tokenization)));
      const ids = [...(before?.encode(text) ?? [])];
      expect([...(after?.encode(text) ?? [])]).toEqual(ids);
      expect(after?.decode(ids)).toBe(text);
      const row = [ids.slice(0, config.block_size)];
      const [theirs, ours] = [await outputOf(is.config, is.weights, row), await outputOf(config, weights, row)];
      expect(theirs).toHaveLength(ours.length);
      expect(Array.from(theirs).filter((value, i) => !(Math.abs(value - (ours[i] ?? NaN)) < 2e-3))).toEqual([]);
    },
  );

  it('that is stopped leaves nothing, nor does one that llama.cpp could not read', async () => {
    const out_dir = join(temporaryFolder(), 'export');
    const stop = () => Promise.reject(interrupted());
    const settings = { model_path: modelAt('llama'), format: 'gguf', out_dir } as const;
    expect(await faultOfAsync(exportModel(settings, { context, onProgress: stop }))).toMatchObject({ code: 'stopped' });
    const reward = exportJob({ ...settings, model_path: foreignFile('reward.pt') }, context);
    expect(await faultOfAsync(reward)).toMatchObject({ code: 'checkpoint', message: /no such head/ as unknown });
    const unknown = exportJob({ ...settings, model_path: llamaFolder('qwen2') }, context);
    expect(await faultOfAsync(unknown)).toMatchObject({ code: 'checkpoint', message: /which characters/ as unknown });
    expect(readdirSync(join(out_dir, '..'))).toEqual([]);
  });
});
