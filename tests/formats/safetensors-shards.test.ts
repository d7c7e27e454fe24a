// A model in several files: the index names files of its folder, and every tensor is in its file.
import { describe, expect, it } from 'vitest';
import { encodeSafetensors, openSafetensors } from '../../main/formats/safetensors.js';
import { joinShards, readShardIndex } from '../../main/formats/safetensors-shards.js';
import { faultOf } from '../storage/fault-of.js';

const shard = (arrays: Readonly<Record<string, readonly number[]>>) =>
  Buffer.concat([
    ...encodeSafetensors(
      Object.fromEntries(
        Object.entries(arrays).map(([name, values]) => [
          name,
          { shape: [values.length], data: Float32Array.from(values) },
        ]),
      ),
    ),
  ]);
const files: Readonly<Record<string, Uint8Array>> = {
  'a.safetensors': shard({ first: [1, 2], extra: [9] }),
  'b.safetensors': shard({ second: [3] }),
};
const index = (weight_map: unknown, more: object = {}) =>
  JSON.stringify({ metadata: { total_size: 1 }, weight_map, ...more });
const opened: string[] = [];
const openFile = (name: string) => {
  opened.push(name);
  return openSafetensors(files[name] ?? new Uint8Array(), name);
};
const open = (weight_map: unknown) => joinShards(readShardIndex(index(weight_map), 'the index'), openFile, 'the index');

it('joins the tensors of the index, opening each file once', () => {
  opened.length = 0;
  const joined = open({ second: 'b.safetensors', first: 'a.safetensors', extra: 'a.safetensors' });
  expect(opened.sort()).toEqual(['a.safetensors', 'b.safetensors']);
  expect([...joined.tensors.keys()].sort()).toEqual(['extra', 'first', 'second']);
  expect(joined.tensors.get('first')).toMatchObject({ shape: [2], dtype: 'F32' });
  expect([joined.read('first'), joined.read('second')]).toEqual([Float32Array.of(1, 2), Float32Array.of(3)]);
});

describe('is refused', () => {
  it.each([
    '../a.safetensors',
    '/etc/a.safetensors',
    'folder/a.safetensors',
    'folder\\a.safetensors',
    '..',
    '.hidden.safetensors',
    'C:a.safetensors',
    'a.bin',
    'a\u0000.safetensors',
    '',
    `${'a'.repeat(300)}.safetensors`,
  ])('a file that is not one of its own folder: %j', (name) => {
    expect(faultOf(() => open({ first: name }))).toMatchObject({
      code: 'file_damaged',
      message: expect.stringMatching(/no safetensors file of its own folder/) as unknown,
    });
  });

  it('a tensor that is not where it should be', () => {
    const fault = faultOf(() => open({ first: 'b.safetensors', second: 'b.safetensors' }));
    expect(fault).toMatchObject({ code: 'file_damaged', message: /first is not in b\.safetensors/ as unknown });
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{', /not JSON/],
    ['a list', '[]', /no weight_map/],
    ['without a map', '{}', /no weight_map/],
    ['a file that is no name', index({ first: 3 }), /no weight_map/],
    ['a tensor twice', '{"weight_map":{"a":"a.safetensors","a":"b.safetensors"}}', /"a" occurs twice/],
    ['a bomb', `{"weight_map":${'['.repeat(1e5)}`, /not JSON/],
    [
      'more files than there are',
      index(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`t${i}`, `f${i}.safetensors`]))),
      /600 files/,
    ],
  ])('%s', (_, text, message) => {
    const fault = faultOf(() => readShardIndex(text, 'the index'));
    expect(fault).toMatchObject({ code: 'file_damaged', message: expect.stringMatching(message) as unknown });
  });
});
