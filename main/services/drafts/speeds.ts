/** How fast this machine was measured to be: what estimates rest on. Kept, newest first, for the next start. */
import { z } from 'zod';
import type { DataFolder } from '../files/data-folder.js';
import { readStored, writeStored } from '../files/stored.js';

const speedsSchema = z.object({
  /** Floating-point operations a second that training and writing reached. */
  training: z.number().positive().nullable(),
  writing: z.number().positive().nullable(),
});
export type Speed = z.infer<typeof speedsSchema>;

export interface Speeds {
  get(): Speed;
  keep(speed: Partial<Speed>): void;
  /** Until something was measured with a model: from billions of operations a second in a matrix product. */
  guess(gflops: number): void;
}

/** Measured on two cores: what training and writing reach of a matrix product; as in main/engine/cycle/preview.ts. */
const shares = { training: 0.5, writing: 0.25 } as const;

export function createSpeeds(data: DataFolder): Speeds {
  let speed = readStored(data.speeds, speedsSchema, { training: null, writing: null });
  let guessed: Speed = { training: null, writing: null };
  return {
    get: () => ({ training: speed.training ?? guessed.training, writing: speed.writing ?? guessed.writing }),
    guess(gflops) {
      if (gflops > 0) guessed = { training: shares.training * gflops * 1e9, writing: shares.writing * gflops * 1e9 };
    },
    keep(measured) {
      speed = { ...speed, ...measured };
      writeStored(data.speeds, speed);
    },
  };
}
