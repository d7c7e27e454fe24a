/**
 * One project in the trainer, from start to end: a trainer that dies or hangs is replaced by another that goes on from
 * the last good checkpoint, as long as it gets further; what the person wants meanwhile (pause, stop) is kept for it.
 */
import type { Steering } from '../../shared/contract/trainer.js';
import { toFault, UserError, type Fault } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/events.js';
import { connect, type Connection, type ConnectionOptions, type End } from './connection.js';
import type { RunStatus } from './types.js';

type Outcome = 'finished' | 'stopped' | 'failed';

export interface RunOptions extends Pick<ConnectionOptions, 'start' | 'limits' | 'monotonic'> {
  readonly folder: string;
  /** How often in a row a trainer may die before its next checkpoint. */
  readonly deaths: number;
  onStatus(status: RunStatus): void;
  onEvent(event: JobEvent): void;
  onEnded(outcome: Outcome, fault: Fault | null): void;
}

export interface Run {
  readonly folder: string;
  status(): RunStatus;
  steer(steering: Steering): Promise<void>;
  slept(milliseconds: number): void;
  /** Tells an event as one of the run's, and has it kept in the project's log. */
  tell(event: JobEvent): void;
  beat(): void;
  /** Ends it without waiting for a checkpoint. */
  kill(): void;
}

/** How long a trainer that has said it is done may take to end. */
const ENDING_MILLISECONDS = 10_000;
/** Before the first new attempt; twice as long before each further one. */
const RESTART_MILLISECONDS = 250;

const notBegun = ({ phase }: NonNullable<RunStatus['phase']>): NonNullable<RunStatus['progress']> => ({
  event: 'progress',
  phase,
  done: 0,
  total: 0,
  unit: 'steps',
  rate: null,
  seconds_left: null,
});

export function startRun(options: RunOptions): Run {
  const { folder, onStatus, onEvent, onEnded } = options;
  let state: RunStatus['state'] = 'starting';
  let phase: RunStatus['phase'] = null;
  let progress: RunStatus['progress'] = null;
  let connection: Connection | null = null;
  let deaths = 0;
  let over = false;
  /** What the person wants, for the next trainer too. */
  const wanted = { paused: false, stop: null as 'step' | 'phase' | null };
  let restart: NodeJS.Timeout | undefined;

  const status = (fault: Fault | null = null): RunStatus => ({ folder, state, fault, phase, progress });
  const change = (to: RunStatus['state']) => {
    if (state === to) return;
    state = to;
    onStatus(status());
  };
  const end = (outcome: Outcome, fault: Fault | null) => {
    if (over) return;
    over = true;
    connection = null;
    clearTimeout(restart);
    onEnded(outcome, fault);
  };

  const begin = (earlier: readonly JobEvent[]) => {
    let done: { readonly outcome: Outcome; readonly fault: Fault | null } | null = null;
    const mine = connect({
      ...options,
      onTold(message) {
        if (message.message === 'activity') return change(message.activity);
        if (message.message === 'ended') {
          done = message;
          setTimeout(() => mine.kill(), ENDING_MILLISECONDS).unref();
          return;
        }
        const { event } = message;
        if (event.event === 'checkpoint') deaths = 0;
        if (event.event === 'phase') [phase, progress] = [event, null];
        if (event.event === 'progress') progress = event;
        if (event.event === 'compiling' && phase)
          progress = { ...(progress ?? notBegun(phase)), detail: event.message };
        onEvent(event);
      },
      onEnd: (how) => (done ? end(done.outcome, done.fault) : died(how)),
    });
    connection = mine;
    mine.ask({ message: 'run', folder, given: {}, earlier: [...earlier] }).then(
      () => {
        const ask = (steering: Steering) => mine.ask({ message: 'steer', steering }).catch(() => undefined);
        if (wanted.paused) void ask({ action: 'pause' });
        if (wanted.stop) void ask({ action: 'stop', after: wanted.stop });
      },
      // What it refused, it has no reason to stay for; if it died, that is told already.
      (error: unknown) => {
        done ??= { outcome: 'failed', fault: toFault(error) };
        mine.kill();
      },
    );
  };

  const died = (how: End) => {
    if (over) return;
    if (wanted.stop === 'step') return end('stopped', null);
    deaths += 1;
    const what = how.hung ? 'The trainer did not answer any more' : `The trainer ended unexpectedly (${how.how})`;
    if (deaths > options.deaths) return end('failed', repeatedly(what, deaths));
    const message = `${what}; it goes on from its last checkpoint.`;
    const notice: JobEvent = { event: 'notice', level: 'warning', code: 'trainer_restarted', message };
    change('starting');
    onEvent(notice);
    restart = setTimeout(() => begin([notice]), RESTART_MILLISECONDS * 2 ** (deaths - 1));
  };

  onStatus(status());
  begin([]);
  return {
    folder,
    status,
    async steer(steering) {
      if (steering.action === 'pause') wanted.paused = true;
      if (steering.action === 'resume' || steering.action === 'stop') wanted.paused = false;
      if (steering.action === 'stop') wanted.stop = steering.after;
      const keptForTheNext = ['pause', 'resume', 'stop'].includes(steering.action);
      try {
        if (!connection) throw betweenTrainers();
        await connection.ask({ message: 'steer', steering });
      } catch (error) {
        // A trainer that died before it answered: the next one is told.
        if (!(keptForTheNext && error instanceof UserError && error.code === 'internal')) throw error;
      }
    },
    slept: (milliseconds) => connection?.slept(milliseconds),
    tell(event) {
      connection?.log(event);
      onEvent(event);
    },
    beat: () => connection?.beat(),
    kill() {
      wanted.stop = 'step';
      if (restart && state === 'starting') end('stopped', null);
      connection?.kill();
    },
  };
}

const repeatedly = (what: string, times: number): Fault => ({
  code: 'internal',
  message: `${what}, ${times} times without getting as far as the next checkpoint.`,
  hint: 'Everything up to the last checkpoint is kept. If memory was short, close other programs or use a smaller batch; then start it again.',
});

const betweenTrainers = () =>
  new UserError({ code: 'internal', message: 'The trainer is being started again.', hint: 'Try again in a moment.' });
