/** What support would ask for, as text: the program, the machine, the settings, what went wrong lately. */
import { formatBytes } from '../../../shared/base/numbers.js';
import { plainEnglish } from '../../../shared/messages/surfaces.js';
import type { Machine, Settings } from '../../../shared/contract/machine.js';
import { homeFolder } from '../../installation/environment.mjs';
import type { Log } from './log.js';

const MAX_BUGS = 20;
/** Of what trainers say, the last of it. */
const keptCharacters = 4000;
const loggedLines = 60;

export function createDiagnostics(now: () => number, log: Log) {
  const bugs: string[] = [];
  let output = '';
  return {
    bug(channel: string, error: unknown) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      bugs.push(`${new Date(now()).toISOString()} ${channel}\n${what}`);
      if (bugs.length > MAX_BUGS) bugs.shift();
      log.write('error', `${channel}: ${what}`);
    },
    addTrainerOutput(text: string) {
      output = `${output}${text}`.slice(-keptCharacters);
      log.write('debug', `trainer: ${text.trimEnd()}`);
    },
    text({
      version,
      machine,
      settings,
      projects,
    }: {
      readonly version: string;
      readonly machine: Machine;
      readonly settings: Settings;
      readonly projects: readonly string[];
    }) {
      const { electron, node, chrome } = process.versions;
      const lines = [
        `Verisim ${version}`,
        `System: ${process.platform} ${process.arch}`,
        `Node ${node}${electron === undefined ? '' : `, Electron ${electron}, Chromium ${chrome}`}`,
        `Processor: ${machine.processor}, ${machine.cores} threads`,
        `Memory: ${formatBytes(machine.memory_free, 'en')} free of ${formatBytes(machine.memory_total, 'en')}`,
        `Disk: ${formatBytes(machine.disk_free, 'en')} free`,
        `Runtime: ${machine.runtime}, TensorFlow ${machine.tensorflow ?? 'none'}, device ${machine.device ?? 'unknown'}`,
        `Measured: ${machine.gflops === null ? 'not yet' : `${machine.gflops.toFixed(1)} GFLOP/s`}`,
        ...(machine.notice === null ? [] : [`Notice: ${plainEnglish(machine.notice)}`]),
        `Settings: ${JSON.stringify(settings)}`,
        `Projects: ${projects.length === 0 ? 'none' : projects.join('; ')}`,
        '',
        bugs.length === 0 ? 'No errors since it was started.' : `Errors since it was started:\n${bugs.join('\n')}`,
        ...(output === '' ? [] : ['', `The trainer said:\n${output}`]),
        '',
        `The end of the log, ${log.file}:`,
        ...log.newest(loggedLines),
        '',
      ];
      return lines.join('\n').replaceAll(homeFolder(), '~');
    },
  };
}
