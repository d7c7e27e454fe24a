/** What surrounds each phase of a cycle: it is announced, knows its cycle, and is not begun once a stop was asked for. */
import { localized } from '../../../shared/messages/message.js';
import type { CycleReport } from '../../../shared/reports/report.js';
import { phases, type PhaseName } from '../../../shared/phases/index.js';
import { stopHereIf } from '../control.js';
import type { Project } from './cycle-types.js';
import type { Environment } from '../types.js';

/** Announces a phase, gives it an environment that knows its cycle, and announces its end. */
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
      env.emit(event.event === 'metrics' || event.event === 'samples' ? { ...event, cycle } : event);
    },
  });
  env.emit({ event: 'phase', state: 'finished', ...about, message });
  return result;
}

/** Announces that what a phase makes is there from an earlier run. */
export function skipped(env: Environment, phase: PhaseName, report: CycleReport): CycleReport {
  const message = localized('phase.already_there', { name: report.name });
  env.emit({ event: 'phase', phase, state: 'skipped', cycle: report.cycle, name: report.name, message });
  return report;
}

/** For what an evaluation trains: how that learns is nobody's curve, and how far it is, is how far the evaluation is. */
export const withinEvaluation = (env: Environment): Environment => ({
  ...env,
  emit(event) {
    if (event.event === 'metrics' || event.event === 'samples') return;
    env.emit(event.event === 'progress' ? { ...event, phase: 'evaluation' } : event);
  },
});
