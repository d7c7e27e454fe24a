/** Stores why the cycles ended in outcome.json; it is valid while the settings and the number of cycles stay the same. */
import { z } from 'zod';
import { stopRules } from '../../../shared/config/cycle.js';
import { usesCritic } from '../../../shared/config/model.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { ProjectStop } from '../../../shared/judging.js';
import { parseArtefact } from '../../../shared/phases/index.js';
import {
  endReasons,
  isUninformative,
  type CycleReport,
  type EndReason,
  type RewardReport,
} from '../../../shared/reports/report.js';
import { endingAfter, type Ending } from '../../engine/cycle/ending.js';
import { projectStop } from '../../engine/judging/stopping.js';
import { type FileOperations, kindAt, nodeFileOperations } from '../disk/file-operations.js';
import { readJson, writeJson } from '../disk/json-file.js';
import { projectPaths } from './project-paths.js';
import { readPairVotes } from './rating-votes.js';

const outcomeSchema = z.object({
  format_version: z.literal(1),
  stopped_because: z.enum(endReasons),
  /** Finished ones, base training not counted. */
  cycles: z.int(),
  max_cycles: z.int(),
  cycle_patience: z.int(),
  stop_when: z.enum(stopRules).default('cycles'),
});

const decisive = ({ max_cycles, cycle_patience, stop_when }: ProjectConfig) => ({
  max_cycles,
  cycle_patience,
  stop_when,
});

/** @throws UserError `disk_full`, `file_not_writable` */
export function noteOutcome(file: string, stopped_because: EndReason, cycles: number, config: ProjectConfig): void {
  writeJson(file, { format_version: 1, stopped_because, cycles, ...decisive(config) });
}

interface Reached {
  readonly config: ProjectConfig;
  readonly reports: readonly CycleReport[];
  /** Of the cycle that is not over, once it is trained. */
  readonly rewardModel: RewardReport | null;
}

/** Determines why the cycles ended or what they wait for; `another` if there is more to do. */
export function endingOf(folder: string, file: string, reached: Reached, ops: FileOperations): Ending {
  const stored = readJson(file, outcomeSchema, { ops });
  const now = { cycles: reached.reports.length - 1, ...decisive(reached.config) };
  const holds = stored && Object.entries(now).every(([key, value]) => stored[key as keyof typeof now] === value);
  if (holds && stored.stopped_because !== 'people') return { verdict: 'end', because: stored.stopped_because };
  const { config, reports, rewardModel } = reached;
  const ending = endingAfter(reports, config, (newest, previous) => peopleSay(folder, newest, previous, ops));
  if (ending.verdict !== 'another') return ending;
  return usesCritic(config.reward_kind) && rewardModel && isUninformative(rewardModel)
    ? { verdict: 'end', because: 'critic' }
    : ending;
}

/** Evaluates the votes on the two newest versions; once the next cycle has begun, it is decided. */
export function peopleSay(
  folder: string,
  newest: string,
  previous: string,
  ops: FileOperations = nodeFileOperations,
): ProjectStop {
  const paths = projectPaths(folder);
  const begun = paths.cycle((parseArtefact(newest)?.cycle ?? 0) + 1).folder;
  if (kindAt(begun, ops) !== 'none') return { verdict: 'better' };
  return projectStop(readPairVotes(paths.ratings, ops), newest, previous);
}
