/** The sample project's settings, for the window and the terminal: it begins from the model that the set-up fetched, if it did. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { projectCommandShape, type ProjectCommand } from '../../../shared/config/commands.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { sampleProject } from '../../../shared/config/sample.js';
import { typed } from '../../../shared/sentence.js';
import { sampleModelPath, sampleTextPath } from '../../installation/locations.mjs';

/** The model that the sample begins from; undefined where the set-up could not fetch it. */
export const sampleModelThere = (): string | undefined =>
  existsSync(sampleModelPath()) ? sampleModelPath() : undefined;

/** @param given the folder, the machine's settings, and `init_from` where it is not the sample's own model */
export function sampleSettings(given: Pick<ProjectCommand, 'project'> & Partial<ProjectCommand>): ProjectCommand {
  const { init_from = sampleModelThere(), ...rest } = given;
  const resolved = resolveSettings(projectCommandShape, {
    data_path: sampleTextPath(),
    ...sampleProject(init_from),
    ...rest,
  });
  if (!resolved.ok) throw new Error(`the sample project's settings: ${typed(resolved.problems[0]?.message ?? '')}`);
  return z.object(projectCommandShape).parse(resolved.value);
}
