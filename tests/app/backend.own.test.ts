// The desktop app's diagnostics contain what a trainer wrote to standard error, as the server's do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { createBackend } from '../../main/app/backend.js';
import { browser } from '../ipc/world.js';

const stderr = new PassThrough();
vi.mock('electron', () => ({
  shell: { trashItem: async () => undefined },
  utilityProcess: {
    fork: () => ({
      pid: undefined,
      stdout: null,
      stderr,
      postMessage: vi.fn(),
      on: vi.fn(),
      once: vi.fn(),
      kill: vi.fn(),
    }),
  },
}));

const folder = mkdtempSync(join(tmpdir(), 'verisim-backend-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it('the desktop app’s diagnostics contain what a trainer wrote to standard error', async () => {
  vi.stubEnv('XDG_DATA_HOME', folder);
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { dispatcher, services } = createBackend({
    version: '1.2.3',
    documents: folder,
    trainer: 'trainer.js',
    onBug: vi.fn(),
  });
  // Whatever needs TensorFlow starts a trainer.
  await dispatcher.dispatch('machine.describe', {}, browser);
  stderr.write('libcuda.so: cannot open shared object file\n');
  await new Promise(setImmediate);
  const { value } = (await dispatcher.dispatch('app.diagnostics', {}, browser)) as { value: { text: string } };
  expect(value.text).toContain('The trainer said:\nlibcuda.so: cannot open shared object file');
  expect(written).toHaveBeenCalledWith('libcuda.so: cannot open shared object file\n');
  written.mockRestore();
  await services.close();
});
