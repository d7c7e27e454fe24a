/** What members have in common and strangers do not: a secret that the person gives, or on one machine a file of this user's. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../../shared/errors.js';
import type { Variables } from './launch.js';

const LEAST = 16;

export interface Key {
  /** 32 bytes. */
  readonly bytes: Uint8Array;
  /** Whether the person gave it; only such a one is known on other machines. */
  readonly isGiven: boolean;
}

/** @param file of this machine and user @throws UserError `bad_input` for a key that can be guessed */
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

function ofThisMachine(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  try {
    // Refused when it is there: of several that begin at once, one makes it. It is written in one go.
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}
