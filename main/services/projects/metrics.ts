/** Reads windows of logged metrics. Readers are cached, so that only new rows are read. */
import type { ChartAxis } from '../../../shared/base/axes.js';
import type { PhaseName } from '../../../shared/phases/events.js';
import { createMetricsReader, type MetricsReader } from '../../storage/projects/metrics-reader.js';
import { projectPaths } from '../../storage/projects/project-paths.js';

export interface Window {
  readonly names: readonly string[];
  readonly axis: ChartAxis;
  readonly from: number | null;
  readonly to: number | null;
  readonly points: number;
}

const KEPT = 64;
const KEPT_BYTES = 1 << 30;
/** Bytes of a log to read before other requests get a turn. */
const READ_BYTES = 1 << 22;

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
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
    async window(folder: string, cycle: number, phase: PhaseName, window: Window) {
      const answer = (await refreshed(folder, cycle)).window(phase, { ...window, points: Math.max(4, window.points) });
      return { series: { ...answer.series }, last_step: answer.lastStep, unplaced: answer.unplaced };
    },
  };
}
