/**
 * Why a project's cycles ended: outcome.json, written once when they end. It holds while the settings that decide about
 * that are the same and no cycle has been added or lost; of a project of an earlier version, which has none, and of one
 * whose settings were changed since, the reason is found from what is there.
 */
import { z } from 'zod';
import { usesCritic } from '../../../shared/config/model.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import {
  endReasons,
  isUninformative,
  type CycleReport,
  type EndReason,
  type RewardReport,
} from '../../../shared/report.js';
import { initialEarlyStopping, updateEarlyStopping } from '../../engine/train/early-stopping.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { readJson, writeJson } from '../disk/json-file.js';

const outcomeSchema = z.object({
  format_version: z.literal(1),
  stopped_because: z.enum(endReasons),
  /** Finished ones, base training not counted. */
  cycles: z.int(),
  max_cycles: z.int(),
  cycle_patience: z.int(),
  cycle_min_delta: z.number(),
});

const decisive = ({ max_cycles, cycle_patience, cycle_min_delta }: ProjectConfig) => ({
  max_cycles,
  cycle_patience,
  cycle_min_delta,
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

/** Null while there is something to do. */
export function endReason(file: string, reached: Reached, ops: FileOperations = nodeFileOperations): EndReason | null {
  const stored = readJson(file, outcomeSchema, { ops });
  const now = { cycles: reached.reports.length - 1, ...decisive(reached.config) };
  const holds = stored && Object.entries(now).every(([key, value]) => stored[key as keyof typeof now] === value);
  return holds ? stored.stopped_because : foundReason(reached);
}

/** The rules by which `runCycles` of main/engine/cycle/cycle.ts ends. */
function foundReason({ config, reports, rewardModel }: Reached): EndReason | null {
  if (reports.length > config.max_cycles) return 'max_cycles';
  const rule = { patience: config.cycle_patience, minDelta: config.cycle_min_delta, better: 'lower' } as const;
  let state = initialEarlyStopping;
  let stop = false;
  for (const { perplexity } of reports) ({ state, stop } = updateEarlyStopping(rule, state, perplexity ?? NaN));
  if (stop && reports.length > 1) return 'perplexity';
  return usesCritic(config.reward_kind) && rewardModel && isUninformative(rewardModel) ? 'critic' : null;
}
