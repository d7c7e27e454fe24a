// Uses Python for what only it knows: pip finds the registry and its certificates, zipfile reads wheels.
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { SetupProblem, installCommand } from './report.mjs';
import { findProgram, lastLines, run } from './run.mjs';

/** @typedef {import('../../main/installation/pinned.mjs').Wheel} Wheel */
/** @typedef {Record<string, { size: number, sha256: string }>} FileList files with their hashes, by name */

/**
 * @returns {Promise<string>} a Python 3 that has pip
 * @throws {SetupProblem}
 */
export async function findPython() {
  const python = findProgram(['python3', 'python']);
  if (!python) throw new SetupProblem('Python 3 was not found', installCommand('python3 python3-pip'));
  const { code, stdout } = await run(python, ['-c', 'import sys; print(*sys.version_info[:2]); import pip']);
  const [major, minor] = stdout.trim().split(' ').map(Number);
  if (major !== 3 || (minor ?? 0) < 8)
    throw new SetupProblem(`${python} is not Python 3.8 or newer`, installCommand('python3 python3-pip'));
  if (code !== 0) throw new SetupProblem('Python has no pip (python3 -m pip fails)', installCommand('python3-pip'));
  return python;
}

/**
 * Asks pip for the wheel's address in its registry, without downloading it.
 * @param {string} python
 * @param {Wheel} wheel
 * @returns {Promise<string | null>} null for an older pip, without a network, or if there is no such wheel
 */
export async function findWheel(python, { name, version, pipTarget }) {
  const options = ['--dry-run', '--ignore-installed', '--quiet', '--report=-', '--target=unused', ...pipTarget];
  const { code, stdout } = await run(python, ['-m', 'pip', 'install', ...options, `${name}==${version}`]);
  try {
    const { url } = JSON.parse(stdout).install[0].download_info;
    return code === 0 && /^https?:/.test(url) ? url : null;
  } catch {
    return null;
  }
}

/**
 * Lets pip download the wheel: it knows proxies and credentials, but starts over after an interruption.
 * @param {string} python
 * @param {Wheel} wheel
 * @param {string} folder for the wheel
 * @returns {Promise<string>} what pip printed about an error
 */
export async function pipDownload(python, { name, version, pipTarget }, folder) {
  const args = ['-m', 'pip', 'download', '--quiet', `--dest=${folder}`, ...pipTarget, `${name}==${version}`];
  return lastLines((await run(python, args)).stderr, 3);
}

/**
 * Reads the certificates to trust for the registry: Node's own and those that pip is configured with.
 * @param {string} python
 * @returns {Promise<string[] | undefined>} undefined if Node's own suffice
 */
export async function trustedCertificates(python) {
  const { stdout } = await run(python, ['-m', 'pip', 'config', 'get', 'global.cert']);
  const { PIP_CERT, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env;
  const found = [PIP_CERT, stdout.trim(), NODE_EXTRA_CA_CERTS, SSL_CERT_FILE].flatMap((file) => {
    try {
      return file ? [readFileSync(file, 'utf8')] : [];
    } catch {
      return []; // pip reports it if it matters
    }
  });
  return found.length > 0 ? [...rootCertificates, ...new Set(found)] : undefined;
}

/**
 * Unpacks what is needed from a wheel (unpack.py).
 * @param {string} python
 * @param {string} wheel
 * @param {string} folder
 * @param {(done: number, total: number) => void} onProgress bytes
 * @returns {Promise<FileList>} relative to `folder`
 */
export async function unpackWheel(python, wheel, folder, onProgress) {
  const script = fileURLToPath(new URL('unpack.py', import.meta.url));
  const { code, stdout, stderr } = await run(python, [script, wheel, folder], {
    onLine(line) {
      const numbers = /^(\d+) (\d+)$/.exec(line);
      if (numbers) onProgress(Number(numbers[1]), Number(numbers[2]));
    },
  });
  if (code !== 0) throw new Error(lastLines(stderr, 1));
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}
