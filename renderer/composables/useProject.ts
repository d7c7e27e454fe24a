/**
 * One project, whole: its details and reports, asked anew when another phase begins; its state as it changes. What moves with
 * every step is RunningNow.vue's alone: a page that were drawn anew with it would keep whoever clicks waiting.
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
  /** As it was when something changed that people act upon; of its activity only what it is about is that of now. */
  const summary = computed<ProjectSummary | null>((before) => {
    const now = projects.get(id()) ?? details.value.value?.summary ?? null;
    return before && now && steadyParts(before) === steadyParts(now) ? before : now;
  });
  const reports = computed(() => reported.value.value?.reports ?? []);
  /** A cycle's report; of the one that runs, what is known so far. */
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
