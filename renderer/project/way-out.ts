/** What leads on from a failure: other settings or the same again; which setting where training has diverged. Pure. */
import type { ProjectDetails } from '../../shared/contract/projects.js';
import type { GivenSettings } from '../../shared/contract/values.js';
import type { Fault, FaultCode } from '../../shared/errors.js';
import { effectiveSettings } from '../wizard/problems.js';
import { isSetting } from '../../shared/config/setting-texts.js';

interface WayOut {
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

/** What the settings or the text have led to, so that resuming with the same comes to the same. */
const repeating: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'bad_input',
  'diverged',
  'out_of_memory',
  'text_encoding',
  'text_too_short',
  'token_out_of_range',
  'tokenization_mismatch',
  'unknown_character',
]);

/** Whether other settings lead on from a fault, and resuming does not. */
export const needsOtherSettings = (fault: Pick<Fault, 'code'> | null | undefined): boolean =>
  !!fault && repeating.has(fault.code);
