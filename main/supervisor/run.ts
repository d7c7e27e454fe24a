/** Runs one project: replaces a trainer that dies or hangs, resumes from the last checkpoint while it makes progress. */
import { localized, type Message } from '../../shared/messages/message.js';
import type { ProjectConfig } from '../../shared/config/index.js';
import type { Steering } from '../../shared/contract/trainer.js';
import { toFault, UserError, type Fault } from '../../shared/errors.js';
import { whereAfter, type RunEvent } from '../../shared/phases/events.js';
import { openProject } from '../storage/projects/project-folder.js';
import { connect, endMessage, type Connection, type ConnectionOptions, type End } from './connection.js';
import type { StartTrainer } from './trainer-process.js';
import type { RunStatus } from './types.js';

type Notice = Extract<RunEvent, { event: 'notice' }>;
type Outcome = 'finished' | 'stopped' | 'failed';
/** What a trainer says of its end: the project's, or that another is to go on with it. */
interface Done {
  readonly outcome: Outcome | 'continues';
  readonly fault: Fault | null;
}

export interface RunOptions extends Pick<ConnectionOptions, 'limits' | 'monotonic'> {
  readonly start: StartTrainer;
  readonly folder: string;
  /** How often in a row a trainer may die before its next checkpoint. */
  readonly deaths: number;
  onStatus(status: RunStatus): void;
  onEvent(event: RunEvent): void;
  onEnded(outcome: Outcome, fault: Fault | null): void;
}

/** Time a trainer may take to exit after it reported its end. */
const ENDING_MILLISECONDS = 10_000;
/** Before the first new attempt; twice as long before each further one. */
const RESTART_MILLISECONDS = 250;

interface Wanted {
  paused: boolean;
  stop: 'step' | 'phase' | null;
}

export type Run = ReturnType<typeof startRun>;

export function startRun(options: RunOptions) {
  const { folder, onEvent } = options;
  const wanted: Wanted = { paused: false, stop: null };
  const seen = createStatus(folder, options.onStatus);
  let connection: Connection | null = null;
  let deaths = 0;
  let over = false;
  let restart: NodeJS.Timeout | undefined;

  const end = (outcome: Outcome, fault: Fault | null) => {
    if (over) return;
    over = true;
    connection = null;
    clearTimeout(restart);
    options.onEnded(outcome, fault);
  };
  const next = ({ outcome, fault }: Done) => {
    if (outcome !== 'continues') return end(outcome, fault);
    if (wanted.stop) return end('stopped', null);
    seen.change('starting');
    begin([], 'cpu');
  };
  const begin = (earlier: readonly Notice[], device?: 'cpu') => {
    let done: Done | null = null;
    const mine = connect({
      ...options,
      start: () => options.start(configOf(folder, device)),
      onNotification(message) {
        if (message.message === 'activity') return seen.change(message.activity);
        if (message.message === 'ended') {
          done = message;
          setTimeout(() => mine.kill(), ENDING_MILLISECONDS).unref();
          return;
        }
        if (message.event.event === 'checkpoint') deaths = 0;
        seen.note(message.event);
        onEvent(message.event);
      },
      onEnd: (how) => (done ? next(done) : died(how)),
    });
    connection = mine;
    mine.ask({ message: 'run', folder, given: {}, earlier: [...earlier] }).then(
      () => askAgain(mine, wanted),
      // A trainer that refused has nothing to do; a death is reported already.
      (error: unknown) => {
        done ??= { outcome: 'failed', fault: toFault(error) };
        mine.kill();
      },
    );
  };
  const died = (how: End) => {
    connection = null;
    if (wanted.stop === 'step') return end('stopped', null);
    deaths += 1;
    if (deaths > options.deaths) return end('failed', repeatedly(endMessage(how), deaths));
    const notice = restarted(endMessage(how));
    seen.change('starting');
    onEvent(notice);
    restart = setTimeout(() => begin([notice]), RESTART_MILLISECONDS * 2 ** (deaths - 1));
  };

  options.onStatus(seen.status());
  begin([]);
  return {
    folder,
    status: seen.status,
    steer: (steering: Steering) => steerOver(connection, steering, wanted),
    slept: (milliseconds: number) => connection?.slept(milliseconds),
    publish(event: Notice) {
      connection?.log(event);
      onEvent(event);
    },
    beat: () => connection?.beat(),
    kill() {
      wanted.stop = 'step';
      if (connection) connection.kill();
      else end('stopped', null);
    },
  };
}

function createStatus(folder: string, onStatus: RunOptions['onStatus']) {
  let status: RunStatus = { folder, state: 'starting', fault: null, phase: null, progress: null };
  return {
    status: () => status,
    change(state: RunStatus['state']) {
      if (status.state === state) return;
      status = { ...status, state };
      onStatus(status);
    },
    note(event: RunEvent) {
      status = { ...status, ...whereAfter(status, event) };
    },
  };
}

/** Repeats the previous trainer's commands to a new one. */
function askAgain(connection: Connection, { paused, stop }: Wanted): void {
  const ask = (steering: Steering) => void connection.ask({ message: 'steer', steering }).catch(() => undefined);
  if (paused) ask({ action: 'pause' });
  if (stop) ask({ action: 'stop', after: stop });
}

/** Notes what the next trainer has to know, and asks the one that is there, if there is one. */
async function steerOver(connection: Connection | null, steering: Steering, wanted: Wanted): Promise<void> {
  const { action } = steering;
  if (action === 'pause') wanted.paused = true;
  if (action === 'resume' || action === 'stop') wanted.paused = false;
  if (action === 'stop') wanted.stop = steering.after;
  const isKept = action === 'pause' || action === 'resume' || action === 'stop';
  try {
    if (!connection) throw betweenTrainers();
    await connection.ask({ message: 'steer', steering });
  } catch (error) {
    // A trainer that died before it answered: the next one gets the command.
    if (!(isKept && error instanceof UserError && error.code === 'internal')) throw error;
  }
}

const restarted = (what: Message): Notice => {
  const message = localized('supervisor.restarted', { what });
  return { event: 'notice', level: 'warning', code: 'trainer_restarted', message };
};

const repeatedly = (what: Message, times: number): Fault => ({
  code: 'internal',
  message: localized('supervisor.times_without_getting_far_next', { what, times }),
  hint: localized('supervisor.everything_up_last_checkpoint_kept'),
});

const betweenTrainers = () =>
  new UserError({
    code: 'internal',
    message: localized('supervisor.trainer_being_started_again'),
    hint: localized('supervisor.try_again_moment'),
  });

/**
 * A project's settings as they are now; undefined if they cannot be read, which its trainer reports.
 * @param device in place of the project's for what another process continues, so that a window of no use opens once
 */
function configOf(folder: string, device?: 'cpu'): ProjectConfig | undefined {
  try {
    const { config } = openProject(folder);
    return device === undefined ? config : { ...config, device };
  } catch {
    return undefined;
  }
}
