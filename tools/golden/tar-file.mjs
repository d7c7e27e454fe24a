// Takes a tar archive apart: its members are compared one by one, since a project's files hold clock times.

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} header every field but name, size and checksum, for people
 * @property {Uint8Array} bytes
 */

const block = 512;
const ascii = new TextDecoder('latin1');
const utf8 = new TextDecoder();

/** @param {Uint8Array} bytes */
export const isTar = (bytes) => ascii.decode(bytes.subarray(257, 262)) === 'ustar';

/**
 * @param {Uint8Array} archive
 * @returns {readonly Member[]} in the archive's order
 */
export function tarMembers(archive) {
  /** @type {Member[]} */
  const members = [];
  let longName = null;
  for (let at = 0; at + block <= archive.length;) {
    const head = archive.subarray(at, at + block);
    if (head.every((byte) => byte === 0)) break;
    const field = (/** @type {number} */ from, /** @type {number} */ to) =>
      utf8.decode(head.subarray(from, to)).replace(/\0.*$/s, '').trim();
    const size = parseInt(field(124, 136), 8);
    const type = field(156, 157);
    const bytes = archive.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
    if (type === 'x') {
      longName = /^\d+ path=(.*)$/m.exec(utf8.decode(bytes))?.[1] ?? null;
      continue;
    }
    const prefix = field(345, 500);
    const name = longName ?? (prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`);
    longName = null;
    const [mode, uid, gid, time] = [field(100, 108), field(108, 116), field(116, 124), field(136, 148)];
    const header = `type ${type} mode ${mode} uid ${uid} gid ${gid} time ${time} owner ${field(265, 297)} ${field(297, 329)}`;
    members.push({ name, header: header.trimEnd(), bytes });
  }
  return members;
}
