/** Loads projects with their results, again when there are more. */
import { computed, watch, shallowRef } from 'vue';
import type { ProjectSummary, ProjectDetails } from '../../shared/contract/projects.js';
import type { Fault } from '../../shared/errors.js';
import { unfinishedReport, type CycleReport } from '../../shared/reports/report.js';
import type { Circumstances } from '../../shared/reports/run-report.js';
import { whereItIs } from '../project/project.js';
import { useProjects } from '../stores/stores.js';
import { useClient } from './useClient.js';
import { useLoaded } from './useLoaded.js';

/** Follows a project's state; step-by-step values belong to RunningNow.vue, as redrawing the page for each would delay clicks. */
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

export interface ComparedRun {
  readonly id: string;
  readonly details: ProjectDetails;
  readonly reports: readonly CycleReport[];
  readonly circumstances: Circumstances;
}

export function useRuns(ids: () => readonly string[]) {
  const client = useClient();
  /** In the requested order, without those that have not answered or cannot be read. */
  const runs = shallowRef<readonly ComparedRun[]>([]);
  const faults = shallowRef<readonly Fault[]>([]);
  const loading = shallowRef(true);
  const projects = useProjects();
  const loaded = new Map<string, ComparedRun>();
  let latest = 0;

  async function load() {
    const mine = ++latest;
    loading.value = true;
    const found: Fault[] = [];
    await Promise.all(
      ids().map(async (id) => {
        if (loaded.has(id)) return;
        const [details, reported, circumstances] = await Promise.all([
          client.call('projects.get', { id }),
          client.call('projects.reports', { id }),
          client.call('projects.circumstances', { id }),
        ]);
        const failed = [details, reported, circumstances].find(({ ok }) => !ok);
        if (failed && !failed.ok) found.push(failed.fault);
        if (!details.ok || !reported.ok || !circumstances.ok) return;
        loaded.set(id, {
          id,
          details: details.value,
          reports: reported.value.reports,
          circumstances: circumstances.value,
        });
      }),
    );
    if (mine !== latest) return;
    runs.value = ids().flatMap((id) => loaded.get(id) ?? []);
    faults.value = found;
    loading.value = false;
  }
  watch(() => ids().join(), load, { immediate: true });
  // A compared project may still be training.
  watch(
    () => projects.all.filter(({ id }) => ids().includes(id)).map((one) => [one.id, whereItIs(one)] as const),
    (now, before) => {
      const then = new Map(before);
      const moved = now.filter(([id, place]) => then.has(id) && then.get(id) !== place);
      for (const [id] of moved) loaded.delete(id);
      if (moved.length > 0) void load();
    },
  );
  return { runs, faults, loading, load };
}
