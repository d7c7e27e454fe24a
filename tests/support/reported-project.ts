/** A project with reports, metrics, changes and samples as if it had been trained: for what only reads them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newProjectJob } from '../../main/jobs/project/cycle.js';
import { projectPaths } from '../../main/storage/projects/project-paths.js';
import type { PhaseName } from '../../shared/phases/index.js';
import { reportOf } from '../../tools/demo/reports.js';
import { curves, lengths, valueAt } from '../../tools/demo/series.js';
import { projectSettings, testContext } from '../jobs/context.js';

interface Reported {
  readonly text: string;
  /** Finished cycles after base training. */
  readonly cycles: number;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function makeReportedProject(folder: string, { text, cycles, settings = {} }: Reported): Promise<void> {
  const given = {
    ...{ data_path: text, tokenization: 'char', preset: 'none', threads: 1 },
    ...{ n_layer: 1, n_head: 1, n_embd: 8, block_size: 16, max_iters: 1 },
    ...settings,
  };
  await newProjectJob(
    { folder, settings: projectSettings({ project: folder, ...given }), given },
    testContext().context,
  );
  const paths = projectPaths(folder);
  for (let cycle = 0; cycle <= cycles; cycle++) {
    const { folder: place, report, metrics } = paths.cycle(cycle);
    mkdirSync(place, { recursive: true });
    writeFileSync(report, JSON.stringify(reportOf(cycle, 4.53 - 0.11 * cycle)));
    const phases: PhaseName[] = cycle === 0 ? ['base_training'] : ['reward_model', 'grpo'];
    writeFileSync(metrics, phases.flatMap((phase) => rowsOf(phase, cycle)).join(''));
  }
  const changes = [
    { at: '2026-11-23T10:00:00Z', asked: 1, settings: { learning_rate: 0.0003 } },
    { at: '2026-11-23T10:00:01Z', made: 1, cycle: 0, phase: 'base_training', step: 120 },
  ];
  writeFileSync(join(folder, 'changes.jsonl'), changes.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function rowsOf(phase: PhaseName, cycle: number): readonly string[] {
  const { steps = 0, every = 1 } = lengths[phase] ?? {};
  const names = Object.keys(curves[phase] ?? {});
  return Array.from({ length: Math.floor(steps / every) }, (_, at) => {
    const step = (at + 1) * every;
    const values = Object.fromEntries(
      names.flatMap((name) => {
        const value = valueAt(phase, name, cycle, step);
        return value === null ? [] : [[name, value]];
      }),
    );
    return `${JSON.stringify({ event: 'metrics', phase, cycle, step, values })}\n`;
  });
}
