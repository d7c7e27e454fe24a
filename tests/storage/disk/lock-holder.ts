/** A process for lock.test: takes the lock of argv[2], prints one line of JSON about it, and does what stdin says. */
import { createInterface } from 'node:readline';
import { toFault } from '../../../shared/errors.js';
import { acquireLock } from '../../../main/storage/disk/lock.js';

const say = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
try {
  const lock = acquireLock(String(process.argv[2]), 'test holder');
  say({ held: true });
  createInterface({ input: process.stdin }).on('line', (line) => {
    if (line === 'release') lock.release();
    if (line === 'exit') process.exit(0);
    say({ did: line });
  });
} catch (error) {
  say(toFault(error));
}
