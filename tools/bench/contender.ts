/**
 * A contender's process, alive between its turns. Requests and answers are JSON, one per line; engine/worker.ts and
 * peers/worker.py answer them.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Contestant } from './plan.js';
import { sampleSchema, type Sample } from './rows.js';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const answerSchema = z.object({ error: z.string().optional() }).catchall(z.unknown());
const versionsSchema = z.object({ versions: z.record(z.string(), z.string()).optional() });

/** Lines of a process's error output in a failure. */
const LINES_SHOWN = 12;

export class Contender {
  versions: Readonly<Record<string, string>> = {};
  private readonly child: ChildProcess;
  private readonly errorLines: string[] = [];
  private onAnswer: ((line: string) => void) | null = null;
  private onFailure: ((error: Error) => void) | null = null;
  private ending: string | null = null;

  constructor(
    readonly contestant: Contestant,
    command: Command,
  ) {
    this.child = spawn(command.program, command.args, { env: command.env, stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdout, stderr } = this.child;
    if (!stdout || !stderr) throw new Error('the process has no output');
    createInterface(stdout).on('line', (line) => this.onAnswer?.(line));
    createInterface(stderr).on('line', (line) => {
      this.errorLines.push(line);
      if (this.errorLines.length > LINES_SHOWN) this.errorLines.shift();
    });
    const end = (reason: string) => {
      this.ending = reason;
      this.onFailure?.(this.failure(reason));
    };
    this.child.on('error', (error) => {
      end(error.message);
    });
    this.child.on('close', (code, signal) => {
      end(`the process ended with ${signal ?? `code ${String(code)}`}`);
    });
    // `close` reports a process that has ended; writing to it must not stop the benchmark.
    this.child.stdin?.on('error', () => undefined);
  }

  /** Builds what is measured and warms it up. */
  async prepare(): Promise<void> {
    const { measure, contender, variant, work } = this.contestant;
    const answer = await this.request({ do: 'prepare', measure, contender, variant, work });
    this.versions = versionsSchema.parse(answer).versions ?? {};
  }

  async repeat(): Promise<Sample> {
    return sampleSchema.parse(await this.request({ do: 'repeat' }));
  }

  /** Peak resident memory so far, in MiB. */
  async memory(): Promise<number> {
    return z.object({ mib: z.number() }).parse(await this.request({ do: 'memory' })).mib;
  }

  /** Ends the process and waits for its end. */
  async close(): Promise<void> {
    if (this.ending !== null) return;
    const closed = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    this.onFailure = null;
    this.child.stdin?.end();
    const timeout = setTimeout(() => this.child.kill('SIGKILL'), 2000);
    await closed;
    clearTimeout(timeout);
  }

  private async request(request: object): Promise<z.infer<typeof answerSchema>> {
    const line = await new Promise<string>((resolve, reject) => {
      this.onAnswer = resolve;
      this.onFailure = reject;
      if (this.ending !== null) reject(this.failure(this.ending));
      else this.child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
    const answer = answerSchema.parse(JSON.parse(line));
    if (answer.error !== undefined) throw this.failure(answer.error);
    return answer;
  }

  private failure(reason: string): Error {
    const { contender, measure } = this.contestant;
    return new Error([`${contender}, ${measure}: ${reason}`, ...this.errorLines].join('\n    '));
  }
}
