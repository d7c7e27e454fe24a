// A finished model is one folder that can be copied, loaded by its folder or any file in it, and is checked when it is.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelConfigSchema } from '../../../shared/config/index.js';
import { writeFolderAtomic } from '../../../main/storage/disk/atomic.js';
import { type Model, loadModel, saveModel } from '../../../main/storage/projects/models.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const model: Model = {
  weights: { 'transformer.wte.weight': { shape: [3, 2], data: Float32Array.from([1, 2, 3, 4, 5, 6]) } },
  config: modelConfigSchema.parse({ n_layer: 1, n_head: 1, n_embd: 2, vocab_size: 3, block_size: 4 }),
  tokenization: { method: 'char', vocab_size: 3, chars: ['\n', 'a', '😀'] },
  provenance: { steps: 200, val_loss: 1.9, from: null, losses: [2.5, 1.9] },
};

describe('saveModel and loadModel', () => {
  it('bring back weights, shape, tokenization and facts, from the folder or a file in it', () => {
    const target = path.join(folder, 'base_model_v1');
    saveModel(target, model, { 'meta.pkl': Uint8Array.from([0x80, 0x04]) });
    for (const given of [
      target,
      target + path.sep,
      path.join(target, 'weights.safetensors'),
      path.join(target, 'meta.pkl'),
    ]) {
      expect({ ...loadModel(given), folder: path.resolve(loadModel(given).folder) }).toEqual({
        ...model,
        folder: target,
      });
    }
    expect(fs.readdirSync(target).sort()).toEqual(['manifest.json', 'meta.pkl', 'state.json', 'weights.safetensors']);
  });

  it('hold no weights of a large model in memory, and none of another one in its place', () => {
    const target = path.join(folder, 'm');
    saveModel(target, model);
    const [held, large] = [loadModel(target), loadModel(target, undefined, 1)];
    expect(large).toEqual(held);
    saveModel(target, {
      ...model,
      weights: { 'transformer.wte.weight': { shape: [3, 2], data: new Float32Array(6) } },
    });
    expect(held.weights).toEqual(model.weights);
    expect(() => large.weights['transformer.wte.weight']?.data).toThrow('was changed while it was in use');
  });

  it('report in the documented words that there is no model', () => {
    expect(() => loadModel('nonexistent_model.pt')).toThrow(
      expect.objectContaining({
        code: 'file_not_found',
        message: 'Model file not found: nonexistent_model.pt',
        hint: 'Check that the model checkpoint file exists and the path is correct',
      }),
    );
  });

  it.each<[string, Record<string, string>, string, RegExp]>([
    ['a folder of other things', { 'notes.txt': '' }, 'checkpoint', /No finished model in .*: it has no state\.json/],
    ['a checkpoint that is no model', { 'state.json': '{"format_version":1,"step":1}' }, 'checkpoint', /config/],
  ])('say so of %s', (_, files, code, message) => {
    writeFolderAtomic(path.join(folder, 'm'), { ...files, 'weights.safetensors': emptySafetensors });
    for (const given of ['m', 'm/weights.safetensors']) {
      expect(() => loadModel(path.join(folder, given))).toThrow(message);
      expect(() => loadModel(path.join(folder, given))).toThrow(expect.objectContaining({ code }));
    }
  });
});

const emptySafetensors = '\x08\0\0\0\0\0\0\0{}      ';
