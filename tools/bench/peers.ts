/**
 * The Python environment of the contenders: PyTorch, transformers, TRL and peft at the versions of peers/requirements.txt, in
 * the cache folder and nowhere else. It is made when it is first asked for; `--python` names one that is there already.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from '../../scripts/setup/python.mjs';
import { SetupProblem } from '../../scripts/setup/report.mjs';
import { lastLines, run } from '../../scripts/setup/run.mjs';
import { cacheFolder } from '../../main/installation/locations.mjs';
import type { Command } from './contender.js';

/** A Python that has the peers. */
export async function peersPython(root: string, chosen: string | null, say: (line: string) => void): Promise<string> {
  const given = chosen ?? process.env['VERISIM_PEERS_PYTHON'];
  const requirements = join(root, 'tools/bench/peers/requirements.txt');
  if (given) {
    const { code, stderr } = await run(given, ['-c', 'import torch, transformers, trl, peft'], {
      env: peersEnvironment(),
    });
    if (code === 0) return given;
    throw new SetupProblem(
      `${given} does not have the peers (${lastLines(stderr, 1)})`,
      `${given} -m pip install -r ${requirements}`,
    );
  }
  return pythonOf(
    { name: 'peers', requirements, size: 'some gigabytes, several minutes', again: 'npm run bench -- --peers' },
    say,
  );
}

interface Packages {
  /** Of the folder in the cache. */
  readonly name: string;
  /** A requirements.txt. */
  readonly requirements: string;
  /** What it costs, in words. */
  readonly size: string;
  /** The command that tries it again. */
  readonly again: string;
}

/** A Python environment in the cache folder that has these packages; made when they have changed. */
export async function pythonOf({ name, requirements, size, again }: Packages, say: (line: string) => void) {
  const folder = join(cacheFolder(), name);
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const stamp = join(folder, `${name}.json`);
  const key = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(python) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return python;

  say(`Installing the ${name} into ${folder}: ${size}, once.`);
  mkdirSync(folder, { recursive: true });
  rmSync(stamp, { force: true });
  const step = async (program: string, args: readonly string[]) => {
    const { code, stderr } = await run(program, args, {
      onLine: (line) => {
        if (/^(Collecting|Downloading|Installing|Successfully)/.test(line)) say(`  ${line.slice(0, 140)}`);
      },
    });
    if (code !== 0) throw new SetupProblem(`The ${name} could not be installed (${lastLines(stderr, 3)})`, again);
  };
  await step(await findPython(), ['-m', 'venv', '--clear', folder]);
  await step(python, ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '-r', requirements]);
  writeFileSync(stamp, key);
  return python;
}

/** On the processor only, without a look at any network. */
export function peersEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CUDA_VISIBLE_DEVICES: '',
    HF_HUB_OFFLINE: '1',
    HF_HUB_DISABLE_TELEMETRY: '1',
    TRANSFORMERS_VERBOSITY: 'error',
    TOKENIZERS_PARALLELISM: 'false',
    // Compiling in the process itself: no helpers that outlive it.
    TORCHINDUCTOR_COMPILE_THREADS: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

export const peerCommand = (root: string, python: string): Command => ({
  program: python,
  args: [join(root, 'tools/bench/peers/worker.py')],
  env: peersEnvironment(),
});
