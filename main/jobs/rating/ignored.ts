/** Reports answers of earlier versions that no longer count. */
import { localized } from '../../../shared/messages/message.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { readVotes } from '../../storage/projects/rating-votes.js';
import type { JobContext } from '../types.js';

export function noteIgnored(folder: string, emit: JobContext['emit']): void {
  const { ignored } = readVotes(openProject(folder).paths.ratings);
  if (ignored === 0) return;
  const message = localized('rating.ignored', { answers: ignored });
  emit({ event: 'notice', level: 'info', code: 'rating_ignored', message });
}
