/** The whole configuration of a project: every group's parameters under one set of unique names. */
import { z } from 'zod';
import { cycleShape } from './cycle.js';
import { dataShape } from './data.js';
import { readingShape } from './generation.js';
import { initShape } from './init.js';
import { grpoShape } from './grpo.js';
import { loggingShape } from './logging.js';
import { machineShape } from './machine.js';
import { modelConfigSchema, modelShape, takenOverShape } from './model.js';
import { parameterInfo } from './parameter.js';
import { scoringModelsShape } from './scoring-models.js';
import { rewardDataShape } from './reward-data.js';
import { rewardModelShape } from './reward-model.js';
import { trainShape } from './train.js';
import { tuneShape } from './tune.js';

export * from './cycle.js';
export * from './data.js';
export * from './generation.js';
export * from './init.js';
export * from './grpo.js';
export * from './logging.js';
export * from './machine.js';
export * from './model.js';
export * from './parameter.js';
export * from './presets.js';
export * from './scoring-models.js';
export * from './reward-data.js';
export * from './reward-model.js';
export * from './train.js';
export * from './tune.js';

export const projectShape = {
  ...dataShape,
  ...initShape,
  ...tuneShape,
  ...modelShape,
  ...trainShape,
  ...readingShape,
  ...rewardDataShape,
  ...rewardModelShape,
  ...grpoShape,
  ...scoringModelsShape,
  ...cycleShape,
  ...loggingShape,
  ...machineShape,
};

/** Those that name a file or a folder of this machine. */
export const pathSettings: readonly string[] = Object.entries(projectShape)
  .filter(([, schema]) => parameterInfo(schema)?.path !== undefined)
  .map(([key]) => key);

/** With what a project has taken over from the models that it and its critic begin from. */
export const projectConfigSchema = z.object({
  ...projectShape,
  ...takenOverShape,
  critic_network: modelConfigSchema.optional(),
  /** Cycles that learn from the user's choices (choices.ts). */
  learned_cycles: z.array(z.int().min(1)).readonly().optional(),
});
export type ProjectConfig = z.infer<typeof projectConfigSchema>;
