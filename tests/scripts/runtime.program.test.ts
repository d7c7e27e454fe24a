/** The runtime folder: only what is needed is unpacked, and the check at start finds what is missing. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasGpu } from '../../main/installation/locations.mjs';
import { findProgram } from '../../scripts/setup/run.mjs';
import { unpackWheel } from '../../scripts/setup/python.mjs';
import { cpuWheel, tensorflow } from '../../main/installation/pinned.mjs';
import { compilerOptions } from '../../scripts/setup/binding.mjs';
import { linksFor, runtimeReady, wheelsKey } from '../../scripts/setup/runtime.mjs';
import { untar } from '../../scripts/setup/npm-package.mjs';
import { temporaryFolder } from './helpers.js';

const python = findProgram(['python3']) ?? 'python3';

/** A wheel of the real layout with small contents. */
function smallWheel(folder: string, ...more: string[]): string {
  const wheel = join(folder, 'small.whl');
  const program = `
import sys, zipfile
names = ["tensorflow/libtensorflow_cc.so.2", "tensorflow/libtensorflow_framework.so.2", "tensorflow/__init__.py",
  *sys.argv[2:],
  "tensorflow/include/tensorflow/c/c_api.h", "tensorflow/include/xla/tsl/a/b.h", "tensorflow/include/tsl/c.h",
  "tensorflow/include/tensorflow/core/platform/d.h", "tensorflow/include/external/other.h",
  "tensorflow/THIRD_PARTY_NOTICES.txt", "tensorflow/python/huge.so"]
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for name in names:
        archive.writestr(name, name * (200000 if name.endswith(".so.2") else 1))
`;
  execFileSync(python, ['-c', program, wheel, ...more]);
  return wheel;
}

/** Unpacked once; each test spoils a copy. */
const original = mkdtempSync(join(tmpdir(), 'verisim-runtime-'));
const progress: number[] = [];
let files: Awaited<ReturnType<typeof unpackWheel>> = {};

beforeAll(async () => {
  const runtime = join(original, 'runtime');
  files = await unpackWheel(python, smallWheel(original), runtime, (done) => void progress.push(done));
  const libraries = join(runtime, 'deps/lib');
  symlinkSync('libtensorflow_cc.so.2', join(libraries, 'libtensorflow.so'));
  symlinkSync('libtensorflow_cc.so.2', join(libraries, 'libtensorflow.so.2'));
  symlinkSync('libtensorflow_framework.so.2', join(libraries, 'libtensorflow_framework.so'));
  writeFileSync(join(runtime, 'runtime.json'), JSON.stringify({ wheel: wheelsKey('cpu'), files }));
});
afterAll(() => rmSync(original, { recursive: true, force: true }));

function runtimeFolder() {
  const runtime = join(temporaryFolder(), 'runtime');
  cpSync(join(original, 'runtime'), runtime, { recursive: true, verbatimSymlinks: true });
  return { runtime, library: join(runtime, 'deps/lib/libtensorflow_cc.so.2') };
}

test('only the C library, its headers and its licences are unpacked', () => {
  const { runtime, library } = runtimeFolder();
  expect(Object.keys(files).sort()).toEqual([
    'THIRD_PARTY_NOTICES.txt',
    'deps/include/tensorflow/c/c_api.h',
    'deps/include/tensorflow/core/platform/d.h',
    'deps/include/tsl/c.h',
    'deps/include/xla/tsl/a/b.h',
    'deps/lib/libtensorflow_cc.so.2',
    'deps/lib/libtensorflow_framework.so.2',
  ]);
  expect(readFileSync(library, 'utf8')).toBe('tensorflow/libtensorflow_cc.so.2'.repeat(200_000));
  expect(progress.length).toBeGreaterThan(5);
  expect(progress.at(-1)).toBe(Object.values(files).reduce((sum, { size }) => sum + size, 0));
  expect(existsSync(join(runtime, 'deps/include/external'))).toBe(false);
});

test('macOS has the same version from a wheel of its own, whose libraries are unpacked and linked under its names', async () => {
  const mac = cpuWheel('darwin');
  expect([mac.version, cpuWheel('linux').version]).toEqual([tensorflow.cpu.version, tensorflow.cpu.version]);
  expect(mac.pipTarget.filter((option) => option.startsWith('--platform'))).toEqual(['--platform=macosx_12_0_arm64']);
  const folder = temporaryFolder();
  const libraries = ['cc', 'framework'].map((part) => `libtensorflow_${part}.2.dylib`);
  const wheel = smallWheel(folder, ...libraries.map((name) => `tensorflow/${name}`));
  const unpacked = await unpackWheel(python, wheel, join(folder, 'mac'), () => undefined);
  for (const name of libraries) expect(Object.keys(unpacked)).toContain(`deps/lib/${name}`);
  expect(Object.values(linksFor('darwin')).sort()).toEqual(libraries);
  const { flags, libraries: linked, runsFirst } = compilerOptions('darwin');
  expect(flags).toContain('dynamic_lookup');
  expect([runsFirst, compilerOptions('linux').runsFirst]).toEqual([[], ['-Wl,-z,initfirst']]);
  expect(linked.at(-1)).toBe('-Wl,-rpath,@loader_path/../../deps/lib');
  expect(compilerOptions('linux').libraries.at(-1)).toBe('-Wl,-rpath,$ORIGIN/../../deps/lib');
});

