/**
 * A command of the terminal, declared in one file of commands/: its settings in groups, the words about it, the checks
 * before it, its job and the report after it. Flags, --help and docs/configuration.md are derived from that.
 */
import { t } from './language.js';
import type { MessageCode } from '../../shared/messages/message.js';
import { z } from 'zod';
import type { FileFacts, Problem } from '../../shared/config/checks.js';
import type { Shape } from '../../shared/config/fields.js';
import { parameter } from '../../shared/config/parameter.js';
import type { JobContext, Results } from '../jobs/types.js';
import type { Style } from './style.js';

export type Given = Readonly<Record<string, unknown>>;

type NameIn<Area extends string, Code = MessageCode> = Code extends `${Area}.${infer Name}` ? Name : never;

interface CommandGroup<S extends Shape = Shape> {
  /** In the terminal's language. */
  readonly title: string;
  readonly shape: S;
}
export const group = <S extends Shape>(name: NameIn<'group'>, shape: S): CommandGroup<S> => ({
  get title() {
    return t(`group.${name}`);
  },
  shape,
});

/** Settings in full, as a job takes them; `given` is only what the person wrote, without preset and defaults. */
type Run<C> = (config: C, context: JobContext, given: Given) => Promise<Results>;

type CommandName = NameIn<'commandSummary'>;

interface CommandParts<G extends readonly CommandGroup[], C = Config<G>> {
  readonly name: CommandName;
  readonly examples: readonly string[];
  readonly groups: G;
  /** The parameter that may also be given without its flag. */
  readonly positional?: keyof C & string;
  /** Other spellings of flags: alias to key. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Its standard output is the answer itself; progress then goes to standard error. */
  readonly answers?: boolean;
  /** @param given only what the person wrote, without preset and defaults */
  problems?(config: C, files: FileFacts, given: Given): readonly Problem[];
  /** Loads the job when it is wanted, so that help and mistakes answer at once. */
  job(): Promise<Run<C>>;
  /** What the person reads at the end. */
  report(results: Results, style: Style, config: C): string;
}

/** A command whose settings are known by name only. */
export interface Command {
  readonly name: CommandName;
  /** One line for the list of commands, in the terminal's language. */
  readonly summary: string;
  /** What it does, reads and writes, in the terminal's language. */
  readonly about: string;
  readonly examples: readonly string[];
  readonly groups: readonly CommandGroup[];
  /** Every parameter of it, without the common flags. */
  readonly shape: Shape;
  readonly positional: string | undefined;
  readonly aliases: Readonly<Record<string, string>>;
  readonly answers: boolean;
  problems(config: Given, files: FileFacts, given: Given): readonly Problem[];
  readonly run: Run<Given>;
  report(results: Results, style: Style, config: Given): string;
}

type AllOf<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** The settings of all groups together. */
type Config<G extends readonly CommandGroup[]> =
  AllOf<G[number]['shape']> extends infer S extends z.ZodRawShape ? z.infer<z.ZodObject<S>> : never;

/** Types a command by its groups; the settings are parsed again here, so that no job sees others. */
export function defineCommand<const G extends readonly CommandGroup[]>(parts: CommandParts<G>): Command {
  const { name, examples, groups, positional, aliases = {}, answers = false } = parts;
  const shape = Object.assign({}, ...groups.map((each) => each.shape)) as Shape;
  const schema = z.object(shape);
  const parsed = (config: Given) => schema.parse(config) as Config<G>;
  return {
    name,
    get summary() {
      return t(`commandSummary.${name}`);
    },
    get about() {
      return t(`commandAbout.${name}`);
    },
    examples,
    groups,
    shape,
    positional,
    aliases,
    answers,
    problems: (config, files, given) => parts.problems?.(parsed(config), files, given) ?? [],
    run: async (config, context, given) => (await parts.job())(parsed(config), context, given),
    report: (results, style, config) => parts.report(results, style, parsed(config)),
  };
}

/** `learning_rate` for `reward_learning_rate`: where a command has only one of its kind, the prefix may be left out. */
export function withoutPrefix(prefix: string, shape: Shape, taken: Shape): Record<string, string> {
  const short = Object.keys(shape)
    .filter((key) => key.startsWith(prefix))
    .map((key) => [key.slice(prefix.length), key] as const);
  return Object.fromEntries(short.filter(([alias]) => !(alias in taken)));
}

/** Flags that every command takes. */
export const commonShape = {
  config: parameter(z.string().min(1).optional(), { option: 'config', path: 'file' }),
  json: parameter(z.boolean().default(false), { option: 'json' }),
  help: parameter(z.boolean().default(false), { option: 'help' }),
};
