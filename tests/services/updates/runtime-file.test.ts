/** The second runtime out of one file: only the one that the app knows is unpacked, damage leaves nothing, and what was done is kept. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { stateOfSecondRuntime } from '../../../main/app/installed/installation.js';
import { installRuntime } from '../../../main/services/updates/runtime-file.js';
import { gpuFileName, makeGpuFile } from '../../../scripts/package/gpu-runtime.mjs';
import { listFiles } from '../../../scripts/package/integrity.mjs';
import { describeRuntime } from '../../../scripts/package/runtime.mjs';

const top = fs.mkdtempSync(join(tmpdir(), 'verisim-second-runtime-'));
afterAll(() => fs.rmSync(top, { recursive: true }));
const [source, folder] = [join(top, 'source'), join(top, 'installed/tensorflow-gpu')];
const stampFile = join(top, 'stamp.json');
const library = 'deps/nvidia/cudnn/lib/libcudnn.so.9';
const longName = `deps/nvidia/${'a/'.repeat(50)}libdevice.10.bc`;
let [file, sha256] = ['', ''];

/** Of the real shape, and small. */
async function pack(): Promise<void> {
  const contents = {
    [library]: 'cudnn '.repeat(200_000),
    'deps/nvidia/cuda_nvcc/bin/ptxas': 'ptxas',
    [longName]: 'bitcode',
  };
  for (const [name, text] of Object.entries(contents)) {
    fs.mkdirSync(join(source, name, '..'), { recursive: true });
    fs.writeFileSync(join(source, name), text);
  }
  const described = await describeRuntime(source, 1_700_000_000);
  sha256 = described.sha256;
  file = await makeGpuFile(source, top, 6);
  expect(file).toBe(join(top, gpuFileName(described.runtime.version)));
}
beforeEach(async () => {
  fs.rmSync(top, { recursive: true });
  await pack();
});

const install = (
  more: { sha256?: string; signal?: AbortSignal; progress?: (done: number, total: number) => void } = {},
) => installRuntime({ file, sha256, folder, progress: () => undefined, ...more });
const state = (known: string | null = sha256) => stateOfSecondRuntime({ folder, sha256: known, stampFile });

it('becomes, byte for byte, what was packed, and what a program is can be run', async () => {
  expect(await state()).toBe('absent');
  const seen: [number, number][] = [];
  expect(await install({ progress: (done, total) => void seen.push([done, total]) })).toMatch(/\+20231114\./);
  expect(await listFiles(folder)).toEqual(await listFiles(source));
  expect(fs.statSync(join(folder, 'deps/nvidia/cuda_nvcc/bin/ptxas')).mode & 0o111).toBe(0o111);
  expect(seen.at(-1)).toEqual([1_200_012, 1_200_012]);
  expect(fs.readdirSync(join(folder, '..'))).toEqual(['tensorflow-gpu']);
  expect(await state()).toBe('whole');
});

it('a file that this app does not know is refused before anything is unpacked', async () => {
  await expect(install({ sha256: createHash('sha256').update('another').digest('hex') })).rejects.toMatchObject({
    code: 'file_damaged',
    message: expect.stringContaining('another version') as string,
  });
  fs.writeFileSync(file, 'no archive');
  await expect(install()).rejects.toMatchObject({ code: 'file_damaged' });
  fs.rmSync(file);
  await expect(install()).rejects.toMatchObject({ code: 'file_not_found' });
  expect(fs.existsSync(join(folder, '..'))).toBe(false);
});

it('a changed or cut file is named, and what is there stays as it was', async () => {
  await install();
  const before = await listFiles(folder);
  const whole = fs.readFileSync(file);
  const changed = Buffer.from(whole);
  const at = whole.indexOf(`${library}.gz`) + 512 + 60;
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  fs.writeFileSync(file, changed);
  await expect(install()).rejects.toMatchObject({
    code: 'file_damaged',
    message: expect.stringContaining(library) as string,
  });
  fs.writeFileSync(file, whole.subarray(0, whole.length - 1500));
  await expect(install()).rejects.toMatchObject({ code: 'file_damaged' });
  expect(await listFiles(folder)).toEqual(before);
  expect(fs.existsSync(join(`${folder}.installing`, library))).toBe(false);
});

it('goes on where it was stopped: what was unpacked is not unpacked again, unless it is damaged', async () => {
  const stop = new AbortController();
  const stopped = install({
    signal: stop.signal,
    progress: (done) => done > 0 && stop.abort(new Error('stopped')),
  });
  await expect(stopped).rejects.toThrow('stopped');
  const fresh = `${folder}.installing`;
  const first = Object.keys(await listFiles(source))[0] ?? '';
  expect(Object.keys(await listFiles(fresh))).toEqual([first]);
  const { ino } = fs.statSync(join(fresh, first));
  await install();
  expect(fs.statSync(join(folder, first)).ino).toBe(ino);
  fs.cpSync(folder, fresh, { recursive: true });
  fs.writeFileSync(join(fresh, library), 'x'.repeat(1_200_000));
  await install();
  expect(await listFiles(folder)).toEqual(await listFiles(source));
});

it('one that was changed after it was installed, or that this app does not know, is not to be loaded', async () => {
  await install();
  expect(await state()).toBe('whole');
  const path = join(folder, library);
  const { atime, mtime } = fs.statSync(path);
  fs.writeFileSync(path, 'dudnn '.repeat(200_000));
  fs.utimesSync(path, atime, mtime);
  expect(await state()).toBe('changed');
  await install();
  expect(await state()).toBe('whole');
  expect(await state(null)).toBe('changed');
  expect(await state('0'.repeat(64))).toBe('changed');
});
