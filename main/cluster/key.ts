/** What members have in common and strangers do not: a secret that the person gives, or on one machine a file of this user's. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { UserError } from '../../shared/errors.js';
import { onFile } from '../../shared/file-errors.js';
import { systemCode } from '../../shared/file-faults.js';
import type { Variables } from './launch.js';

/** Characters of one that is given. */
const LEAST = 16;
const SECRET_BYTES = 32;

export interface Key {
  /** 32 bytes. */
  readonly bytes: Uint8Array;
  /** Whether the person gave it; only such a one is known on other machines. */
  readonly isGiven: boolean;
}

/** @param file of this machine and user @throws UserError `bad_input` for a key that can be guessed; of the disk */
export function keyOf({ VERISIM_CLUSTER_KEY: given = '' }: Variables, file: string): Key {
  if (given !== '' && given.length < LEAST) {
    throw new UserError({
      code: 'bad_input',
      message: `VERISIM_CLUSTER_KEY has ${given.length} characters, fewer than ${LEAST}`,
      hint: 'Make one that nobody guesses: openssl rand -hex 32',
    });
  }
  const secret = given === '' ? ofThisMachine(file) : given;
  return { bytes: createHash('sha256').update(`verisim members\n${secret}`).digest(), isGiven: given !== '' };
}

/** @throws UserError `disk_full`, `file_not_writable` */
function ofThisMachine(file: string): string {
  return onFile(file, 'write', () => {
    mkdirSync(dirname(file), { recursive: true });
    return whole(file) ?? made(file);
  });
}

/** Null where it is not there, or is not all there. */
function whole(file: string): string | null {
  const secret = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return secret.length === 2 * SECRET_BYTES ? secret : null;
}

/** Of several that begin at once, one makes it: a link is refused where there is one, and what it names has been written. */
function made(file: string): string {
  const own = `${file}.${process.pid}`;
  try {
    writeFileSync(own, randomBytes(SECRET_BYTES).toString('hex'), { mode: 0o600 });
    // A full disk, or a power cut, has left a part of one.
    if (whole(file) === null) rmSync(file, { force: true });
    linkSync(own, file);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return readFileSync(file, 'utf8');
}
