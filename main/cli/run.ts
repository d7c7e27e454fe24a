/**
 * One command from its arguments to its exit code: parse, check everything at once, run the job, report. The streams
 * and the environment are passed in; only index.ts touches the process.
 */
import { inLanguage, t } from './language.js';
import { type Problem, error, warning } from '../../shared/config/checks.js';
import { localized } from '../../shared/messages/message.js';
import { typedEvent } from './typed-event.js';
import { presentSettings } from '../../shared/config/removed-settings.js';
import { checkedSettings } from '../../shared/config/resolve.js';
import { toFault, type Fault, typedFault } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { fileFacts } from '../jobs/file-facts.js';
import type { JobContext } from '../jobs/types.js';
import { parseArguments } from './arguments.js';
import type { Command, Given } from './command.js';
import { commandNamed, commandNames } from './commands/index.js';
import { readConfigFile } from './config-file.js';
import { correctValues } from './corrected.js';
import { exitCodeOf, exitCodes, faultOf, faultText, problemBlock } from './faults.js';
import { commandLine, program } from '../../shared/config/command-line.js';
import { commandHelp, generalHelp } from './help.js';
import { nearest } from '../../shared/base/nearest.js';
import { createRuntimeLoader } from '../jobs/machine/runtime.js';
import { stopOnSignals } from './signals.js';
import { createStyle, wantsColour } from './style.js';
import { createTerminal, jsonLine } from './terminal.js';

export interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface World {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly environment: NodeJS.ProcessEnv;
  readonly version: string;
  /** The next line that the person types after reading `question`; null when there is none any more. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Whether a person reads and types: then something large is asked about first. */
  readonly isInteractive?: boolean;
  /** Ends the process at once. */
  exit(code: number): never;
}

/** Runs `argv` (without node and script) and returns the exit code. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const { stdout, stderr, environment, version } = world;
  const style = createStyle(wantsColour(stdout, environment));
  const errorStyle = createStyle(wantsColour(stderr, environment));
  const [first = '--help', ...rest] = argv;

  if (first === '--version' || first === '-V' || first === 'version') {
    stdout.write(`verisim ${version}\n`);
    return exitCodes.done;
  }
  const helpFor = first === 'help' ? commandOf(rest[0] ?? '') : null;
  if (helpFor) {
    stdout.write(commandHelp(helpFor, style));
    return exitCodes.done;
  }
  if (['--help', '-h', 'help'].includes(first)) {
    stdout.write(generalHelp(version, style));
    return exitCodes.done;
  }

  const json = argv.includes('--json');
  const fail = (problems: readonly Problem[], correctedCommand: string | null = null) => {
    if (json) stdout.write(jsonLine(typedEvent({ event: 'error', fault: faultOf(problems) })));
    stderr.write(problemBlock(problems, errorStyle));
    if (correctedCommand !== null)
      stderr.write(`\n${t('cli.corrected_command')}\n  ${errorStyle.accent(correctedCommand)}\n`);
    return exitCodes.badInput;
  };

  const command = commandOf(first);
  if (command === null) return fail([unknownCommand(first)]);
  const given = parseArguments(command, rest);
  if (given.help) {
    stdout.write(commandHelp(command, style));
    return exitCodes.done;
  }
  const file = given.config === null ? { values: {}, problems: [] } : readConfigFile(given.config, command);
  // What is missing without it is not the person's mistake.
  if (file.values === null) return fail([...given.problems, ...file.problems]);
  /** Flags win over the file. */
  const check = (values: Given, said: readonly Problem[]) => {
    const present = presentSettings({ ...file.values, ...values }, command.shape);
    const ignored = present.ignored.map(ignoredSetting);
    return checkSettings(command, present.values, [...said, ...file.problems, ...ignored]);
  };
  const { config, problems } = check(given.values, given.problems);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0 || config === null) {
    const fixed = correctValues(given.values, problems, (values) => check(values, []).problems);
    const withFile = given.config === null ? {} : { config: given.config };
    return fail(errors, fixed && commandLine(command.name, { ...withFile, ...fixed }));
  }
  const warnings = problems.filter(({ severity }) => severity === 'warning');
  const { values: all } = presentSettings({ ...file.values, ...given.values }, command.shape);
  return runJob(command, config, all, warnings, given.json, world);
}

