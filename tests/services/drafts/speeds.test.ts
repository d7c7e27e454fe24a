// What estimates rest on: a guess from the machine until something was measured, which is kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataFolderAt } from '../../../main/services/files/data-folder.js';
import { speedOf } from '../../../main/jobs/machine/figures.js';
import { createSpeeds } from '../../../main/services/drafts/speeds.js';

it('guesses from a matrix product, and keeps what was measured over the guess and a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-speeds-'));
  const speeds = createSpeeds(dataFolderAt(folder));
  expect(speeds.get()).toMatchObject({ training: null, writing: null });
  speeds.guess({ gflops: 100, gflops_bf16: null }, 'auto');
  expect(speeds.get()).toMatchObject({ training: 50e9, writing: 25e9 });
  speeds.keep({ training: 80e9 });
  expect(speeds.get()).toMatchObject({ training: 80e9, writing: 25e9 });
  expect(createSpeeds(dataFolderAt(folder)).get()).toMatchObject({ training: 80e9, writing: null });
  rmSync(folder, { recursive: true });
});

it('knows that a wide model trains in bfloat16 where the machine has it, until something was measured with a model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-speeds-'));
  const speeds = createSpeeds(dataFolderAt(folder));
  const [narrow, wide] = [{ n_embd: 128 }, { n_embd: 576 }].map((model) => () => speedOf(model, speeds.get()).training);
  speeds.guess({ gflops: 100, gflops_bf16: 300 }, 'auto');
  expect([narrow?.(), wide?.()]).toEqual([50e9, 150e9]);
  speeds.guess({ gflops: 100, gflops_bf16: 300 }, 'f32');
  expect([narrow?.(), wide?.()]).toEqual([50e9, 50e9]);
  speeds.guess({ gflops: 100, gflops_bf16: 300 }, 'auto');
  speeds.keep({ training: 80e9 });
  expect([narrow?.(), wide?.()]).toEqual([80e9, 80e9]);
  rmSync(folder, { recursive: true });
});
