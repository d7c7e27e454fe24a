/** What to set otherwise when training has diverged: the one setting to look at, and a value that usually holds. Pure. */
import type { ProjectDetails } from '../../shared/contract/projects.js';
import type { GivenSettings } from '../../shared/contract/values.js';
import { effectiveSettings } from '../wizard/problems.js';
import { isSetting } from '../wizard/steps.js';

export interface WayOut {
  /** The setting, as it is and as it could be. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
  /** All that is to be set with it. */
  readonly set: GivenSettings;
}

/** Null where training did not diverge, or nothing is known that helps. */
export function wayOut({
  summary: { fault, preset },
  config,
}: {
  readonly summary: Pick<ProjectDetails['summary'], 'fault' | 'preset'>;
  readonly config: ProjectDetails['config'];
}): WayOut | null {
  if (fault?.code !== 'diverged' || fault.field === undefined || !isSetting(fault.field)) return null;
  const key = fault.field;
  const from = config[key];
  const usual = effectiveSettings(preset, {})[key];
  if (typeof from !== 'number' || typeof usual !== 'number') return null;
  // What is usual has just failed where it is what was set.
  const to = from > usual ? usual : Number((from / 10).toPrecision(3));
  const { min_lr } = config;
  const falls = key === 'learning_rate' && typeof min_lr === 'number' && min_lr > to;
  return { key, from, to, set: { [key]: to, ...(falls ? { min_lr: to / 10 } : {}) } };
}
