/** Pages of what a project has logged: events in words, samples while it trains, completions of GRPO. */
import { z } from 'zod';
import { completionSchema, type LoggedEvent } from '../../../shared/contract/projects.js';
import { sampleSchema } from '../../../shared/base/measured.js';
import { eventSchema, type PhaseName } from '../../../shared/phases/events.js';
import { phaseNames } from '../../../shared/phases/index.js';
import { readJsonLines } from '../../storage/disk/json-lines.js';
import { projectPaths } from '../../storage/projects/project-paths.js';

type Completion = z.infer<typeof completionSchema>;

export interface Page {
  readonly offset: number;
  readonly count: number;
}

const eventRow = z.looseObject({ at: z.string() }).transform(({ at, ...event }, context): LoggedEvent => {
  const parsed = eventSchema.safeParse(event);
  if (parsed.success) return { at, event: parsed.data };
  context.addIssue({ code: 'custom', message: 'not an event' });
  return z.NEVER;
});

/** The last so many, in order of time. */
export const lastEvents = (folder: string, count: number): LoggedEvent[] =>
  [...readJsonLines(projectPaths(folder).events, (row) => eventRow.parse(row))].slice(-count);

interface Evaluation {
  readonly phase: PhaseName;
  readonly step: number;
  readonly samples: z.infer<typeof sampleSchema>[];
}

/** The samples with which a cycle ends have no step: they are of the finished model. */
const sampleRow = z.object({ phase: z.enum(phaseNames).optional(), step: z.int().optional(), ...sampleSchema.shape });

/** Returns at most `most` evaluations with their samples, evenly spaced; with `around`, those next to that step. */
export function samplesOverTime(
  folder: string,
  cycle: number,
  most: number,
  around: number | null = null,
): { total: number; evaluations: Evaluation[] } {
  const all: Evaluation[] = [];
  for (const row of readJsonLines(projectPaths(folder).cycle(cycle).samples, (line) => sampleRow.parse(line))) {
    const { phase, step, prompt, completion } = row;
    if (phase === undefined || step === undefined) continue;
    const last = all.at(-1);
    const evaluation = last?.phase === phase && last.step === step ? last : { phase, step, samples: [] };
    if (evaluation !== last) all.push(evaluation);
    evaluation.samples.push({ prompt, completion });
  }
  if (around !== null) {
    const next = all.findIndex(({ step }) => step > around);
    const at = Math.max(0, (next < 0 ? all.length : next) - 1);
    return { total: all.length, evaluations: all.slice(Math.max(0, at - 1), at + 2) };
  }
  const shown = Math.min(most, all.length);
  const places = Array.from({ length: shown }, (_, i) => Math.round((i * (all.length - 1)) / Math.max(1, shown - 1)));
  return { total: all.length, evaluations: places.flatMap((place) => all[place] ?? []) };
}

interface CompletionsQuery extends Page {
  readonly search: string;
  readonly sort: 'step' | 'reward' | 'advantage';
  readonly descending: boolean;
  readonly at?: number | undefined;
}

/** Rows of completions.jsonl may say more than a table shows. */
const completionRow = z.object(completionSchema.shape);

/** Search is in prompt and completion, whatever the case of letters; what has no value comes last. */
export function completionsPage(
  folder: string,
  cycle: number,
  { search, sort, descending, at, offset, count }: CompletionsQuery,
): { total: number; rows: Completion[] } {
  const wanted = search.toLowerCase();
  const rows: Completion[] = [];
  for (const completion of readJsonLines(projectPaths(folder).cycle(cycle).completions, (row) =>
    completionRow.parse(row),
  )) {
    if (wanted === '' || `${completion.prompt}${completion.completion}`.toLowerCase().includes(wanted)) {
      rows.push(completion);
    }
  }
  const shown = at === undefined ? rows : ofStep(rows, at);
  const sign = descending ? -1 : 1;
  shown.sort((a, b) => {
    const [left, right] = [a[sort], b[sort]];
    if (left === null || right === null) return (left === null ? 1 : 0) - (right === null ? 1 : 0);
    return sign * (left - right);
  });
  return { total: shown.length, rows: shown.slice(offset, offset + count) };
}

/** Those of the last step up to `at` that has any. */
function ofStep(rows: readonly Completion[], at: number): Completion[] {
  const last = rows.reduce((found, { step }) => (step <= at ? Math.max(found, step) : found), -1);
  return rows.filter(({ step }) => step === last);
}
