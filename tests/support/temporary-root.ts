/** Where tests make folders that many writes go to: in memory where there is such a folder, so that no disk is waited for. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

export const temporaryRoot = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
