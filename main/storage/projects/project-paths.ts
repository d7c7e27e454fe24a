/** Names the place of everything in a project folder; shared/phases/artefacts.ts names the artefacts. */
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { parseArtefact } from '../../../shared/phases/index.js';
import { checkName } from '../disk/names.js';

interface CyclePaths {
  readonly folder: string;
  /** The reward dataset: train_x.bin, train_y.bin, train_metadata.txt and the same for val. */
  readonly rewardData: string;
  /** JSON array of the reward model's P(natural) of each validation sample, in their order. */
  readonly rewardPredictions: string;
  readonly metrics: string;
  readonly samples: string;
  readonly completions: string;
  readonly report: string;
}

export interface ProjectPaths {
  readonly folder: string;
  readonly config: string;
  /** train.bin, val.bin, and meta.pkl for char. */
  readonly data: string;
  readonly checkpoints: string;
  readonly events: string;
  readonly changes: string;
  /** circumstances.json: versions and hardware. */
  readonly environment: string;
  readonly tensorboard: string;
  readonly cycles: string;
  /** outcome.json: why its cycles ended, once they have. */
  readonly outcome: string;
  readonly ratings: string;
  readonly notes: string;
  /** Finished model: checkpoints/base_model_v1. */
  model(name: string): string;
  /** Result of a phase: a model, or the reward data of a cycle. */
  artefact(name: string): string;
  /** Generations of a model in training: checkpoints/base_model_v1.progress. */
  progress(name: string): string;
  /** cycles/00 is base training, later ones count from 1. */
  cycle(cycle: number): CyclePaths;
}

/** Detects a project folder, damaged ones too. */
export const isProject = (folder: string): boolean => existsSync(path.join(folder, 'project.json'));

/** Pure. Names are checked, so that no path leaves the folder. */
export function projectPaths(folder: string): ProjectPaths {
  const inside = (...steps: string[]) => path.join(folder, ...steps);
  const model = (name: string) => {
    checkName(name);
    return inside('checkpoints', name);
  };
  const cycleFolder = (cycle: number) => {
    if (!Number.isSafeInteger(cycle) || cycle < 0) throw new Error(`not a cycle: ${cycle}`);
    return inside('cycles', String(cycle).padStart(2, '0'));
  };
  const rewardData = (cycle: number) => path.join(cycleFolder(cycle), 'reward_data');
  return {
    folder,
    config: inside('project.json'),
    data: inside('data'),
    checkpoints: inside('checkpoints'),
    events: inside('events.jsonl'),
    changes: inside('changes.jsonl'),
    environment: inside('circumstances.json'),
    tensorboard: inside('tensorboard'),
    cycles: inside('cycles'),
    outcome: inside('outcome.json'),
    ratings: inside('ratings'),
    notes: inside('notes.json'),
    model,
    artefact(name) {
      const found = parseArtefact(name);
      return found?.kind === 'reward_data' ? rewardData(found.cycle) : model(name);
    },
    progress: (name) => `${model(name)}.progress`,
    cycle(cycle) {
      const of = (name: string) => path.join(cycleFolder(cycle), name);
      return {
        folder: cycleFolder(cycle),
        rewardData: rewardData(cycle),
        rewardPredictions: of('reward_predictions.json'),
        metrics: of('metrics.jsonl'),
        samples: of('samples.jsonl'),
        completions: of('completions.jsonl'),
        report: of('report.json'),
      };
    },
  };
}
