// A checkpoint's files have its exact values, and the error names what does not fit a model.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../shared/errors.js';
import { checkpointFitsModel, decodeCheckpoint, encodeCheckpoint } from '../../main/formats/checkpoint.js';
import { bytesSource, type ByteSource } from '../../main/formats/byte-source.js';
import { stableJson } from '../../main/formats/stable-json.js';
import type { Checkpoint, Json } from '../../main/engine/types.js';

const text = (value: string) => bytesSource(new TextEncoder().encode(value));

function opener(checkpoint: Checkpoint, instead: Record<string, ByteSource | null> = {}) {
  const files = encodeCheckpoint(checkpoint);
  return (name: string): ByteSource | null => {
    if (Object.hasOwn(instead, name)) return instead[name] ?? null;
    const pieces = files[name];
    return pieces === undefined ? null : bytesSource(Buffer.concat([...pieces]));
  };
}

const weights = { w: { shape: [2], data: Float32Array.from([1.5, -0]) } };
const optimizer = { 'w.m': { shape: [2], data: Float32Array.from([0.25, 3]) } };
const state = { step: 1200, best_loss: 1.9, nested: { z: [1, -0, 'ü', null, true, [], {}], a: 5e-324 } };

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

describe('a checkpoint as files', () => {
  it('comes back exactly, with and without moments', () => {
    expect(decodeCheckpoint(opener({ weights, optimizer, state }))).toEqual({ weights, optimizer, state });
    const without = decodeCheckpoint(opener({ weights, state }));
    expect(without).toEqual({ weights, state });
    expect(without).not.toHaveProperty('optimizer');
  });

  it('brings back any state exactly', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(decodeCheckpoint(opener({ weights, state: { value } })).state).toEqual({ value });
      }),
    );
  });

  it('does not read a state.json that is far larger than any', () => {
    const huge = { byteLength: 2 ** 23 + 1, read: () => expect.unreachable() };
    expect(() => decodeCheckpoint(opener({ weights, state }, { 'state.json': huge }))).toThrow(
      expect.objectContaining({ code: 'file_damaged', message: expect.stringContaining('is larger than') as string }),
    );
  });

  it('has a state.json that a person can read, with its keys in order', () => {
    const [bytes] = encodeCheckpoint({ weights, state: { step: 3, early: [1], best: {} } })['state.json'] ?? [];
    expect(new TextDecoder().decode(bytes)).toBe(
      '{\n  "best": {},\n  "early": [\n    1\n  ],\n  "format_version": 1,\n  "step": 3\n}\n',
    );
  });

  it.each<[string, Record<string, ByteSource | null>, string, RegExp]>([
    [
      'missing weights',
      { 'weights.safetensors': null },
      'file_damaged',
      /weights\.safetensors cannot be read: the file is missing/,
    ],
    ['missing state', { 'state.json': null }, 'file_damaged', /state\.json cannot be read: the file is missing/],
    ['damaged weights', { 'weights.safetensors': text('x') }, 'file_damaged', /^weights\.safetensors /],
    ['damaged moments', { 'optimizer.safetensors': text('x') }, 'file_damaged', /^optimizer\.safetensors /],
    ['state that is no JSON', { 'state.json': text('{') }, 'file_damaged', /not JSON/],
    ['state that is no UTF-8', { 'state.json': bytesSource(Uint8Array.from([0xff])) }, 'file_damaged', /not JSON/],
    ['state that is null', { 'state.json': text('null') }, 'file_damaged', /format_version/],
    ['state without a version', { 'state.json': text('{}') }, 'file_damaged', /format_version/],
    ['a newer version', { 'state.json': text('{"format_version":2}') }, 'checkpoint', /format_version 2/],
  ])('refuses %s', (_, instead, code, message) => {
    const read = () => decodeCheckpoint(opener({ weights, optimizer, state }, instead));
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code }));
  });
});

describe('stableJson', () => {
  it('does not depend on the order of keys, and reads back the same', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json, { noNullPrototype: true }), fc.nat(4), (value, indent) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(stableJson(reversed, indent)).toBe(stableJson(value, indent));
        expect(JSON.parse(stableJson(value, indent))).toEqual(value);
      }),
    );
  });

  it.each([NaN, Infinity, -Infinity, undefined, () => 1, 1n])('refuses %s instead of changing it', (value) => {
    expect(() => stableJson([value as unknown as Json])).toThrow(/JSON cannot hold/);
  });
});

describe('checkpointFitsModel', () => {
  it('accepts exactly the tensors of the model', () => {
    expect(() => checkpointFitsModel(weights, { w: [2] })).not.toThrow();
  });

  it.each([
    ['a missing tensor', { w: [2], 'wpe.weight': [8, 4] }, 'tensor wpe.weight [8, 4] is missing'],
    ['another shape', { w: [1, 2] }, 'tensor w has shape [2], the model needs [1, 2]'],
    ['an unknown tensor', {}, 'the model has no tensor w'],
    ['a name that every object has', { w: [2], constructor: [1] }, 'tensor constructor [1] is missing'],
  ])('names the tensor and both shapes for %s', (_, expected, message) => {
    const shapes = expected as unknown as Record<string, number[]>;
    expect(() => checkpointFitsModel(weights, shapes)).toThrow(message);
    expect(() => checkpointFitsModel(weights, shapes)).toThrow(UserError);
  });
});
