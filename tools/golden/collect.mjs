// Makes artefacts of the files that a run left: a hash of each, normalised, and a text that tells people what is in it.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { eventFileText, isEventFile } from './event-file.mjs';
import { isJson, normaliseManifest, normalisePath, normaliseText, sha256 } from './normalise.mjs';
import { isTar, tarMembers } from './tar-file.mjs';

/** @typedef {import('./normalise.mjs').Surroundings} Surroundings */

/**
 * @typedef {object} Artefact
 * @property {string} hash SHA-256 of what is compared
 * @property {string} text what is compared, if that is text; else what can be said of the bytes
 */

/** @typedef {Map<string, Artefact>} Artefacts by path */

/**
 * @param {string} folder
 * @param {Surroundings} where
 * @returns {Artefacts} paths from the folder, "/" between names; members of an archive follow its name and "!"
 */
export function collect(folder, where) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  return artefactsOf(new Map(files.map((path) => [path, readFileSync(join(folder, path))])), where);
}

/**
 * @param {ReadonlyMap<string, Uint8Array>} files
 * @param {Surroundings} where
 * @returns {Artefacts}
 */
export function artefactsOf(files, where) {
  const normalised = createNormaliser(files, where);
  /** @type {Artefacts} */
  const artefacts = new Map();
  for (const [path, raw] of files) {
    const name = normalisePath(path);
    if (!isTar(raw)) {
      const bytes = normalised(path);
      artefacts.set(name, { hash: sha256(bytes), text: textOf(bytes) ?? outlineOf(raw) });
      continue;
    }
    const members = tarMembers(raw);
    const list = members.map((member) => `${member.name}: ${member.header}\n`).join('');
    artefacts.set(name, { hash: sha256(list), text: list });
    const inside = artefactsOf(new Map(members.map((member) => [member.name, member.bytes])), where);
    for (const [member, artefact] of inside) artefacts.set(`${name}!${member}`, artefact);
  }
  return artefacts;
}

/**
 * @param {ReadonlyMap<string, Uint8Array>} files
 * @param {Surroundings} where
 * @returns {(path: string) => Uint8Array} the bytes that are compared
 */
function createNormaliser(files, where) {
  /** @type {Map<string, Uint8Array>} */
  const done = new Map();
  /** @param {string} path @returns {Uint8Array} */
  const normalised = (path) => {
    const raw = files.get(path) ?? new Uint8Array();
    const known = done.get(path);
    if (known) return known;
    done.set(path, raw); // while a manifest that names itself is at work
    const text = isEventFile(path) ? eventFileText(raw) : textOf(raw);
    if (text === null) return raw;
    const ruled = normaliseText(text, where);
    const fileOf = (/** @type {string} */ name) => {
      const other = dirname(path) === '.' ? name : `${dirname(path)}/${name}`;
      const bytes = files.get(other);
      return bytes ? { raw: bytes, normalised: normalised(other) } : null;
    };
    const bytes = Buffer.from(isManifest(ruled) ? normaliseManifest(ruled, fileOf) : ruled);
    done.set(path, bytes);
    return bytes;
  };
  return normalised;
}

/** @param {string} text */
const isManifest = (text) => text.includes('"sha256"') && isJson(text) && 'files' in JSON.parse(text);

/** @param {Uint8Array} bytes */
function textOf(bytes) {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** What people are told of bytes that differ: of weights, which tensors. @param {Uint8Array} bytes */
function outlineOf(bytes) {
  const lines = [`${bytes.length} bytes`, ...(tensorLines(bytes) ?? [])];
  return `${lines.join('\n')}\n`;
}

/** @param {Uint8Array} bytes a safetensors file, or anything else */
function tensorLines(bytes) {
  if (bytes.length < 10 || bytes[8] !== 0x7b) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = 8 + Number(view.getBigUint64(0, true));
  try {
    const header = /** @type {Record<string, { dtype: string, shape: number[], data_offsets: [number, number] }>} */ (
      JSON.parse(new TextDecoder().decode(bytes.subarray(8, end)))
    );
    return Object.entries(header).map(([name, { dtype, shape, data_offsets }]) => {
      if (data_offsets === undefined) return name;
      const [from, to] = data_offsets;
      return `${name}: ${dtype} [${shape.join(', ')}] ${sha256(bytes.subarray(end + from, end + to)).slice(0, 12)}`;
    });
  } catch {
    return null;
  }
}
