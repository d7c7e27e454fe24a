/** The checkpoints that a project's base model has while it is trained: where another project can begin. Read, never written. */
import { artefactName } from '../../../shared/phases/index.js';
import { bestStepIn, generationsIn } from '../../storage/projects/checkpoint-store.js';
import { projectPaths } from '../../storage/projects/project-paths.js';

interface KeptCheckpoint {
  readonly model: string;
  readonly step: number;
  readonly best: boolean;
}

export function checkpointsOf(folder: string, cycle: number): readonly KeptCheckpoint[] {
  const model = artefactName('base_model', cycle);
  const progress = projectPaths(folder).progress(model);
  const steps = generationsIn(progress);
  const best = bestStepIn(progress);
  // The weights of the best one are in the newest, too.
  const all = best === null || steps.includes(best) ? steps : [...steps, best];
  return [...all]
    .sort((a, b) => b - a)
    .filter((step) => step > 0)
    .map((step) => ({ model, step, best: step === best }));
}
