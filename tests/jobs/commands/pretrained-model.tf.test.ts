// A Hugging Face folder with its tokenizer.json, as small pretrained models come: used, trained further, and exported again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { initialWeights } from '../../../main/engine/model/model.js';
import type { Preview } from '../../../main/engine/cycle/preview.js';
import { writeHuggingFaceModel } from '../../../main/formats/huggingface.js';
import { preview } from '../../../main/cli/commands/tools.js';
import { createStyle } from '../../../main/cli/style.js';
import { exportJob } from '../../../main/jobs/export/export.js';
import { inspect } from '../../../main/jobs/commands/inspect.js';
import { previewJob } from '../../../main/jobs/commands/preview.js';
import { perplexityJob } from '../../../main/jobs/commands/perplexity.js';
import { sampleJob, withoutBlank } from '../../../main/jobs/commands/sample.js';
import { trainJob } from '../../../main/jobs/commands/train.js';
import { openAnyModel } from '../../../main/jobs/models.js';
import { tokenTexts } from '../../../main/engine/tokenizer/index.js';
import { tokenizerOf } from '../../../main/jobs/text.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';
import { saveModel } from '../../../main/storage/projects/models.js';
import { readPretrained, tokenizerFilesAt } from '../../../main/storage/datasets/tokenizer-files.js';
import { previewCommandShape, trainCommandShape } from '../../../shared/config/commands.js';
import { dataShape } from '../../../shared/config/data.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { tensorHashes } from '../../parity/foreign.js';
import { tinyLlama, tinyModel } from '../../support/engine.js';
import { temporaryFolder, testContext } from '../context.js';

const cases = join(import.meta.dirname, '../../engine/tokenizer/pretrained-cases.json');
/** Tokenizers, with the ids and texts that Python's `tokenizers` has for awkward texts. */
interface Kind {
  readonly tokenizer: { readonly added_tokens: readonly { content: string; special: boolean }[] };
  readonly cases: readonly (readonly [text: string, ids: readonly number[], decoded: string])[];
}
const kinds = JSON.parse(readFileSync(cases, 'utf8')) as Readonly<Record<'gpt2' | 'llama2' | 'qwen' | 'smollm', Kind>>;
const { smollm } = kinds;
const special = smollm.tokenizer.added_tokens.filter((token) => token.special);
const tokenizer = JSON.stringify(smollm.tokenizer);
const home = temporaryFolder();
const at = (...names: string[]) => join(home, ...names);
const { context } = testContext();
/** Room for more tokens than there are, as some models have. */
const VOCABULARY = 1000;

function writeModel(name: string, shape: GPTConfig, tokens: string) {
  mkdirSync(at(name));
  const config = { ...shape, vocab_size: VOCABULARY };
  const files = writeHuggingFaceModel(config, initialWeights(config, 3));
  writeFileSync(at(name, 'config.json'), files['config.json']);
  writeFileSync(at(name, 'model.safetensors'), Buffer.concat([...files['model.safetensors']]));
  writeFileSync(at(name, 'tokenizer.json'), tokens);
}
beforeAll(() => {
  writeModel('hf', tinyLlama, tokenizer);
  writeFileSync(at('book.txt'), 'Call me Ishmael. Some years ago, never mind how long precisely.\n'.repeat(30));
});

const sampled = async (model_path: string, more: object = {}) => {
  const prompt = {
    prompt: 'Call me',
    num_samples: 1,
    max_new_tokens: 5,
    temperature: 1,
    top_k: null,
    top_p: 1,
    seed: 1,
  };
  const settings = { ...prompt, ...more, model_path, device: 'cpu', threads: 1 } as never;
  return (await sampleJob(settings, context))['samples'];
};
const data = z.object(dataShape).parse({ data_path: at('book.txt') });

it('writes and is measured in its own tokens, and never writes one that its tokenizer lacks', async () => {
  expect(openAnyModel(at('hf'), { context }).tokenization).toMatchObject({
    method: 'pretrained',
    tokenizerPath: at('hf/tokenizer.json'),
  });
  expect(await sampled(at('hf'))).toMatchObject([{ prompt: 'Call me' }]);
  const measured = await perplexityJob({ ...data, model_path: at('hf'), split: 'val' }, context);
  expect(measured['loss']).toBeCloseTo(Math.log(VOCABULARY), 0);
});

it('never writes its special tokens, however evenly it draws', async () => {
  const samples = await sampled(at('hf'), { num_samples: 64, max_new_tokens: 40, temperature: 100 });
  const text = JSON.stringify(samples);
  expect(text.length).toBeGreaterThan(64 * 40);
  for (const { content } of special) expect(text).not.toContain(content);
});

it('carries the blank at the end of a prompt in the first token that it writes', async () => {
  const used = await tokenizerOf(openAnyModel(at('hf'), { context }).tokenization);
  const { kept, blank, others } = withoutBlank(used, 'Call me ');
  expect([kept, blank]).toEqual(['Call me', ' ']);
  const texts = new Set(others.map((id) => tokenTexts(used, [...used.encode('a'), id])[1]));
  expect([...texts].filter((text) => text?.startsWith(' '))).toEqual([]);
  expect(others.length).toBeLessThan(used.vocabSize);
  expect(await sampled(at('hf'), { prompt: 'Call me ' })).toMatchObject([{ prompt: 'Call me ' }]);
  for (const prompt of ['Call me', ' ', 'Call me\n']) expect(withoutBlank(used, prompt).kept).toBe(prompt);
});

