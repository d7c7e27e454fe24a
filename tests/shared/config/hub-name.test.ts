// Names of models on the hub: what is one, what is a path, and that no name reaches out of a folder.
import { expect, it } from 'vitest';
import { parseHubName, writtenHubName } from '../../../shared/config/hub-name.js';

it.each([
  ['HuggingFaceTB/SmolLM2-135M', 'HuggingFaceTB/SmolLM2-135M', null, null],
  ['someone/model@v1.0', 'someone/model', 'v1.0', null],
  ['someone/model@main/some.Q4_K_M.gguf', 'someone/model', 'main', 'some.Q4_K_M.gguf'],
  ['someone/model-GGUF/sub/some.gguf', 'someone/model-GGUF', null, 'sub/some.gguf'],
])('%s is one', (text, repository, revision, file) => {
  const name = parseHubName(text);
  expect(name).toEqual({ repository, revision, file });
  expect(name && writtenHubName(name)).toBe(text);
});

it.each(['', 'gpt2', '/owner/name', './owner/name', '../name', 'owner/..', 'owner/name/', 'a/b/c', 'owner/.hidden'])(
  '%s is none',
  (text) => expect(parseHubName(text)).toBeNull(),
);

it.each([
  'models/book.gguf',
  'out/model.safetensors',
  'a\\b/c',
  'a/b@',
  'a/b@x/y',
  'a/b@../c',
  'own--er/name',
  'a/b\0',
])('%s is none', (text) => expect(parseHubName(text)).toBeNull());

it('takes no time over long names', () => {
  const start = performance.now();
  for (const part of ['a', 'a/', 'a.', 'a/a', '@', '.gguf/']) parseHubName(part.repeat(20_000));
  expect(performance.now() - start).toBeLessThan(1000);
});
