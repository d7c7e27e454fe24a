/**
 * Stores a checkpoint of an unfinished phase as a model of its own (base_model_v1_step_1200), from which another project can
 * start. The project itself may be running; it is not changed.
 */
import { existsSync } from 'node:fs';
import { parameterShapes } from '../../../shared/architectures/index.js';
import { generatorOf, type GPTConfig } from '../../../shared/config/model.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { artefactName, parseArtefact } from '../../../shared/phases/index.js';
import { bestWeightsOf, weightsOf } from '../../engine/train/kept-weights.js';
import type { Checkpoint, NamedArrays } from '../../engine/types.js';
import { checkpointFitsModel } from '../../formats/checkpoint.js';
import { generationFolder, generationsIn, readCheckpointFolder } from '../../storage/projects/checkpoint-store.js';
import { loadModel, saveModel, type Tokenization } from '../../storage/projects/models.js';
import { openProject, type Project } from '../../storage/projects/project-folder.js';
import { openInitialModel } from '../initial-models.js';
import { tokenizationIn } from '../text.js';
import type { JobContext } from '../types.js';

/**
 * @param name of what the phase makes: base_model_v1
 * @returns the new model's name, which may exist already
 * @throws UserError `checkpoint` if the checkpoint is gone; `file_damaged`, `disk_full`, `file_not_writable`
 */
export async function keepCheckpoint(
  { folder, model: name, step }: { readonly folder: string; readonly model: string; readonly step: number },
  context: JobContext,
): Promise<{ readonly model: string }> {
  const project = openProject(folder);
  const found = parseArtefact(name);
  if (found?.kind !== 'base_model' || found.variant !== null) throw gone(name, step);
  const kept = `${name}_step_${step}`;
  const place = project.paths.model(kept);
  if (!existsSync(place)) {
    const learned = weightsAt(project.paths.progress(name), name, step);
    const { model, weights, tokenization } = await beginningOf(project, found.cycle, context);
    const whole = { ...weights, ...learned };
    checkpointFitsModel(whole, parameterShapes(model));
    const from = model.lora && project.config.init_from !== undefined ? { init_from: project.config.init_from } : {};
    saveModel(place, {
      weights: whole,
      config: model,
      tokenization,
      provenance: { ...from, name: kept, checkpoint_of: name, iterations: step },
    });
  }
  return { model: kept };
}

/** Reads the weights of the step's checkpoint, or of the newest one if its best weights are of that step. */
function weightsAt(progress: string, name: string, step: number): NamedArrays {
  const steps = generationsIn(progress);
  if (steps.includes(step)) return weightsOf(readGeneration(progress, name, step));
  const newest = steps.at(-1);
  const latest = newest === undefined ? null : readGeneration(progress, name, newest);
  const best = latest?.state['bestStep'] === step ? bestWeightsOf(latest) : null;
  if (best === null) throw gone(name, step);
  return best;
}

function readGeneration(progress: string, name: string, step: number): Checkpoint {
  try {
    return readCheckpointFolder(generationFolder(progress, step));
  } catch (error) {
    // Deleted while it was read.
    if (error instanceof UserError && error.code === 'file_not_found') throw gone(name, step);
    throw error;
  }
}

const gone = (name: string, step: number) =>
  new UserError({
    code: 'checkpoint',
    message: localized('checkpoint.gone', { name: name.slice(0, 80), step }),
    hint: localized('checkpoint.choose_newer'),
    field: 'step',
  });

/** Returns what the phase started from: the previous cycle's model, the project's initial model, or nothing. */
async function beginningOf(
  { paths, config }: Project,
  cycle: number,
  context: JobContext,
): Promise<{ readonly model: GPTConfig; readonly weights: NamedArrays; readonly tokenization: Tokenization }> {
  if (cycle > 0) {
    const { config: model, weights, tokenization } = loadModel(paths.model(artefactName('base_model', cycle - 1)));
    return { model, weights, tokenization };
  }
  const initial = await openInitialModel(config, context);
  const tokenization = await tokenizationIn(paths.data);
  if (initial !== null) return { ...initial, tokenization };
  return { model: generatorOf(config, config.vocab_size ?? tokenization.vocab_size), weights: {}, tokenization };
}
