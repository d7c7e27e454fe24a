/** The phases of a project in their order, with what is there of each: read from its files, and from what runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usesCritic } from '../../shared/config/model.js';
import type { ProjectDetails } from '../../shared/contract/projects.js';
import type { PhaseName } from '../../shared/events.js';
import type { Project } from '../storage/project-folder.js';
import { cycleNames } from '../storage/project-paths.js';

export interface RunningPhase {
  readonly cycle: number;
  readonly phase: PhaseName;
}

/** One entry for cycle 0 and each later one that is configured or there, with its phases in order. */
export function timelineOf(
  { config, paths }: Project,
  finishedCycles: number,
  running: RunningPhase | null,
): ProjectDetails['timeline'] {
  const isThere = (phase: PhaseName, cycle: number): boolean => {
    if (cycle < finishedCycles) return true;
    const { baseModel, rewardModel } = cycleNames(cycle);
    switch (phase) {
      case 'prepare':
        return existsSync(join(paths.data, 'train.bin')) && existsSync(join(paths.data, 'val.bin'));
      case 'reward_data':
        return existsSync(paths.cycle(cycle).rewardData);
      case 'reward_model':
        return existsSync(paths.model(rewardModel));
      case 'base_training':
      case 'grpo':
        return existsSync(paths.model(baseModel));
      case 'judge':
        return existsSync(paths.model('judge_model_v1'));
      case 'critic':
        return existsSync(paths.model('critic_model_v1'));
      case 'evaluation':
        return false;
    }
  };
  const cycles = Math.max(config.max_cycles + 1, finishedCycles);
  return Array.from({ length: cycles }, (_, cycle) => {
    const names = cycleNames(cycle);
    const phases: readonly (readonly [PhaseName, string])[] =
      cycle === 0
        ? [
            ['prepare', 'data'],
            ['base_training', names.baseModel],
            ...(config.judge_passages > 0 ? [['judge', 'judge_model_v1'] as const] : []),
          ]
        : [
            ['reward_data', names.rewardData],
            // One critic serves all cycles, unless it has to be strengthened.
            ...(cycle === 1 && usesCritic(config.reward_kind) ? [['critic', 'critic_model_v1'] as const] : []),
            ['reward_model', names.rewardModel],
            ['grpo', names.baseModel],
          ];
    return {
      cycle,
      phases: phases.map(([phase, name]) => ({
        phase,
        name,
        state:
          running?.cycle === cycle && running.phase === phase
            ? ('running' as const)
            : isThere(phase, cycle)
              ? ('finished' as const)
              : ('waiting' as const),
      })),
    };
  });
}
