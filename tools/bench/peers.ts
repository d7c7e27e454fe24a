/** The Python environment of the peers: the versions of peers/requirements.txt, in the cache folder. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from '../../scripts/setup/python.mjs';
import { SetupProblem } from '../../scripts/setup/report.mjs';
import { lastLines, run } from '../../scripts/setup/run.mjs';
import { cacheFolder } from '../../main/installation/locations.mjs';
import type { Command } from './contender.js';

/** A Python that has the peers: that of VERISIM_PEERS_PYTHON, or one in the cache folder, installed when needed. */
export async function peersPython(root: string, report: (line: string) => void): Promise<string> {
  const chosen = process.env['VERISIM_PEERS_PYTHON'];
  if (chosen) return chosen;
  const requirements = join(root, 'tools/bench/peers/requirements.txt');
  const folder = join(cacheFolder(), 'peers');
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const stamp = join(folder, 'peers.json');
  const key = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(python) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return python;

  report(`Installing the peers into ${folder}: some gigabytes, several minutes, once.`);
  mkdirSync(folder, { recursive: true });
  rmSync(stamp, { force: true });
  const step = async (program: string, args: readonly string[]) => {
    const { code, stderr } = await run(program, args, {
      onLine: (line) => {
        if (/^(Collecting|Downloading|Installing|Successfully)/.test(line)) report(`  ${line.slice(0, 140)}`);
      },
    });
    if (code === 0) return;
    throw new SetupProblem(`The peers could not be installed (${lastLines(stderr, 3)})`, 'npm run bench -- --peers');
  };
  await step(await findPython(), ['-m', 'venv', '--clear', folder]);
  await step(python, ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '-r', requirements]);
  writeFileSync(stamp, key);
  return python;
}

/** @param device of PyTorch */
export const peerCommand = (root: string, python: string, device: 'cpu' | 'cuda' = 'cpu'): Command => ({
  program: python,
  args: [join(root, 'tools/bench/peers/worker.py')],
  // Without a network, and on the processor without a GPU.
  env: {
    ...process.env,
    ...(device === 'cpu' ? { CUDA_VISIBLE_DEVICES: '' } : {}),
    VERISIM_PEERS_DEVICE: device,
    HF_HUB_OFFLINE: '1',
    HF_HUB_DISABLE_TELEMETRY: '1',
    TRANSFORMERS_VERBOSITY: 'error',
    TOKENIZERS_PARALLELISM: 'false',
    // Compiles in the process itself, without helpers that outlive it.
    TORCHINDUCTOR_COMPILE_THREADS: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  },
});
