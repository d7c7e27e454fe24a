/** Loads several projects for comparison: name, results and settings, again when there are more results. */
import { shallowRef, watch } from 'vue';
import type { ProjectDetails } from '../../shared/contract/projects.js';
import type { Fault } from '../../shared/errors.js';
import type { CycleReport } from '../../shared/reports/report.js';
import type { Circumstances } from '../../shared/reports/run-report.js';
import { whereItIs } from '../project/where-it-is.js';
import { useProjects } from '../stores/projects.js';
import { useClient } from './useClient.js';

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
