/** Windows of the numbers that projects have logged. A reader is kept for each log, so that only what is new is read. */
import type { ChartAxis } from '../../../shared/base/axes.js';
import type { PhaseName } from '../../../shared/phases/events.js';
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
  names(folder: string, cycle: number, phase: PhaseName): Promise<{ names: string[]; last_step: number }>;
  window(
    folder: string,
    cycle: number,
    phase: PhaseName,
    window: Window,
  ): Promise<{ series: Record<string, Series>; last_step: number; unplaced: number }>;
}

const KEPT = 64;
const KEPT_BYTES = 1 << 30;
/** What is read of a log before others get their turn: a long one takes seconds, and the window is to answer meanwhile. */
const READ_BYTES = 1 << 22;

export function createMetrics(): Metrics {
  const readers = new Map<string, MetricsReader>();
  const refreshed = async (folder: string, cycle: number): Promise<MetricsReader> => {
    const file = projectPaths(folder).cycle(cycle).metrics;
    const reader = readers.get(file) ?? createMetricsReader(file);
    readers.delete(file);
    readers.set(file, reader);
    while (!reader.refresh(READ_BYTES)) await new Promise((next) => setImmediate(next));
    let bytes = 0;
    for (const [at, [key, kept]] of [...readers].toReversed().entries()) {
      bytes += kept.byteLength;
      if (at > 0 && (at >= KEPT || bytes > KEPT_BYTES)) readers.delete(key);
    }
    return reader;
  };
  return {
    async names(folder, cycle, phase) {
      const reader = await refreshed(folder, cycle);
      const { lastStep } = reader.window(phase, { names: [], points: 4 });
      return { names: [...reader.names(phase)], last_step: lastStep };
    },
    async window(folder, cycle, phase, window) {
      const answer = (await refreshed(folder, cycle)).window(phase, { ...window, points: Math.max(4, window.points) });
      return { series: { ...answer.series }, last_step: answer.lastStep, unplaced: answer.unplaced };
    },
  };
}
