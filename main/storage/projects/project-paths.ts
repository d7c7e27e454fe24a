/** Names the place of everything in a project folder; shared/phases/artefacts.ts names the artefacts. */
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { parseArtefact } from '../../../shared/phases/index.js';
import { checkName } from '../disk/names.js';

export type ProjectPaths = ReturnType<typeof projectPaths>;

/** Detects a project folder, damaged ones too. */
export const isProject = (folder: string): boolean => existsSync(path.join(folder, 'project.json'));

/** Pure. Names are checked, so that no path leaves the folder. */
export function projectPaths(folder: string) {
  const inside = (...steps: string[]) => path.join(folder, ...steps);
  const model = (name: string) => {
    checkName(name);
    return inside('checkpoints', name);
  };
  const cycle = (number: number) => {
    if (!Number.isSafeInteger(number) || number < 0) throw new Error(`not a cycle: ${number}`);
    // cycles/00 is base training, later ones count from 1.
    const of = (...steps: string[]) => inside('cycles', String(number).padStart(2, '0'), ...steps);
    return {
      folder: of(),
      /** The reward dataset: train_x.bin, train_y.bin, train_metadata.txt and the same for val. */
      rewardData: of('reward_data'),
      /** JSON array of the reward model's P(natural) of each validation sample, in their order. */
      rewardPredictions: of('reward_predictions.json'),
      metrics: of('metrics.jsonl'),
      samples: of('samples.jsonl'),
      completions: of('completions.jsonl'),
      report: of('report.json'),
    };
  };
  return {
    folder,
    config: inside('project.json'),
    /** train.bin, val.bin, and meta.pkl for char. */
    data: inside('data'),
    checkpoints: inside('checkpoints'),
    events: inside('events.jsonl'),
    changes: inside('changes.jsonl'),
    /** Versions and hardware. */
    environment: inside('circumstances.json'),
    tensorboard: inside('tensorboard'),
    cycles: inside('cycles'),
    /** Why its cycles ended, once they have. */
    outcome: inside('outcome.json'),
    ratings: inside('ratings'),
    /** What the user writes with the project's models, and the continuations chosen. */
    writing: inside('writing'),
    /** The choices that a cycle learns from. */
    choices: (number: number) => inside('writing', `choices-${String(number).padStart(2, '0')}.json`),
    /** Models as llama.cpp reads them, made for writing and made again if they are gone. */
    gguf: inside('gguf'),
    /** Continuations by the untrained model, for the yardsticks of a voice. */
    voice: inside('voice.json'),
    model,
    /** Result of a phase: a model, or the reward data of a cycle. */
    artefact(name: string) {
      const found = parseArtefact(name);
      return found?.kind === 'reward_data' ? cycle(found.cycle).rewardData : model(name);
    },
    /** Generations of a model in training: checkpoints/base_model_v1.progress. */
    progress: (name: string) => `${model(name)}.progress`,
    cycle,
  };
}
