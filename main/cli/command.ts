/**
 * A command of the terminal, declared in a file of commands/: its settings in groups, the checks before it, its job and the
 * report after it. Flags, --help and docs/configuration.md are derived from that.
 */
import { z } from 'zod';
import type { FileFacts, Problem } from '../../shared/config/checks.js';
import type { Shape } from '../../shared/config/fields.js';
import { parameter } from '../../shared/config/parameter.js';
import type { MessageCode } from '../../shared/messages/message.js';
import type { JobContext, Results } from '../jobs/types.js';
import type { Style } from './style.js';

export type Given = Readonly<Record<string, unknown>>;

type NameIn<Area extends string, Code = MessageCode> = Code extends `${Area}.${infer Name}` ? Name : never;

interface CommandGroup<S extends Shape = Shape> {
  readonly name: NameIn<'group'>;
  readonly shape: S;
}
export const group = <S extends Shape>(name: NameIn<'group'>, shape: S): CommandGroup<S> => ({ name, shape });

/** @param given the user's settings, without preset and defaults */
type Run<C> = (config: C, context: JobContext, given: Given) => Promise<Results>;

interface CommandParts<G, C> {
  readonly name: NameIn<'commandSummary'>;
  readonly examples: readonly string[];
  readonly groups: G;
  /** The parameter that may also be given without its flag. */
  readonly positional?: keyof C & string;
  /** Other spellings of flags: alias to key. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Its standard output is the answer itself; progress then goes to standard error. */
  readonly answers?: boolean;
  /** @param given the user's settings, without preset and defaults */
  problems?(config: C, files: FileFacts, given: Given): readonly Problem[];
  /** Loads the job on demand, so that help and mistakes answer at once. */
  job(): Promise<Run<C>>;
  report(results: Results, style: Style, config: C): string;
}

/** A command whose settings are known by name only. */
export interface Command extends Omit<CommandParts<readonly CommandGroup[], Given>, 'job'> {
  /** Every parameter, without the common flags. */
  readonly shape: Shape;
  readonly aliases: Readonly<Record<string, string>>;
  readonly run: Run<Given>;
}

type AllOf<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** The settings of all groups together. */
type Config<G extends readonly CommandGroup[]> =
  AllOf<G[number]['shape']> extends infer S extends z.ZodRawShape ? z.infer<z.ZodObject<S>> : never;

/** Types a command by its groups; the settings are parsed again here, so that no job sees others. */
export function defineCommand<const G extends readonly CommandGroup[]>(parts: CommandParts<G, Config<G>>): Command {
  const shape = Object.assign({}, ...parts.groups.map((each) => each.shape)) as Shape;
  const schema = z.object(shape);
  const parsed = (config: Given) => schema.parse(config) as Config<G>;
  return {
    ...parts,
    shape,
    aliases: parts.aliases ?? {},
    problems: (config, files, given) => parts.problems?.(parsed(config), files, given) ?? [],
    run: async (config, context, given) => (await parts.job())(parsed(config), context, given),
    report: (results, style, config) => parts.report(results, style, parsed(config)),
  };
}

/** Maps `learning_rate` to `reward_learning_rate` and the like, unless the short name is taken. */
export const withoutPrefix = (prefix: string, shape: Shape, taken: Shape): Record<string, string> =>
  Object.fromEntries(
    Object.keys(shape)
      .filter((key) => key.startsWith(prefix) && !(key.slice(prefix.length) in taken))
      .map((key) => [key.slice(prefix.length), key]),
  );

/** Flags that every command takes. */
export const commonShape = {
  config: parameter(z.string().min(1).optional(), { option: 'config', path: 'file' }),
  json: parameter(z.boolean().default(false), { option: 'json' }),
  help: parameter(z.boolean().default(false), { option: 'help' }),
};
