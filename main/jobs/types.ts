/** A job: the glue between settings, files and the engine. The terminal and the trainer process run the same ones. */
import type { MachineConfig } from '../../shared/config/machine.js';
import { stopped, UserError } from '../../shared/errors.js';
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
  /** Asks the person a question; null when nobody answers any more. Left out: there is nobody to ask. */
  ask?(question: string): Promise<string | null>;
  /** Asks before something large is downloaded. Left out: nobody is asked, and it is. */
  confirm?(question: string): Promise<boolean>;
  /** Milliseconds of work, for rates: without pauses, sleep and the clock's corrections. Left out: `now`. */
  worked?(): number;
  /** Receives the means to steer a project once it runs. Omit for runs that nobody steers. */
  steered?(steering: ProjectSteering): void;
  /** Given what keeps an event in the project's log without telling it; left out: nobody has any to keep. */
  logs?(log: (event: JobEvent) => void): void;
  /** Loads TensorFlow, or what stands in for it, the first time it is asked. Left out: the machine as the flags say. */
  runtime(machine?: MachineChoice): Promise<Runtime>;
  /**
   * Asked between two phases: whether another process is to go on, given the bytes that the dearest phase takes in a process of its
   * own. Left out: this one does everything.
   */
  handsOver?(needed: number): boolean;
  /** The others that work on the same run; left out: this process works alone. */
  readonly team?: Team;
  /** Of the time that saving may take, when nobody asks for it; left out: `SAVING_SHARE`. */
  readonly savingShare?: number;
}

export type MachineChoice = Pick<MachineConfig, 'device' | 'threads' | 'precision'>;

/** What the `done` event carries. */
export type Results = Readonly<Record<string, Json>>;

/** Runs to its end, or throws a UserError; `stopped` when the person asked it to. */
export type Job<C> = (config: C, context: JobContext) => Promise<Results>;

/** The same context, of which each of these is told first, in this order. */
export const alsoTelling = (context: JobContext, ...sinks: readonly ((event: JobEvent) => void)[]): JobContext => ({
  ...context,
  emit(event) {
    for (const sink of sinks) sink(event);
    context.emit(event);
  },
});

/** For work that keeps no checkpoint: ends it, with what it had so far lost, when the person asks to stop. */
export function interruptible(env: Environment): Environment {
  return {
    ...env,
    async yieldToEventLoop() {
      await env.yieldToEventLoop();
      if (!env.stop.requested) return;
      throw interrupted();
    },
  };
}

export const interrupted = () => new UserError(stopped);

/** Between two pieces of work: lets signals in, and ends it when the person asks to stop. */
export const interruptibly = (context: JobContext) => async (): Promise<void> => {
  await context.yieldToEventLoop();
  if (context.stop.requested) throw interrupted();
};

export async function environmentOf(context: JobContext, machine?: MachineChoice): Promise<Environment> {
  return {
    runtime: await context.runtime(machine),
    emit: (event) => context.emit(event),
    now: () => context.worked?.() ?? context.now(),
    stop: context.stop,
    ...(context.team ? { team: context.team } : {}),
    yieldToEventLoop: () => context.yieldToEventLoop(),
  };
}
