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
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { stageModules } from '../../scripts/package/stage.mjs';
import { root } from '../../scripts/setup/index.mjs';
import { bundle } from '../support/program.mjs';

/** A device tool carries 64 MiB with the checkout, of which this is the most. */
const MOST_BYTES = 60e6;

/** What the bundle loads by itself, so that tfjs and its backends are one. */
const OUTSIDE = ['@tensorflow/*', 'webgpu', '@node-llama-cpp/*'];

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

/** Copies Dawn for this system. @param {string} target a `node_modules` */
function takeDawn(target) {
  const own = join('dist', `${process.platform}-${process.arch}`);
  for (const name of ['package.json', 'index.js', own])
    cpSync(join(root, 'node_modules/webgpu', name), join(target, 'webgpu', name), { recursive: true });
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
  await stageModules(root, join(stage, 'node_modules'));
  takeDawn(join(stage, 'node_modules'));
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
