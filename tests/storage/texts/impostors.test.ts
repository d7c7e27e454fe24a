// Files of models and projects that hold something else: each reader asks what they are before it parses them.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tokenizerFilesAt } from '../../../main/storage/datasets/tokenizer-files.js';
import { readText } from '../../../main/storage/disk/file-bytes.js';
import { findForeignModel, loadForeignModel } from '../../../main/storage/projects/foreign-models.js';
import { faultOf } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 123\n`;
const page = '<!DOCTYPE html><html><title>Sign in</title></html>';
const model = (name: string): void => {
  const found = findForeignModel(name.startsWith('m/') ? path.join(folder, 'm') : path.join(folder, name));
  if (found !== null) loadForeignModel(found);
};
const readers: readonly (readonly [string, (file: string) => unknown])[] = [
  ['m/model.safetensors', model],
  ['m/config.json', model],
  ['model.gguf', model],
  ['ckpt.pt', model],
  ['tokenizer.json', (file) => tokenizerFilesAt(path.join(folder, file))],
  ['project.json', (file) => readText(path.join(folder, file))],
];

it.each(readers)('%s: a pointer and a page are refused as what they are', (file, read) => {
  fs.mkdirSync(path.join(folder, 'm'), { recursive: true });
  for (const [bytes, message, hint] of [
    [pointer, 'is a Git LFS pointer', 'git lfs pull'],
    [page, 'is a web page', 'Download the file itself again'],
    ['%PDF-1.7', 'is a PDF document', 'another copy'],
  ] as const) {
    fs.writeFileSync(path.join(folder, 'm/config.json'), JSON.stringify({ model_type: 'gpt2' }));
    fs.writeFileSync(path.join(folder, file), bytes);
    const fault = faultOf(() => read(file));
    expect(fault.message).toContain(`${path.join(folder, file)} ${message}`);
    expect(fault.hint).toContain(hint);
  }
});
