/** The projects in a folder, and how far each is. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../engine/types.js';
import { typedFault } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { lockHolder } from '../../storage/disk/lock.js';
import { projectFacts } from '../../storage/projects/project-facts.js';
import type { Job } from '../types.js';

export const listJob: Job<{ readonly folder: string }> = async ({ folder }) => {
  const names = onFile(folder, 'read', () => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort();
  // The folder itself may be a project too.
  const projects = ['.', ...names].flatMap((name): Json[] => {
    const path = name === '.' ? folder : join(folder, name);
    const facts = projectFacts(path);
    if (facts.kind === 'missing') return [];
    if (facts.kind === 'damaged') {
      const { message, hint } = typedFault(facts.fault);
      return [{ project: path, state: 'damaged', message, hint }];
    }
    const { project, reports, hasStarted, ended, awaits, changed, exact } = facts;
    const least = (values: readonly (number | null | undefined)[]) => {
      const measured = values.filter((value) => typeof value === 'number');
      return measured.length === 0 ? null : Math.min(...measured);
    };
    const atRest = ended ? 'finished' : awaits ? 'awaiting votes' : hasStarted ? 'stopped' : 'new';
    const state = lockHolder(path) ? 'running' : atRest;
    return [
      {
        project: path,
        name: project.name,
        state,
        exact,
        changed,
        cycle: reports.length - 1,
        max_cycles: project.config.max_cycles,
        best_perplexity: least(reports.map(({ perplexity }) => perplexity)),
        best_nats_per_character: least(reports.map(({ nats_per_character }) => nats_per_character)),
        best_bits_per_byte: least(reports.map(({ bits_per_byte }) => bits_per_byte)),
      },
    ];
  });
  return { folder, projects };
};
