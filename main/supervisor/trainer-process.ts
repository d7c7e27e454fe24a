/** Starts a trainer under Node or Electron with one interface, without importing Electron. */
import { fork } from 'node:child_process';
import { localized, type Message } from '../../shared/messages/message.js';
import type { ProjectConfig } from '../../shared/config/index.js';
import type { ToTrainer } from '../../shared/contract/trainer.js';

export interface TrainerProcess {
  readonly pid: number | undefined;
  send(message: ToTrainer): void;
  onMessage(listener: (data: unknown) => void): void;
  onEnd(listener: (how: string | Message) => void): void;
  kill(): void;
}

/** @param config of the project that it is for; none for one that answers calls */
export type StartTrainer = (config?: ProjectConfig) => TrainerProcess;

export const exitCode = (code: number | null): Message =>
  localized('supervisor.exit_code', { code: String(code ?? '?') });

/** Receives a trainer's output, for a log. A trainer blocks if its output is not read. */
export type OnOutput = (text: string) => void;

/** @param program the bundled main/trainer.ts */
export function nodeTrainer(program: string, onOutput: OnOutput = () => undefined): StartTrainer {
  return () => {
    const child = fork(program, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', onOutput);
    child.on('error', () => undefined);
    return {
      pid: child.pid,
      send: (message) => void (child.connected && child.send(message, () => undefined)),
      onMessage: (listener) => void child.on('message', listener),
      onEnd: (listener) => void child.once('exit', (code, signal) => listener(signal ?? exitCode(code))),
      kill: () => void child.kill('SIGKILL'),
    };
  };
}

/** What the supervisor uses of Electron's `utilityProcess`. */
interface UtilityProcesses {
  fork(
    program: string,
    args?: string[],
    options?: { readonly serviceName?: string; readonly stdio?: 'pipe' },
  ): {
    readonly pid?: number | undefined;
    readonly stdout: NodeJS.ReadableStream | null;
    readonly stderr: NodeJS.ReadableStream | null;
    postMessage(message: unknown): void;
    on(event: 'message', listener: (data: unknown) => void): unknown;
    once(event: 'exit', listener: (code: number) => void): unknown;
    kill(): boolean;
  };
}

export function utilityTrainer(
  utilityProcess: UtilityProcesses,
  program: string,
  onOutput: OnOutput = () => undefined,
): StartTrainer {
  return () => {
    const child = utilityProcess.fork(program, [], { serviceName: 'verisim-trainer', stdio: 'pipe' });
    for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', onOutput);
    return {
      get pid() {
        return child.pid;
      },
      send: (message) => child.postMessage(message),
      onMessage: (listener) => void child.on('message', listener),
      onEnd: (listener) => void child.once('exit', (code) => listener(exitCode(code))),
      kill() {
        // Its own kill asks politely, which a process that hangs does not hear.
        try {
          if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
        } catch {
          child.kill();
        }
      },
    };
  };
}
