/**
 * A contender's process, kept alive between its turns: requests and answers are JSON, one a line. The other ends are
 * engine/worker.ts and peers/worker.py.
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

/** Lines of a process's error output that a failure is explained with. */
const LINES_KEPT = 12;

class ContenderFailed extends Error {}

export class Contender {
  versions: Readonly<Record<string, string>> = {};
  private readonly child: ChildProcess;
  private readonly said: string[] = [];
  private answered: ((line: string) => void) | null = null;
  private failed: ((error: Error) => void) | null = null;
  private ended: string | null = null;

  constructor(
    readonly contestant: Contestant,
    command: Command,
  ) {
    this.child = spawn(command.program, command.args, { env: command.env, stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdout, stderr } = this.child;
    if (!stdout || !stderr) throw new Error('the process has no output');
    createInterface(stdout).on('line', (line) => this.answered?.(line));
    createInterface(stderr).on('line', (line) => {
      this.said.push(line);
      if (this.said.length > LINES_KEPT) this.said.shift();
    });
    const end = (how: string) => {
      this.ended = how;
      this.failed?.(this.failure(how));
    };
    this.child.on('error', (error) => {
      end(error.message);
    });
    this.child.on('close', (code, signal) => {
      end(`the process ended with ${signal ?? `code ${String(code)}`}`);
    });
    // A process that has ended is told by `close`; writing to it must not bring the benchmark down.
    this.child.stdin?.on('error', () => undefined);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Loads the library, without any work. */
  async load(): Promise<void> {
    const { threads, precision } = this.contestant.work;
    await this.ask({ do: 'load', threads, precision });
  }

  /** Builds what is measured and runs it as often as it takes to be warm. */
  async prepare(): Promise<void> {
    const { measure, contender, variant, work } = this.contestant;
    const answer = await this.ask({ do: 'prepare', measure, contender, variant, work });
    this.versions = versionsSchema.parse(answer).versions ?? {};
  }

  async repeat(): Promise<Sample> {
    return sampleSchema.parse(await this.ask({ do: 'repeat' }));
  }

  /** Peak resident memory so far, in MiB. */
  async memory(): Promise<number> {
    return z.object({ mib: z.number() }).parse(await this.ask({ do: 'memory' })).mib;
  }

  /** Ends the process and waits for its end. */
  async close(): Promise<void> {
    if (this.ended !== null) return;
    const closed = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    this.failed = null;
    this.child.stdin?.end();
    const impatient = setTimeout(() => this.child.kill('SIGKILL'), 2000);
    await closed;
    clearTimeout(impatient);
  }

  private async ask(request: object): Promise<z.infer<typeof answerSchema>> {
    const line = await new Promise<string>((resolve, reject) => {
      this.answered = resolve;
      this.failed = reject;
      if (this.ended !== null) reject(this.failure(this.ended));
      else this.child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
    const answer = answerSchema.parse(JSON.parse(line));
    if (answer.error !== undefined) throw this.failure(answer.error);
    return answer;
  }

  private failure(what: string): ContenderFailed {
    const { contender, measure } = this.contestant;
    return new ContenderFailed(`${contender}, ${measure}: ${what}${this.said.map((line) => `\n    ${line}`).join('')}`);
  }
}
