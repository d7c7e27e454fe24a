/** Where a project's run is, as one string: another one, and there is more to know of it than before. */
import type { ProjectSummary } from '../../shared/contract/projects.js';

export function whereItIs(summary: ProjectSummary | null): string {
  const { state, cycle, max_cycles, activity } = summary ?? {};
  return [state, cycle, max_cycles, activity?.phase, activity?.cycle, activity?.name].join();
}
