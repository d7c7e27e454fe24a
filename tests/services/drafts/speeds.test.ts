// What estimates rest on: a guess from the machine until something was measured, which is kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataFolderAt } from '../../../main/services/files/data-folder.js';
import { createSpeeds } from '../../../main/services/drafts/speeds.js';

it('guesses from a matrix product, and keeps what was measured over the guess and a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-speeds-'));
  const speeds = createSpeeds(dataFolderAt(folder));
  expect(speeds.get()).toMatchObject({ training: null, writing: null });
  speeds.guess(100);
  expect(speeds.get()).toMatchObject({ training: 50e9, writing: 25e9 });
  speeds.keep({ training: 80e9 });
  expect(speeds.get()).toMatchObject({ training: 80e9, writing: 25e9 });
  expect(createSpeeds(dataFolderAt(folder)).get()).toMatchObject({ training: 80e9, writing: null });
  rmSync(folder, { recursive: true });
});
