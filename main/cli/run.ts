/** Runs one command from its arguments to its exit code: parse, check everything at once, run the job, report. */
import { createInterface } from 'node:readline';
import packageFile from '../../package.json' with { type: 'json' };
import { nearest } from '../../shared/base/nearest.js';
import { type Problem, error, warning } from '../../shared/config/checks.js';
import { commandLine, program } from '../../shared/config/command-line.js';
import { applyFixes, isFixable } from '../../shared/config/fixes.js';
import { presentSettings } from '../../shared/config/removed-settings.js';
import { checkedSettings } from '../../shared/config/resolve.js';
import { toFault } from '../../shared/errors.js';
import { localized, type Message } from '../../shared/messages/message.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { fileFacts } from '../jobs/problems.js';
import { createRuntimeLoader } from '../jobs/machine/runtime-loader.js';
import type { JobContext } from '../jobs/types.js';
import { parseArguments } from './arguments.js';
import type { Command, Given } from './command.js';
import { commandNamed, commandNames, commandWith } from './commands/index.js';
import { readConfigFile } from './config-file.js';
import { exitCodeOf, exitCodes, faultOf, faultText, problemBlock } from './faults.js';
import { commandHelp, generalHelp } from './help.js';
import { setCommandWith, t } from './language.js';
import { stopOnSignals } from './signals.js';
import { createStyle, wantsColour } from './style.js';
import { createTerminal, jsonLine } from './terminal.js';

const { stdout, stderr, env: environment } = process;
const style = createStyle(wantsColour(stdout, environment));
const errorStyle = createStyle(wantsColour(stderr, environment));

/** Runs `argv` (without node and script) and returns the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const [first = '--help', ...rest] = argv;
  const print = (text: string) => {
    stdout.write(text);
    return exitCodes.done;
  };
  if (['--version', '-V', 'version'].includes(first)) return print(`verisim ${packageFile.version}\n`);
  if (['--help', '-h', 'help'].includes(first)) {
    const command = first === 'help' ? commandOf(rest[0] ?? '') : null;
    return print(command ? commandHelp(command, style) : generalHelp(packageFile.version, style));
  }

  const fail = (problems: readonly Problem[], correctedCommand: string | null = null) => {
    const [problem, ...others] = problems;
    if (argv.includes('--json') && problem)
      stdout.write(jsonLine({ event: 'error', fault: faultOf([problem, ...others]) }));
    stderr.write(problemBlock(problems, errorStyle));
    if (correctedCommand !== null)
      stderr.write(`\n${t('cli.corrected_command')}\n  ${errorStyle.accent(correctedCommand)}\n`);
    return exitCodes.badInput;
  };
  const command = commandOf(first);
  if (command === null) return fail([unknownCommand(first)]);
  setCommandWith((flag) => commandWith(command, flag));
  const given = parseArguments(command, rest);
  if (given.help) return print(commandHelp(command, style));
  const file = given.config === null ? { values: {}, problems: [] } : readConfigFile(given.config, command);
  // Without the file, missing settings are not the user's mistake.
  if (file.values === null) return fail([...given.problems, ...file.problems]);
  /** Flags win over the file. */
  const merge = (values: Given) => presentSettings({ ...file.values, ...values }, command.shape);
  const check = (values: Given, earlier: readonly Problem[] = []) => {
    const present = merge(values);
    return checkedSettings(command.shape, present.values, {
      known: [...earlier, ...file.problems, ...present.ignored.map(ignoredSetting)],
      together: (config, others) => command.problems?.(config, fileFacts, others) ?? [],
    });
  };
  const { config, problems } = check(given.values, given.problems);
  const errors = problems.filter(isError);
  if (errors.length > 0 || config === null) {
    const fixed = correctValues(given.values, problems, (values) => check(values).problems);
    const withFile = given.config === null ? {} : { config: given.config };
    return fail(errors, fixed && commandLine(command.name, { ...withFile, ...fixed }));
  }
  const warnings = problems.filter((problem) => !isError(problem));
  return runJob({ command, config, given: merge(given.values).values, warnings, json: given.json });
}

