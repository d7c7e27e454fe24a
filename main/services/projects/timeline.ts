/** The phases of a project in their order, with what is there of each: read from its files, and from what runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectDetails } from '../../../shared/contract/projects.js';
import { phasesOfCycle, type PhaseName } from '../../../shared/phases/index.js';
import type { Project } from '../../storage/projects/project-folder.js';

interface RunningPhase {
  readonly cycle: number;
  readonly phase: PhaseName;
}

/** One entry for cycle 0 and each later one that is configured or there, with its phases in order. */
export function timelineOf(
  { config, paths }: Project,
  finishedCycles: number,
  running: RunningPhase | null,
): ProjectDetails['timeline'] {
  const isThere = (makes: string | null): boolean =>
    makes === null
      ? existsSync(join(paths.data, 'train.bin')) && existsSync(join(paths.data, 'val.bin'))
      : existsSync(paths.artefact(makes));
  const cycles = Math.max(config.max_cycles + 1, finishedCycles);
  return Array.from({ length: cycles }, (_, cycle) => ({
    cycle,
    phases: phasesOfCycle(config, cycle).map(({ phase, makes }) => ({
      phase,
      name: makes ?? 'data',
      state:
        running?.cycle === cycle && running.phase === phase
          ? ('running' as const)
          : cycle < finishedCycles || isThere(makes)
            ? ('finished' as const)
            : ('waiting' as const),
    })),
  }));
}

/** The first phase that is not finished; null where all are. */
export function nextOf(timeline: ProjectDetails['timeline']): RunningPhase | null {
  for (const { cycle, phases } of timeline) {
    const waiting = phases.find(({ state }) => state !== 'finished');
    if (waiting) return { cycle, phase: waiting.phase };
  }
  return null;
}
