/** Pages of what a project has logged: events in words, completions of GRPO. */
import { z } from 'zod';
import { completionSchema, type loggedEvent } from '../../../shared/contract/projects.js';
import { eventSchema } from '../../../shared/events.js';
import { readJsonLines } from '../../storage/disk/json-lines.js';
import { projectPaths } from '../../storage/projects/project-paths.js';

type LoggedEvent = z.infer<typeof loggedEvent>;
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

/** In order of time. */
export function eventsPage(folder: string, { offset, count }: Page): { total: number; events: LoggedEvent[] } {
  const events: LoggedEvent[] = [];
  let total = 0;
  for (const event of readJsonLines(projectPaths(folder).events, (row) => eventRow.parse(row))) {
    if (total >= offset && events.length < count) events.push(event);
    total++;
  }
  return { total, events };
}

interface CompletionsQuery extends Page {
  readonly search: string;
  readonly sort: 'step' | 'reward' | 'advantage';
  readonly descending: boolean;
}

/** Rows of completions.jsonl may say more than a table shows. */
const completionRow = z.object(completionSchema.shape);

/** Search is in prompt and completion, whatever the case of letters; what has no value comes last. */
export function completionsPage(
  folder: string,
  cycle: number,
  { search, sort, descending, offset, count }: CompletionsQuery,
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
  const sign = descending ? -1 : 1;
  rows.sort((a, b) => {
    const [left, right] = [a[sort], b[sort]];
    if (left === null || right === null) return (left === null ? 1 : 0) - (right === null ? 1 : 0);
    return sign * (left - right);
  });
  return { total: rows.length, rows: rows.slice(offset, offset + count) };
}