const ignoredSetting = (setting: string): Problem =>
  warning('bad_input', null, localized('cli.ignored', { setting }), localized('cli.not_in_this_version'));

/** Every problem at once: flags that cannot be read, values out of range, and what does not go together. */
const checkSettings = (command: Command, values: Given, said: readonly Problem[]) =>
  checkedSettings(command.shape, values, {
    said,
    together: (config, rest) => command.problems(config, fileFacts, rest),
  });

async function runJob(
  command: Command,
  config: Given,
  given: Given,
  warnings: readonly Problem[],
  json: boolean,
  world: World,
): Promise<number> {
  const { stdout, stderr, environment } = world;
  const progress = command.answers ? stderr : stdout;
  const style = createStyle(wantsColour(progress, environment));
  const bar = progress.isTTY === true && environment['TERM'] !== 'dumb';
  const terminal = createTerminal({
    out: stdout,
    progress,
    mode: json ? 'json' : bar ? 'bar' : 'plain',
    style,
    columns: () => progress.columns ?? 80,
    now: () => performance.now(),
  });
  const emit = (event: JobEvent) => terminal.emit(event);
  /** Ctrl-C ends a question too. */
  let noAnswer: (line: null) => void = () => undefined;
  const stopped = new Promise<null>((resolve) => (noAnswer = resolve));
  const stop = stopOnSignals(
    () => {
      noAnswer(null);
      const message = t('cli.stopping');
      emit({ event: 'notice', level: 'info', code: 'stopping', message });
    },
    () => world.exit(stop.exitCode),
  );
  const ask = (question: string) => Promise.race([stopped, world.ask(question)]);
  const context: JobContext = {
    emit,
    now: () => Date.now(),
    stop,
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    ask,
    ...(world.isInteractive === true && !json ? { confirm: confirmBy(ask) } : {}),
    // Only training has matrix products worth rounding.
    runtime: createRuntimeLoader('n_embd' in config ? config : { ...config, precision: 'f32' }, emit),
  };
  const fail = (fault: Fault) => {
    emit({ event: 'error', fault: typedFault(fault) });
    terminal.end();
    stderr.write(faultText(fault, createStyle(wantsColour(stderr, environment))));
    return fault.code === 'stopped' ? stop.exitCode : exitCodeOf(fault.code);
  };
  try {
    for (const { code, message, hint } of warnings) {
      emit({ event: 'notice', level: 'warning', code, message: `${inLanguage(message)}. ${inLanguage(hint)}` });
    }
    const results = await command.run(config, context, given);
    emit({ event: 'done', ...results });
    // Of several processes, one tells how it went.
    if (!('rank' in results))
      terminal.print(command.report(results, createStyle(wantsColour(stdout, environment)), config));
    return exitCodes.done;
  } catch (error) {
    const fault = toFault(error);
    if (fault.code === 'internal' && error instanceof Error) stderr.write(`${error.stack ?? error.message}\n`);
    return fail(fault);
  } finally {
    terminal.end();
    stop.dispose();
  }
}

/** Yes unless the person says otherwise; no where nobody answers any more. */
const confirmBy = (ask: World['ask']) => async (question: string) => {
  const answer = await ask(`${question} ${t('cli.yes_or_no')} `);
  return answer !== null && !/^\s*n/i.test(answer);
};

/** The specification's scripts are commands: prepare_reward_data.py is prepare_reward_data. */
function commandOf(written: string): Command | null {
  const name = written.replaceAll('-', '_').replace(/\.py$/, '');
  return commandNamed(name === 'reward_dataset_loader' ? 'dataset_info' : name);
}

function unknownCommand(written: string): Problem {
  const similar = nearest(written.replaceAll('-', '_'), commandNames);
  const hint = localized('cli.help_lists_commands', { similar, program });
  return error('bad_input', null, localized('cli.unknown_command', { written: JSON.stringify(written) }), hint);
}
