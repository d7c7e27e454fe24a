// `npm run gpu-check [-- FOLDER]`: packs a check of WebGPU for a machine of this kind without a network. There: `sh run.sh`.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { root } from '../../scripts/setup/index.mjs';
import { bundle } from '../support/program.mjs';

/** A device tool carries 64 MiB with the checkout, of which this is the most. */
const MOST_BYTES = 60e6;

/** What the bundle loads by itself, so that tfjs and its backends are one. */
const OUTSIDE = ['@tensorflow/*', 'webgpu', '@node-llama-cpp/*'];
const BACKENDS = ['webgpu', 'wasm'].map((name) => `@tensorflow/tfjs-backend-${name}`);

/** NVIDIA's driver in containers that do not name it; the loader of Vulkan here, if the machine has none. */
const run = `#!/bin/sh
# Checks this machine's GPU (docs/benchmarks.md of Verisim): sh run.sh --help
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$here/check.tgz" -C "$work"
driver=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -z "$VK_DRIVER_FILES" ] && [ -e "$driver" ]; then export VK_DRIVER_FILES="$driver"; fi
export LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$work/vulkan"
export VERISIM_PEERS_PYTHON="\${VERISIM_PEERS_PYTHON:-python3}"
"$work/node" "$work/dist/index.js" "$@"
`;

/** The files of tfjs and its backends that Node loads, their package.json, WASM, and Dawn for this system. */
function neededFiles() {
  const code = `for (const name of ${JSON.stringify(['@tensorflow/tfjs', ...BACKENDS])}) require(name); console.log(Object.keys(require.cache).join('\\n'))`;
  const loaded = execFileSync(process.execPath, ['-e', code], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const packages = new Set(
    loaded.map((file) => {
      let folder = dirname(file);
      while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
      return join(folder, 'package.json');
    }),
  );
  const wasm = dirname(createRequire(join(root, 'package.json')).resolve('@tensorflow/tfjs-backend-wasm'));
  const dawn = join(root, 'node_modules/webgpu');
  const own = join('dist', `${process.platform}-${process.arch}`);
  return [
    ...loaded,
    ...packages,
    ...readdirSync(wasm)
      .filter((name) => name.endsWith('.wasm'))
      .map((name) => join(wasm, name)),
    ...['package.json', 'index.js', own].map((name) => join(dawn, name)),
  ];
}

/** The loader of Vulkan that Electron brings. */
function vulkanLoader() {
  const electrons = readdirSync(cacheFolder()).filter((name) => name.startsWith('electron-'));
  return electrons.map((name) => join(cacheFolder(), name, 'libvulkan.so.1')).find((file) => existsSync(file));
}

const folder = resolve(process.argv[2] ?? 'out/gpu-check');
const built = await bundle(
  'dist/gpu-check',
  {
    index: 'tools/gpu-check/index.ts',
    worker: 'tools/bench/engine/worker.ts',
  },
  OUTSIDE,
);
const stage = mkdtempSync(join(tmpdir(), 'verisim-gpu-check-'));
try {
  for (const file of neededFiles()) cpSync(file, join(stage, relative(root, file)), { recursive: true });
  cpSync(built, join(stage, 'dist'), { recursive: true, filter: (file) => !file.endsWith('.map') });
  cpSync(join(root, 'tools/bench/peers'), join(stage, 'tools/bench/peers'), { recursive: true });
  writeFileSync(join(stage, 'package.json'), '{ "type": "module" }\n');
  copyFileSync(process.execPath, join(stage, 'node'));
  const loader = vulkanLoader();
  if (loader) {
    mkdirSync(join(stage, 'vulkan'));
    copyFileSync(loader, join(stage, 'vulkan/libvulkan.so.1'));
  }
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-czf', join(folder, 'check.tgz'), '-C', stage, '.']);
  writeFileSync(join(folder, 'run.sh'), run);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
const size = statSync(join(folder, 'check.tgz')).size;
process.stdout.write(`${folder}: ${(size / 1e6).toFixed(1)} MB. There: sh run.sh\n`);
if (size > MOST_BYTES) process.exitCode = 1;
