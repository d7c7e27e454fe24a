/**
 * Whether the model that training begins from could write before Verisim trained it, or is a small one that began from nothing
 * in another project: advice about cycles (shared/cycle-advice.ts) was measured of both apart. Told from its files alone.
 */
import { dirname } from 'node:path';
import { initialModelPath } from '../../shared/config/init.js';
import { cycleAdvice } from '../../shared/cycle-advice.js';
import { UserError } from '../../shared/errors.js';
import { findForeignModel } from '../storage/projects/foreign-models.js';
import { readModelFacts } from '../storage/projects/models.js';
import { openProject } from '../storage/projects/project-folder.js';
import { isProject } from '../storage/projects/project-paths.js';
import { modelFolder } from './models.js';

type Settings = Parameters<typeof initialModelPath>[0];

/** Forks of forks: nobody has more, unless two of them name each other. */
const MOST_ANCESTORS = 64;

/** False where training starts from scratch. What is not there any more is taken for a model that could write. */
export function couldWriteBefore(settings: Settings): boolean {
  let next: Settings = settings;
  for (let ancestor = 0; ancestor < MOST_ANCESTORS; ancestor++) {
    const path = initialModelPath(next);
    if (path === null) return false;
    const before = beginningOf(path);
    if (before === null) return true;
    next = before;
  }
  return true;
}

/** What is advised about cycles before the start, of a project's settings and its text. */
export const adviceFor = (
  config: Parameters<typeof cycleAdvice>[0] & Settings,
  trainTokens: number,
): ReturnType<typeof cycleAdvice> => cycleAdvice(config, trainTokens, couldWriteBefore(config));

/** What a model of Verisim's own was trained from, as its settings had it; null for another program's. */
function beginningOf(path: string): Settings | null {
  try {
    const folder = modelFolder(path, 'generator');
    if (findForeignModel(folder) !== null) return null;
    const { provenance } = readModelFacts(folder);
    // A command's model says it itself, a project's is where the project is (checkpoints/base_model_v1).
    if (typeof provenance['init_from'] === 'string') return { init_from: provenance['init_from'] };
    const project = dirname(dirname(folder));
    return isProject(project) ? openProject(project).config : {};
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