it('is foretold as it will be trained: with adapters little is kept', async () => {
  const estimated = async (tune: string) => {
    const given = { ...data, init_from: at('hf'), preset: 'none', tune, device: 'cpu', threads: 1 };
    return (await previewJob(z.object(previewCommandShape).parse(given), context)) as unknown as Preview;
  };
  const [full, lora] = [await estimated('full'), await estimated('lora')];
  expect(lora.disk.checkpoints).toBeLessThan(0.5 * full.disk.checkpoints);
  // Random weights predict no better than chance over the vocabulary.
  const { familiarity } = full as Preview & { familiarity: { nats_per_character: number; baseline: number } };
  const chance = Math.log(VOCABULARY) * full.tokens_per_character;
  expect(Math.abs(familiarity.nats_per_character / chance - 1)).toBeLessThan(0.1);
  expect(familiarity.baseline).toBeLessThan(0.7 * chance);
  expect(preview.report?.(full as never, createStyle(false), {})).toContain(
    'The model probably does not know the language.',
  );
});

it('is trained further, in a model that has its tokenizer with it and is exported with it', async () => {
  const quick = { max_iters: 3, eval_interval: 3, batch_size: 2, block_size: 8, warmup_iters: 1 };
  const given = { ...data, init_from: at('hf'), out_dir: at('out'), device: 'cpu', threads: 1, preset: 'none' };
  await trainJob(z.object(trainCommandShape).parse({ ...given, ...quick }), context);
  const model = openAnyModel(at('out'), { context });
  expect(model.config).toMatchObject({ architecture: 'llama', vocab_size: VOCABULARY, block_size: 8 });
  expect(model.tokenization).toMatchObject({ method: 'pretrained', tokenizerPath: at('out/model/tokenizer.json') });
  const measured = await perplexityJob({ ...data, model_path: at('out'), split: 'val' }, context);
  expect(measured['loss']).toBeLessThan(Math.log(VOCABULARY));

  await exportJob({ model_path: at('out'), format: 'huggingface', out_dir: at('export') }, context);
  expect(readFileSync(at('export/tokenizer.json'), 'utf8')).toBe(tokenizer);
  expect(readFileSync(at('export/tokenizer_config.json'), 'utf8')).toContain('PreTrainedTokenizerFast');
  const back = openAnyModel(at('export'), { context });
  expect(tensorHashes(back.weights)).toEqual(tensorHashes(model.weights));
  expect(await sampled(at('export'))).toEqual(await sampled(at('out')));
});

it.each([
  ['as it came', 'hf', 'huggingface', true],
  ['trained on a text', 'out', 'huggingface', false],
  ['as it came', 'hf', 'gguf', true],
  ['trained on a text', 'out', 'gguf', false],
])('%s, in a folder %s as %s, has the template of a chat: %s', async (_, folder, format, chats) => {
  const model_path = at(folder);
  const own = folder === 'out' ? at('out/model') : model_path;
  const config = { tokenizer_class: 'X', chat_template: '{{ messages }}', eos_token: special[0]?.content };
  writeFileSync(join(own, 'tokenizer_config.json'), JSON.stringify(config));
  const out_dir = at(`${folder}-${format}`);
  await exportJob({ model_path, format: format as 'gguf', out_dir }, context);
  const file = format === 'gguf' ? `${folder}-F16.gguf` : 'tokenizer.json';
  const companion = tokenizerFilesAt(join(out_dir, file))['tokenizer_config.json'] ?? '{}';
  const { chat_template, ...kept } = JSON.parse(companion) as Record<string, unknown>;
  expect(chat_template).toBe(chats ? config.chat_template : undefined);
  expect(kept).toMatchObject({ eos_token: config.eos_token });
});

it.each([
  ['a GPT-2 of another vocabulary', 'gpt2', { ...tinyModel, bias: true }],
  ['a SentencePiece Llama', 'llama2', tinyLlama],
  ['a byte-level Qwen', 'qwen', tinyLlama],
] as const)('%s keeps its ids, blanks and characters in all that is written and exported', async (_, kind, shape) => {
  writeModel(kind, shape, JSON.stringify(kinds[kind].tokenizer));
  for (const format of ['huggingface', 'gguf'] as const)
    await exportJob({ model_path: at(kind), format, out_dir: at(`${kind}-${format}`) }, context);
  for (const file of [kind, `${kind}-huggingface`, `${kind}-gguf/${kind}-F16.gguf`]) {
    const { tokenizer: used } = await readPretrained(at(file));
    expect(openAnyModel(at(file), { context }).config.architecture).toBe(shape.architecture);
    for (const [text, ids, decoded] of kinds[kind].cases) {
      expect([...used.encode(text)], `${file}: ${JSON.stringify(text)}`).toEqual(ids);
      expect(used.decode(ids)).toBe(decoded);
    }
  }
  const loss = async (model_path: string) =>
    (await perplexityJob({ ...data, model_path, split: 'val' }, context))['loss'];
  expect(await loss(at(`${kind}-huggingface`))).toBe(await loss(at(kind)));
  const version = { folder: at(`${kind}-project`), model: 'base_model_v1' };
  const path = projectPaths(version.folder).model(version.model);
  mkdirSync(dirname(path), { recursive: true });
  saveModel(path, openAnyModel(at(kind), { context }));
  // The blank before the text may be part of its first token.
  const { tokens } = await inspect({ ...version, before: 'Once ', text: '我喜欢 😀😀 ' }, context);
  expect(tokens.map(({ text }) => text).join('')).toMatch(/^ ?我喜欢 😀😀 $/u);
  for (const prompt of ['the whale ', '我喜欢 😀😀']) {
    const [sample] = (await sampled(at(kind), { prompt })) as { readonly prompt: string }[];
    expect(sample?.prompt).toBe(prompt);
    expect(await sampled(at(`${kind}-huggingface`), { prompt })).toEqual([sample]);
  }
});
