/** Where everything is in a project folder, and what the models of a cycle are called (seed 000, part 4). */
import * as path from 'node:path';
import { checkName } from './names.js';

export interface CyclePaths {
  readonly folder: string;
  /** The reward dataset: train_x.bin, train_y.bin, train_metadata.txt and the same for val. */
  readonly rewardData: string;
  /** P(natural) of each of its validation samples, as the cycle's reward model sees it: a JSON array, in their order. */
  readonly rewardPredictions: string;
  readonly metrics: string;
  readonly samples: string;
  /** Some of what GRPO wrote, step by step. */
  readonly completions: string;
  readonly report: string;
}

export interface ProjectPaths {
  readonly folder: string;
  /** project.json: the configuration. */
  readonly config: string;
  /** train.bin, val.bin, and meta.pkl for char. */
  readonly data: string;
  readonly checkpoints: string;
  readonly evaluation: string;
  readonly events: string;
  /** What was changed while it ran, and where each change took effect. */
  readonly changes: string;
  /** circumstances.json: under which versions and on which hardware the work was done. */
  readonly circumstances: string;
  /** tensorboard/: event files, when they were asked for. */
  readonly tensorboard: string;
  readonly cycles: string;
  /** ratings/: passages for a person to rate, and what that person said. */
  readonly ratings: string;
  /** A finished model: checkpoints/base_model_v1. */
  model(name: string): string;
  /** The generations of a model that is being trained: checkpoints/base_model_v1.progress. */
  progress(name: string): string;
  /** cycles/00 is base training, later ones count from 1. */
  cycle(cycle: number): CyclePaths;
}

/** Pure: makes and opens nothing. Names are checked, so that no path leaves the folder. */
export function projectPaths(folder: string): ProjectPaths {
  const inside = (...steps: string[]) => path.join(folder, ...steps);
  const model = (name: string) => {
    checkName(name);
    return inside('checkpoints', name);
  };
  return {
    folder,
    config: inside('project.json'),
    data: inside('data'),
    checkpoints: inside('checkpoints'),
    evaluation: inside('evaluation'),
    events: inside('events.jsonl'),
    changes: inside('changes.jsonl'),
    circumstances: inside('circumstances.json'),
    tensorboard: inside('tensorboard'),
    cycles: inside('cycles'),
    ratings: inside('ratings'),
    model,
    progress: (name) => `${model(name)}.progress`,
    cycle(cycle) {
      if (!Number.isSafeInteger(cycle) || cycle < 0) throw new Error(`not a cycle: ${cycle}`);
      const of = (...steps: string[]) => inside('cycles', String(cycle).padStart(2, '0'), ...steps);
      return {
        folder: of(),
        rewardData: of('reward_data'),
        rewardPredictions: of('reward_predictions.json'),
        metrics: of('metrics.jsonl'),
        samples: of('samples.jsonl'),
        completions: of('completions.jsonl'),
        report: of('report.json'),
      };
    },
  };
}

/** What cycle 0 makes, and what each later cycle makes of what came before it. */
export interface CycleNames {
  /** The generator that the cycle ends with: base_model_v1 after cycle 0, base_model_v2 after cycle 1. */
  readonly baseModel: string;
  /** Empty in cycle 0. */
  readonly rewardData: string;
  readonly rewardModel: string;
}

export const cycleNames = (cycle: number): CycleNames => ({
  baseModel: `base_model_v${cycle + 1}`,
  rewardData: cycle === 0 ? '' : `reward_data_v${cycle}`,
  rewardModel: cycle === 0 ? '' : `reward_model_v${cycle}`,
});
