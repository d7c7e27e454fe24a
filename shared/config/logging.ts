/** How a run's numbers are kept besides metrics.jsonl, which is always there. */
import { z } from 'zod';
import { parameter } from './parameter.js';

export const loggingShape = {
  tensorboard: parameter(z.boolean().default(false), { advanced: true }),
};
