/** How fast this machine was measured to be: what estimates rest on. Kept, newest first, for the next start. */
import { z } from 'zod';
import type { DataFolder } from './data-folder.js';
import { readStored, writeStored } from './stored.js';

const speedsSchema = z.object({
  /** Floating-point operations a second that training and writing reached. */
  training: z.number().positive().nullable(),
  writing: z.number().positive().nullable(),
});
export type Speed = z.infer<typeof speedsSchema>;

export interface Speeds {
  get(): Speed;
  keep(speed: Partial<Speed>): void;
}

export function createSpeeds(data: DataFolder): Speeds {
  let speed = readStored(data.speeds, speedsSchema, { training: null, writing: null });
  return {
    get: () => speed,
    keep(measured) {
      speed = { ...speed, ...measured };
      writeStored(data.speeds, speed);
    },
  };
}
