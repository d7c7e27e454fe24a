/** A job: the glue between settings, files and the engine. The terminal and the trainer process run the same ones. */
import type { MachineConfig } from '../../shared/config/machine.js';
import { stopped, UserError } from '../../shared/errors.js';
import type { Message } from '../../shared/messages/message.js';
import type { JobEvent } from '../../shared/phases/events.js';
import type { Environment, Json } from '../engine/types.js';
import type { ProjectSteering } from './changes.js';
import type { Runtime } from '../engine/runtime/types.js';
import type { Team } from '../engine/team.js';

export interface JobContext {
  emit(event: JobEvent): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** Whether the user wants to stop: after the current step or after the phase. */
  readonly stop: Environment['stop'];
  yieldToEventLoop(): Promise<void>;
  /** Asks the user a question; null if there is no answer. Omit if there is no user to ask. */
  ask?(question: Message): Promise<string | null>;
  /** Asks before a large download. Omit to download without a question. */
  confirm?(question: Message): Promise<boolean>;
  /** Milliseconds of work, for rates: without pauses, sleep and corrections of the clock. Defaults to `now`. */
  worked?(): number;
  /** Receives the means to steer a project once it runs. Omit for runs that are not steered. */
  steered?(steering: ProjectSteering): void;
  /** Receives a function that appends an event to the project's log without emitting it. */
  logs?(log: (event: JobEvent) => void): void;
  /**
   * Loads TensorFlow, or its substitute, once. By default for the machine that the flags describe.
   * @param trains `auto` may choose a graphics card
   */
  runtime(machine?: MachineChoice, trains?: boolean): Promise<Runtime>;
  /**
   * Decides between two phases whether another process continues, given the bytes that the most expensive phase needs in a
   * process of its own. Omit to run everything in this process.
   */
  handsOver?(needed: number): boolean;
  /** The other processes of the same run; omit for one process. */
  readonly team?: Team;
  /** Share of the time that unrequested checkpoints may take. */
  readonly savingShare?: number;
}

export type MachineChoice = Pick<MachineConfig, 'device' | 'threads' | 'precision'>;

/** What the `done` event carries. */
export type Results = Readonly<Record<string, Json>>;

/** Runs to its end, or throws a UserError; `stopped` if the user stops it. */
export type Job<C> = (config: C, context: JobContext) => Promise<Results>;

type Notice = Extract<JobEvent, { event: 'notice' }>;
export type NoticeText = Notice['message'];

export const notice = (code: string, message: NoticeText, level: Notice['level'] = 'info'): Notice => ({
  event: 'notice',
  level,
  code,
  message,
});

/** The same context; each sink receives every event first, in this order. */
export const alsoEmitting = (context: JobContext, ...sinks: readonly ((event: JobEvent) => void)[]): JobContext => ({
  ...context,
  emit(event) {
    for (const sink of sinks) sink(event);
    context.emit(event);
  },
});

/** For work without checkpoints: a stop ends it, and its results so far are lost. */
export function interruptible(env: Environment): Environment {
  return {
    ...env,
    async yieldToEventLoop() {
      await env.yieldToEventLoop();
      if (env.stop.requested) throw interrupted();
    },
  };
}

export const interrupted = () => new UserError(stopped);

/** Between two pieces of work: lets signals in, and ends the work if the user stops it. */
export const interruptibly = (context: JobContext) => async (): Promise<void> => {
  await context.yieldToEventLoop();
  if (context.stop.requested) throw interrupted();
};

/** Milliseconds of work: the clock of rates and plans. */
export const workedTime = (context: JobContext): number => context.worked?.() ?? context.now();

export async function environmentOf(
  context: JobContext,
  machine?: MachineChoice,
  trains?: boolean,
): Promise<Environment> {
  return {
    runtime: await context.runtime(machine, trains),
    emit: (event) => context.emit(event),
    now: () => workedTime(context),
    stop: context.stop,
    ...(context.team ? { team: context.team } : {}),
    yieldToEventLoop: () => context.yieldToEventLoop(),
  };
}
