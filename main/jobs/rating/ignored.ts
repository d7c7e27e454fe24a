/** Reports answers of earlier versions that no longer count. */
import { openProject } from '../../storage/projects/project-folder.js';
import { readVotes } from '../../storage/projects/rating-votes.js';
import type { JobContext } from '../types.js';

export function noteIgnored(folder: string, emit: JobContext['emit']): void {
  const { ignored } = readVotes(openProject(folder).paths.ratings);
  if (ignored === 0) return;
  const message = `Answers to questions of an earlier version (natural or not, known answers) are not counted: ${ignored}.`;
  emit({ event: 'notice', level: 'info', code: 'rating_ignored', message });
}
