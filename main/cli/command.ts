/** What a command file in commands/ provides: the checks, the job, and the words at the end. */
import { z } from 'zod';
import type { FileFacts, Problem } from '../../shared/config/checks.js';
import type { CommandSpec } from '../../shared/config/commands.js';
import type { JobContext, Results } from '../jobs/types.js';
import type { Style } from './style.js';

export type Given = Readonly<Record<string, unknown>>;

export interface CommandParts<C> {
  readonly spec: CommandSpec;
  /** Its standard output is the answer itself; progress then goes to standard error. */
  readonly answers?: boolean;
  /** @param given only what the person wrote, without preset and defaults */
  problems?(config: C, files: FileFacts, given: Given): readonly Problem[];
  run(config: C, context: JobContext, given: Given): Promise<Results>;
  /** What the person reads at the end. */
  report(results: Results, style: Style, config: C): string;
}

export type Command = CommandParts<Given>;

/** Types a command by its shape; the settings are parsed again at this door, so that no cast is needed. */
export function defineCommand<S extends z.ZodRawShape>(
  shape: S,
  parts: CommandParts<z.infer<z.ZodObject<S>>>,
): Command {
  const schema = z.object(shape);
  return {
    spec: parts.spec,
    answers: parts.answers ?? false,
    problems: (config, files, given) => parts.problems?.(schema.parse(config), files, given) ?? [],
    run: (config, context, given) => parts.run(schema.parse(config), context, given),
    report: (results, style, config) => parts.report(results, style, schema.parse(config)),
  };
}
