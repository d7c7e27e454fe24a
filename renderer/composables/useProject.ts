/**
 * Loads one project with its details and reports, again when another phase starts, and follows its state. Step-by-step
 * values belong to RunningNow.vue alone: redrawing the page for each step would delay clicks.
 */
import { computed, watch } from 'vue';
import { unfinishedReport, type CycleReport } from '../../shared/reports/report.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { whereItIs } from '../project/where-it-is.js';
import { useProjects } from '../stores/projects.js';
import { useLoaded } from './useLoaded.js';

export function useProject(id: () => string) {
  const projects = useProjects();
  const details = useLoaded('projects.get', () => ({ id: id() }));
  const reported = useLoaded('projects.reports', () => ({ id: id() }));
  /** The state at its last important change; of its activity only the subject is current. */
  const summary = computed<ProjectSummary | null>((before) => {
    const now = projects.get(id()) ?? details.value.value?.summary ?? null;
    return before && now && steadyParts(before) === steadyParts(now) ? before : now;
  });
  const reports = computed(() => reported.value.value?.reports ?? []);
  /** A cycle's report; for the running cycle, its results so far. */
  const reportOf = (cycle: number): CycleReport | null => {
    const { unfinished } = reported.value.value ?? {};
    return (
      reports.value.find((report) => report.cycle === cycle) ??
      (unfinished?.cycle === cycle ? unfinishedReport(unfinished) : null)
    );
  };

  const reload = () => Promise.all([details.reload(), reported.reload()]);
  watch(
    () => whereItIs(summary.value),
    (_now, before) => before !== undefined && void reload(),
  );
  return { details: details.value, fault: details.fault, summary, reports, reportOf, reload };
}

const steadyParts = ({ changed: _changed, activity, ...steady }: ProjectSummary): string =>
  JSON.stringify([steady, activity?.phase, activity?.cycle, activity?.name]);