const isError = ({ severity }: Problem): boolean => severity === 'error';

const ignoredSetting = (setting: string): Problem =>
  warning('bad_input', null, localized('cli.ignored', { setting }), localized('cli.not_in_this_version'));

/** Fixes can reveal further problems; so many rounds are made. */
const ROUNDS = 4;

/** Applies the fixes of all problems; null if one has none. */
function correctValues(
  values: Given,
  problems: readonly Problem[],
  check: (values: Given) => readonly Problem[],
): Given | null {
  let [fixed, found] = [values, problems];
  for (let round = 0; round < ROUNDS && isFixable(found); round++) {
    fixed = applyFixes(fixed, found.filter(isError));
    found = check(fixed);
    if (!found.some(isError)) return fixed;
  }
  return null;
}

interface CheckedCommand {
  readonly command: Command;
  readonly config: Given;
  /** Without preset and defaults. */
  readonly given: Given;
  readonly warnings: readonly Problem[];
  readonly json: boolean;
}

async function runJob({ command, config, given, warnings, json }: CheckedCommand): Promise<number> {
  const progress = command.answers ? stderr : stdout;
  const isInteractive = process.stdin.isTTY && stderr.isTTY;
  const isBar = progress.isTTY === true && environment['TERM'] !== 'dumb';
  const terminal = createTerminal({
    out: stdout,
    progress,
    mode: json ? 'json' : isBar ? 'bar' : 'plain',
    style: command.answers ? errorStyle : style,
    columns: () => progress.columns ?? 80,
    now: () => performance.now(),
  });
  const emit = (event: JobEvent) => terminal.emit(event);
  /** Ctrl-C ends a question too. */
  let endQuestion: (line: null) => void = () => undefined;
  const stopped = new Promise<null>((resolve) => (endQuestion = resolve));
  const stop = stopOnSignals(
    () => {
      endQuestion(null);
      emit({ event: 'notice', level: 'info', code: 'stopping', message: localized('cli.stopping') });
    },
    () => process.exit(stop.exitCode),
  );
  const ask = (question: string) => Promise.race([stopped, answerTo(question)]);
  const context: JobContext = {
    emit,
    now: () => Date.now(),
    stop,
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    ask: (question) => ask(t(question)),
    ...(isInteractive && !json ? { confirm: confirmBy(ask) } : {}),
    // Only training has matrix products worth rounding.
    runtime: createRuntimeLoader('n_embd' in config ? config : { ...config, precision: 'f32' }, emit),
  };
  try {
    for (const { code, message, hint } of warnings)
      emit({ event: 'notice', level: 'warning', code, message: localized('cli.warning', { message, hint }) });
    const results = await command.run(config, context, given);
    emit({ event: 'done', ...results });
    // Of several processes, the first reports.
    if (!('rank' in results)) terminal.print(command.report(results, style, config));
    return exitCodes.done;
  } catch (cause) {
    const fault = toFault(cause);
    if (fault.code === 'internal' && cause instanceof Error) stderr.write(`${cause.stack ?? cause.message}\n`);
    emit({ event: 'error', fault });
    terminal.end();
    stderr.write(faultText(fault, errorStyle));
    return fault.code === 'stopped' ? stop.exitCode : exitCodeOf(fault.code);
  } finally {
    terminal.end();
    stop.dispose();
  }
}

/** Lines of standard input, from the first question on. */
let lines: AsyncIterator<string> | null = null;

/** The next line that the user types; null at the end of the input. */
async function answerTo(question: string): Promise<string | null> {
  stderr.write(question);
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  return done === true ? null : value;
}

/** Anything but an n is a yes; the end of the input is a no. */
const confirmBy = (ask: typeof answerTo) => async (question: Message) => {
  const answer = await ask(`${t(question)} ${t('cli.yes_or_no')} `);
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
