/** Stores why the cycles ended in outcome.json; it is valid while the settings and the number of cycles stay the same. */
import { z } from 'zod';
import { learnsChoices } from '../../../shared/config/choices.js';
import { stopRules } from '../../../shared/config/cycle.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { usesCritic } from '../../../shared/config/model.js';
import type { ProjectStop } from '../../../shared/judging.js';
import { parseArtefact } from '../../../shared/phases/index.js';
import {
  type CycleReport,
  endReasons,
  type EndReason,
  isUninformative,
  type RewardReport,
} from '../../../shared/reports/report.js';
import { type Ending, endingAfter } from '../../engine/cycle/ending.js';
import { projectStop } from '../../engine/judging/comparison.js';
import { type FileOperations, kindAt, nodeFileOperations } from '../disk/file-operations.js';
import { readJson, writeJson } from '../disk/json-file.js';
import type { Project } from './project-folder.js';
import { projectPaths } from './project-paths.js';
import { readPairVotes } from './rating-votes.js';

const outcomeSchema = z.object({
  format_version: z.literal(1),
  stopped_because: z.enum(endReasons),
  /** Number of finished cycles, without base training. */
  cycles: z.int(),
  max_cycles: z.int(),
  cycle_patience: z.int(),
  stop_when: z.enum(stopRules).default('cycles'),
});

const factsOf = (cycles: number, { max_cycles, cycle_patience, stop_when }: ProjectConfig) => ({
  cycles,
  max_cycles,
  cycle_patience,
  stop_when,
});

/** @throws UserError `disk_full`, `file_not_writable` */
export function noteOutcome(file: string, stopped_because: EndReason, cycles: number, config: ProjectConfig): void {
  writeJson(file, { format_version: 1, stopped_because, ...factsOf(cycles, config) });
}

interface Reached {
  readonly reports: readonly CycleReport[];
  /** Of the unfinished cycle, once it is trained. */
  readonly rewardModel: RewardReport | null;
}

/** Determines why the cycles ended or what they wait for; `another` if there is more to do. */
export function endingOf({ config, paths }: Project, { reports, rewardModel }: Reached, ops: FileOperations): Ending {
  const stored = readJson(paths.outcome, outcomeSchema, { ops });
  const now = Object.entries(factsOf(reports.length - 1, config));
  const isRequested = learnsChoices(config, reports.length);
  const isValid = stored && !isRequested && now.every(([key, value]) => stored[key as keyof typeof stored] === value);
  if (isValid && stored.stopped_because !== 'people') return { verdict: 'end', because: stored.stopped_because };
  const votes = (newest: string, previous: string) => peopleSay(paths.folder, newest, previous, ops);
  const ending = endingAfter(reports, config, votes);
  const isUseless =
    !isRequested && usesCritic(config.reward_kind) && rewardModel !== null && isUninformative(rewardModel);
  return ending.verdict === 'another' && isUseless ? { verdict: 'end', because: 'critic' } : ending;
}

/** Evaluates the votes on the two newest versions; once the next cycle has started, it is decided. */
export function peopleSay(folder: string, newest: string, previous: string, ops = nodeFileOperations): ProjectStop {
  const paths = projectPaths(folder);
  const next = paths.cycle((parseArtefact(newest)?.cycle ?? 0) + 1).folder;
  if (kindAt(next, ops) !== 'none') return { verdict: 'better' };
  return projectStop(readPairVotes(paths.ratings, ops), newest, previous);
}
