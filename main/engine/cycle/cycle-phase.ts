/** Runs the phases of a cycle: announces them, labels their events, and starts none after a stop. */
import { localized } from '../../../shared/messages/message.js';
import type { CycleReport } from '../../../shared/reports/report.js';
import { phases, type PhaseName } from '../../../shared/phases/index.js';
import { stopHereIf } from '../control.js';
import type { Project } from './cycle-types.js';
import type { Environment } from '../types.js';

/** Runs a phase, announces its start and end, and labels its events with the cycle. */
export async function during<T>(
  { env, control }: Pick<Project, 'env' | 'control'>,
  phase: PhaseName,
  cycle: number,
  name: string | undefined,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  stopHereIf(env.stop.requested || env.stop.afterPhase === true);
  const about = { phase, cycle, ...(name === undefined ? {} : { name }) };
  const doing = localized(phases[phase].doing);
  const message = name === undefined ? doing : localized('phase.doing', { doing, name });
  env.emit({ event: 'phase', state: 'started', ...about, message });
  const result = await work({
    ...env,
    ...(control && { control: control.within(phase, cycle) }),
    emit: (event) => {
      const { event: kind } = event;
      env.emit(kind === 'metrics' || kind === 'samples' || kind === 'writing' ? { ...event, cycle } : event);
    },
  });
  env.emit({ event: 'phase', state: 'finished', ...about, message });
  return result;
}

/** Announces a phase that an earlier run has finished. */
export function skipped(env: Environment, phase: PhaseName, report: CycleReport): CycleReport {
  const message = localized('phase.already_there', { name: report.name });
  env.emit({ event: 'phase', phase, state: 'skipped', cycle: report.cycle, name: report.name, message });
  return report;
}

/** Hides the metrics of training within an evaluation, and reports its progress as the evaluation's. */
export const withinEvaluation = (env: Environment): Environment => ({
  ...env,
  emit(event) {
    if (['metrics', 'samples', 'writing'].includes(event.event)) return;
    env.emit(event.event === 'progress' ? { ...event, phase: 'evaluation' } : event);
  },
});