test('a whole runtime passes the check', () => {
  expect(runtimeReady('cpu', runtimeFolder().runtime)).toBe(true);
});

test('a runtime with a cut, missing, unlinked or foreign part is not taken', () => {
  const spoil: ((runtime: string, library: string) => void)[] = [
    (_runtime, library) => truncateSync(library, 100),
    (runtime) => rmSync(join(runtime, 'deps/include/tsl/c.h')),
    (runtime) => rmSync(join(runtime, 'deps/lib/libtensorflow.so')),
    (runtime) => rmSync(join(runtime, 'runtime.json')),
    (runtime) => writeFileSync(join(runtime, 'runtime.json'), '{"wheel":"another","files":{}}'),
    (runtime) => writeFileSync(join(runtime, 'runtime.json'), '{"wheel":'),
  ];
  for (const damage of spoil) {
    const { runtime, library } = runtimeFolder();
    damage(runtime, library);
    expect(runtimeReady('cpu', runtime), damage.toString()).toBe(false);
  }
});

test('of NVIDIA’s wheels the libraries are unpacked where TensorFlow looks for them, and what XLA compiles with', async () => {
  const folder = temporaryFolder();
  const wheel = join(folder, 'nvidia.whl');
  const program = `
import sys, zipfile
names = ["nvidia/__init__.py", "nvidia/cublas/lib/libcublas.so.12", "nvidia/cublas/include/cublas.h",
  "nvidia/cuda_nvcc/bin/ptxas", "nvidia/cuda_nvcc/bin/cudafe", "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc",
  "nvidia_cublas_cu12-12.9.3.13.dist-info/licenses/License.txt", "nvidia_cublas_cu12-12.9.3.13.dist-info/METADATA"]
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name in names:
        archive.writestr(name, name)
`;
  execFileSync(python, ['-c', program, wheel]);
  const out = join(folder, 'out');
  const unpacked = await unpackWheel(python, wheel, out, () => undefined);
  expect(Object.keys(unpacked).sort()).toEqual([
    'deps/nvidia/LICENSE.nvidia_cublas_cu12.txt',
    'deps/nvidia/cublas/lib/libcublas.so.12',
    'deps/nvidia/cuda_nvcc/bin/ptxas',
    'deps/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc',
  ]);
  expect(statSync(join(out, 'deps/nvidia/cuda_nvcc/bin/ptxas')).mode & 0o111).toBe(0o111);
});

test('a GPU is one that the driver lists', () => {
  const system = temporaryFolder();
  expect(hasGpu(system)).toBe(false);
  mkdirSync(join(system, 'proc/driver/nvidia/gpus'), { recursive: true });
  expect(hasGpu(system)).toBe(false);
  mkdirSync(join(system, 'proc/driver/nvidia/gpus/0000:01:00.0'));
  expect(hasGpu(system)).toBe(true);
});

test('a wheel that is no archive is an error in one line', async () => {
  const folder = temporaryFolder();
  const wheel = join(folder, 'broken.whl');
  writeFileSync(wheel, 'no archive');
  await expect(unpackWheel(python, wheel, join(folder, 'out'), () => undefined)).rejects.toThrow(
    /^zipfile.BadZipFile[^\n]*$/,
  );
});

test('one file is extracted from an archive, and a broken archive is an error in one line', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'package/data'), { recursive: true });
  for (const name of ['package/a.txt', 'package/data/data.txt']) writeFileSync(join(folder, name), `text of ${name}`);
  const archive = join(folder, 'a.tgz');
  execFileSync('tar', ['-C', folder, '-czf', archive, 'package']);
  const target = join(folder, 'target');
  mkdirSync(target);
  await untar(archive, target, ['package/data/data.txt']);
  expect(readFileSync(join(target, 'package/data/data.txt'), 'utf8')).toBe('text of package/data/data.txt');
  expect(existsSync(join(target, 'package/a.txt'))).toBe(false);
  truncateSync(archive, 20);
  await expect(untar(archive, target)).rejects.toThrow(/^[^\n]*a\.tgz cannot be unpacked: [^\n]*$/);
});
