/** Declares the supervisor: one project trains, others wait in the queue. Projects are named by absolute folder. */
import type { CallInput, CallName, CallOutput, CallProgress } from '../../shared/contract/trainer.js';
import type { LiveSettings } from '../../shared/contract/runs.js';
import type { Fault } from '../../shared/errors.js';
import type { JobEvent, RunEvent } from '../../shared/phases/events.js';

/** `idle`: neither in the trainer nor waiting. `starting`: its trainer loads. `failed`: ended by a fault until restarted. */
export type RunState = 'idle' | 'waiting' | 'starting' | 'running' | 'paused' | 'stopping' | 'failed';

export interface RunStatus {
  readonly folder: string;
  readonly state: RunState;
  readonly fault: Fault | null;
  readonly phase: Extract<JobEvent, { event: 'phase' }> | null;
  readonly progress: Extract<JobEvent, { event: 'progress' }> | null;
}

export interface QueueStatus {
  /** In order: what trains (or is paused) first. */
  readonly entries: readonly { readonly folder: string; readonly state: 'running' | 'paused' | 'waiting' }[];
  /** Folders of what was running when the app was last closed or killed, until `continueWith` answers. */
  readonly interrupted: readonly string[];
}

export type SupervisorEvent =
  /** A project's state changed; at most once per change. */
  | { readonly type: 'status'; readonly status: RunStatus }
  /** An event of a running project, including the supervisor's own `notice` events. */
  | { readonly type: 'event'; readonly folder: string; readonly event: RunEvent }
  /** The run ended, by itself or on request. */
  | {
      readonly type: 'ended';
      readonly folder: string;
      readonly outcome: 'finished' | 'stopped' | 'failed';
      readonly fault: Fault | null;
    }
  | { readonly type: 'queue'; readonly queue: QueueStatus };

export interface CallOptions<C extends CallName> {
  readonly onProgress?: (progress: CallProgress<C>) => void;
  /** Cancels the call: it then ends with what it has, or with the fault `stopped`. */
  readonly signal?: AbortSignal;
}

export interface Supervisor {
  status(folder: string): RunStatus;
  queue(): QueueStatus;
  /**
   * Starts a project, or puts it at the end of the queue; one that runs or waits already stays as it is.
   * @param device in place of the project's, from now on
   */
  start(folder: string, device?: 'cpu'): Promise<void>;
  /** Lets the running project wait between two steps; the processor is free, the memory stays. One that waits stays. */
  pause(folder: string): Promise<void>;
  resume(folder: string): Promise<void>;
  /** Requests a stop with a checkpoint; `ended` reports it. What only waits leaves the queue. */
  stop(folder: string, after: 'step' | 'phase'): Promise<void>;
  /** Ends the phase that runs as if it had reached its end. */
  skip(folder: string): Promise<void>;
  /** Adds steps to the phase that trains, and cycles to the project; what does not run only takes cycles. */
  extend(folder: string, more: { readonly iterations: number; readonly cycles: number }): Promise<void>;
  /** Changes settings of a running project from its next step on; kept in its changes.jsonl. */
  change(folder: string, settings: LiveSettings): Promise<void>;
  /** Moves what waits to a place among those that wait, 0 first. */
  move(folder: string, to: number): void;
  remove(folder: string): void;
  /** Answers what was interrupted: resumes these, in this order, and forgets the others. */
  continueWith(folders: readonly string[]): Promise<void>;
  /** Does something that needs TensorFlow, in a trainer process that is there for this. */
  call<C extends CallName>(job: C, input: CallInput<C>, options?: CallOptions<C>): Promise<CallOutput<C>>;
  subscribe(listener: (event: SupervisorEvent) => void): () => void;
  /** Stops everything with checkpoints and ends every process; what ran counts as interrupted. */
  close(): Promise<void>;
}
