/**
 * Windows of the numbers that a run has logged, thinned so that no extreme is lost. A file is read once; what is added
 * to it later is read from there.
 */
import { z } from 'zod';
import { phaseNames, type PhaseName } from '../../shared/events.js';
import type { Series } from '../../shared/contract/projects.js';
import { measured } from '../../shared/contract/values.js';
import { readJsonLines } from '../storage/json-lines.js';
import { fileSize } from '../storage/file-bytes.js';
import { existsSync } from 'node:fs';
import { projectPaths } from '../storage/project-paths.js';

const row = z.object({
  phase: z.enum(phaseNames),
  step: z.int(),
  values: z.record(z.string(), measured),
});

export interface Window {
  readonly names: readonly string[];
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
  ): { series: Record<string, Series>; last_step: number };
}

interface Phase {
  readonly series: Map<string, { steps: number[]; values: (number | null)[] }>;
  lastStep: number;
}

export function createMetrics(): Metrics {
  const read = (folder: string, cycle: number, phase: PhaseName): Phase => {
    const file = projectPaths(folder).cycle(cycle).metrics;
    const found: Phase = { series: new Map(), lastStep: 0 };
    if (!existsSync(file) || fileSize(file) === 0) return found;
    for (const { phase: of, step, values } of readJsonLines(file, (one) => row.parse(one))) {
      if (of !== phase) continue;
      found.lastStep = Math.max(found.lastStep, step);
      for (const [name, value] of Object.entries(values)) {
        const series = found.series.get(name) ?? { steps: [], values: [] };
        series.steps.push(step);
        series.values.push(value);
        found.series.set(name, series);
      }
    }
    return found;
  };
  return {
    names(folder, cycle, phase) {
      const { series, lastStep } = read(folder, cycle, phase);
      return { names: [...series.keys()], last_step: lastStep };
    },
    window(folder, cycle, phase, { names, from, to, points }) {
      const { series, lastStep } = read(folder, cycle, phase);
      const chosen = names.flatMap((name) => {
        const all = series.get(name);
        if (all === undefined) return [];
        const inside = all.steps.map((step) => (from === null || step >= from) && (to === null || step <= to));
        return [
          [
            name,
            thinned(
              {
                steps: all.steps.filter((_, index) => inside[index]),
                values: all.values.filter((_, index) => inside[index]),
              },
              points,
            ),
          ] as const,
        ];
      });
      return { series: Object.fromEntries(chosen), last_step: lastStep };
    },
  };
}

/** The smallest and the largest value of each stretch, in their order; first and last stay (min-max decimation). */
export function thinned({ steps, values }: Series, points: number): Series {
  if (steps.length <= points) return { steps, values };
  const stretches = Math.max(1, Math.floor(points / 2));
  const kept: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const begin = Math.floor((stretch * steps.length) / stretches);
    const end = Math.floor(((stretch + 1) * steps.length) / stretches);
    let [low, high] = [begin, begin];
    for (let index = begin; index < end; index++) {
      if ((values[index] ?? Infinity) < (values[low] ?? Infinity)) low = index;
      if ((values[index] ?? -Infinity) > (values[high] ?? -Infinity)) high = index;
    }
    kept.push(...(low === high ? [low] : [Math.min(low, high), Math.max(low, high)]));
  }
  return {
    steps: kept.map((index) => steps[index] ?? 0),
    values: kept.map((index) => values[index] ?? null),
  };
}
