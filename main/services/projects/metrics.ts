/** Windows of the numbers that projects have logged. A reader is kept for each log, so that only what is new is read. */
import type { ChartAxis } from '../../../shared/axes.js';
import type { PhaseName } from '../../../shared/events.js';
import type { Series } from '../../../shared/contract/projects.js';
import { createMetricsReader, type MetricsReader } from '../../storage/projects/metrics-reader.js';
import { projectPaths } from '../../storage/projects/project-paths.js';

export interface Window {
  readonly names: readonly string[];
  readonly axis: ChartAxis;
  readonly from: number | null;
  readonly to: number | null;
  readonly points: number;
}

export interface Metrics {
  names(folder: string, cycle: number, phase: PhaseName): { names: string[]; last_step: number };
  window(
    folder: string,
    cycle: number,
    phase: PhaseName,
    window: Window,
  ): { series: Record<string, Series>; last_step: number; unplaced: number };
}

/** Logs that were looked at last and are kept in memory: of as many runs as are compared, while they are small. */
const KEPT = 64;
const KEPT_BYTES = 1 << 29;

export function createMetrics(): Metrics {
  const readers = new Map<string, MetricsReader>();
  const refreshed = (folder: string, cycle: number): MetricsReader => {
    const file = projectPaths(folder).cycle(cycle).metrics;
    const reader = readers.get(file) ?? createMetricsReader(file);
    readers.delete(file);
    readers.set(file, reader);
    reader.refresh();
    let bytes = 0;
    for (const [at, [key, kept]] of [...readers].toReversed().entries()) {
      bytes += kept.byteLength;
      if (at > 0 && (at >= KEPT || bytes > KEPT_BYTES)) readers.delete(key);
    }
    return reader;
  };
  return {
    names(folder, cycle, phase) {
      const reader = refreshed(folder, cycle);
      const { lastStep } = reader.window(phase, { names: [], points: 4 });
      return { names: [...reader.names(phase)], last_step: lastStep };
    },
    window(folder, cycle, phase, window) {
      const answer = refreshed(folder, cycle).window(phase, { ...window, points: Math.max(4, window.points) });
      return { series: { ...answer.series }, last_step: answer.lastStep, unplaced: answer.unplaced };
    },
  };
}
