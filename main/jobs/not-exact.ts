/** What a person is told when a run goes on under other circumstances than it began under. */
import type { JobEvent } from '../../shared/events.js';

export function notExact(changes: readonly string[]): JobEvent {
  return {
    event: 'notice',
    level: 'warning',
    code: 'not_exact',
    message: `Since this run was last worked on, ${changes.join('; ')}. It goes on, but running it anew need not give the same bytes.`,
  };
}
