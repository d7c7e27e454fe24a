/** What follows from the state that a project is in. Pure. */
import type { ProjectSummary } from '../../shared/contract/projects.js';

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
