/** What follows from the state that a project is in. Pure. */
import type { ProjectDetails, ProjectSummary } from '../../shared/contract/projects.js';

type State = ProjectSummary['state'];

const among =
  (...states: readonly State[]) =>
  (state: State | undefined): boolean =>
    state !== undefined && states.includes(state);

/** The trainer has it, and it takes what steers a run. */
export const isTraining = among('running', 'paused');
/** It can be started, or resumed. */
export const canStart = among('new', 'stopped', 'failed');
/** Its folder cannot be read. */
export const isUnreadable = among('missing', 'damaged');

/** It ended by one of its rules, with cycles left. */
export const hasEndedEarly = ({ state, ended }: Pick<ProjectSummary, 'state' | 'ended'>): boolean =>
  state === 'finished' && ended !== null && ended !== 'max_cycles';

type PhaseState = ProjectDetails['timeline'][number]['phases'][number]['state'];

/** What nothing waits for any more, as the project ended without it, is no longer to come. */
export const phaseState = (phase: PhaseState, project: State): PhaseState | 'left_out' =>
  phase === 'waiting' && project === 'finished' ? 'left_out' : phase;
