// The second runtime: TensorFlow's build for NVIDIA GPUs as one file, which the app installs (main/services/updates/runtime-file.ts).
// The app that is packaged with it knows the hash of its list. Only where that build is set up (`npm run setup -- --gpu`).
import { closeSync, createReadStream, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { readList } from './runtime.mjs';

/** @typedef {import('./runtime.mjs').Runtime} Runtime */

const block = 512;
const listName = 'runtime.json';

/** @param {string} version the runtime's */
export const gpuFileName = (version) => `Verisim-runtime-gpu-${version}-linux-x64.tar`;

/**
 * A header of the tar format (ustar), of a regular file: as `main/storage/projects/tar.ts` reads it.
 * @param {string} name at most 255 bytes
 * @param {number} size below 8 GiB
 * @param {number} time seconds since 1970
 */
function header(name, size, time) {
  const cut = name.length <= 100 ? -1 : name.lastIndexOf('/', 155);
  const bytes = Buffer.alloc(block);
  const octal = (/** @type {number} */ value, /** @type {number} */ at, /** @type {number} */ length) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  bytes.write(name.slice(cut + 1), 0, 'latin1');
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(time, 136, 12);
  bytes.write('        0', 148, 'latin1');
  bytes.write('ustar\x0000', 257, 'latin1');
  if (cut > 0) bytes.write(name.slice(0, cut), 345, 'latin1');
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  bytes.write(' ', 155, 'latin1');
  return bytes;
}

const padding = (/** @type {number} */ size) => Buffer.alloc((block - (size % block)) % block);

/**
 * @param {string} folder the runtime's, with its list (`describeRuntime`)
 * @param {Runtime} runtime
 * @param {string} file what it becomes
 * @param {number} level of compression, 1 to 9
 */
async function packRuntime(folder, { files, time }, file, level) {
  const part = `${file}.part`;
  const target = openSync(part, 'w');
  try {
    const add = (/** @type {string} */ name, /** @type {Buffer} */ bytes) => {
      for (const piece of [header(name, bytes.length, time), bytes, padding(bytes.length)]) writeSync(target, piece);
    };
    add(listName, readFileSync(join(folder, listName)));
    // Each compressed by itself, so that it is found, checked and taken up again by itself.
    for (const name of Object.keys(files))
      add(`${name}.gz`, await buffer(createReadStream(join(folder, name)).pipe(createGzip({ level }))));
    writeSync(target, Buffer.alloc(2 * block));
  } finally {
    closeSync(target);
  }
  renameSync(part, file);
}

/**
 * @param {string} folder where it is staged
 * @param {string} output the folder of the packages
 * @param {number} level of compression
 * @returns {Promise<string>} the file
 */
export async function makeGpuFile(folder, output, level) {
  const runtime = readList(folder);
  const file = join(output, gpuFileName(runtime.version));
  await packRuntime(folder, runtime, file, Math.min(level, 6));
  return file;
}
