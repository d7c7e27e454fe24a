/** The sample project's settings, for the window and the terminal: it begins from the model that the set-up fetched, if it did. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { projectCommandShape, type ProjectCommand } from '../../../shared/config/commands.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { sampleProject } from '../../../shared/config/sample.js';
import { beginningMemory } from '../../../shared/phases/estimate.js';
import { typed } from '../../../shared/sentence.js';
import { initialShape } from '../initial-shape.js';
import { memoryLimit } from '../machine/memory.js';
import { sampleModelPath, sampleTextPath } from '../../installation/locations.mjs';

/** Why the sample does not begin from its model here; null: it does. */
export function sampleModelTrouble(): 'absent' | 'memory' | null {
  const file = sampleModelPath();
  if (!existsSync(file)) return 'absent';
  const shape = initialShape({ init_from: file });
  return shape !== null && beginningMemory(shape.model) > memoryLimit() ? 'memory' : null;
}

/** The model that the sample begins from; undefined where it is not there, or is too large for this machine. */
export const sampleModelHere = (): string | undefined =>
  sampleModelTrouble() === null ? sampleModelPath() : undefined;

/** @param given the folder, the machine's settings, and `init_from` where it is not the sample's own model */
export function sampleSettings(given: Pick<ProjectCommand, 'project'> & Partial<ProjectCommand>): ProjectCommand {
  const { init_from = sampleModelHere(), ...rest } = given;
  const resolved = resolveSettings(projectCommandShape, {
    data_path: sampleTextPath(),
    ...sampleProject(init_from),
    ...rest,
  });
  if (!resolved.ok) throw new Error(`the sample project's settings: ${typed(resolved.problems[0]?.message ?? '')}`);
  return z.object(projectCommandShape).parse(resolved.value);
}
