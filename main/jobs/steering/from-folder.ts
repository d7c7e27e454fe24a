/**
 * A run that was started in a terminal, steered through its project's folder: whoever looks at the project sees where it is, and
 * asks it to pause, stop or change (main/storage/projects/run-desk.ts). It looks there between two steps, and the project's log
 * has what came of it. Of several processes rank 0 does so; what it is asked takes effect on all at the same step (main/cluster/team.ts).
 */
import type { RankFigures, RunTold } from '../../../shared/contract/elsewhere.js';
import { whereAfter, type JobEvent, type WhereItIs } from '../../../shared/events.js';
import { figuresOfRanks } from '../../../shared/phases/ranks.js';
import { typed } from '../../../shared/sentence.js';
import { takeRequests, tellRun } from '../../storage/projects/run-desk.js';
import type { JobContext } from '../types.js';
import { createSteeredRun } from './steered-run.js';
import { createWorkClock } from './work-clock.js';

/** Looks for requests this often, between two steps. */
const LOOKING = 500;
/** How far it is is told no more often than this. */
const TELLING = 2000;

/** @returns the context of a run that is steered so, once its project is open */
export function steeredFromFolder(context: JobContext): JobContext {
  const clock = createWorkClock(() => performance.now());
  const asked = { requested: false, afterPhase: false };
  const stop = {
    get requested() {
      return asked.requested || context.stop.requested;
    },
    get afterPhase() {
      return asked.afterPhase || context.stop.afterPhase === true;
    },
    get paused() {
      return run.pauses.isPaused();
    },
  };
  let where: WhereItIs = { phase: null, progress: null };
  let places: readonly string[] = [];
  let ranks: readonly RankFigures[] = [];
  const desk = createDesk((): RunTold => {
    const moving = where.phase ? 'running' : 'starting';
    const activity = stop.requested ? 'stopping' : run.pauses.isPaused() ? 'paused' : moving;
    return { activity, ...where, ranks: [...ranks] };
  });
  const emit = (event: JobEvent) => {
    if (event.event === 'metrics') ranks = namedRanks(event.values, places) ?? ranks;
    where = whereAfter(where, event);
    context.emit(event);
  };
  const run = createSteeredRun({ clock, stop, asked, emit, told: desk.tell });
  return {
    ...context,
    ...run.context,
    emit,
    stop,
    steered(steering, { folder, places: all }) {
      run.opened(steering);
      places = all;
      ranks = all.map((place, rank) => ({ rank, place, tokens_per_second: null, waiting: null }));
      const close = desk.open(folder, () => {
        takeRequests(folder, run.steer, ({ message }) =>
          run.note('refused', `Not done: ${typed(message)}.`, 'warning'),
        );
        // A signal ends what is paused, too.
        if (stop.requested) run.pauses.resume();
      });
      return () => {
        close();
        // Whoever was too late to pause it could not ask it to go on any more: ranks would wait for that before they end.
        run.pauses.resume();
      };
    },
  };
}

/** What a row says of each of several processes, with where it is; null where the row says nothing of them. */
function namedRanks(values: Parameters<typeof figuresOfRanks>[0], places: readonly string[]): RankFigures[] | null {
  const found = figuresOfRanks(values).map((figures) => ({ ...figures, place: places[figures.rank] ?? '' }));
  return found.length === 0 ? null : found;
}

/** Where the run tells what it is at, while it has a project. */
function createDesk(now: () => RunTold) {
  let folder: string | null = null;
  let told = -Infinity;
  const tell = () => {
    if (folder === null) return;
    told = performance.now();
    try {
      tellRun(folder, now());
    } catch {
      // News for others, no part of the run: a full disk, say, is met where something has to be kept.
    }
  };
  return {
    tell,
    /** @param look asks what there is to do @returns ends it */
    open(project: string, look: () => void): () => void {
      folder = project;
      tell();
      // It keeps a run alive that is paused and does nothing else.
      const timer = setInterval(() => {
        try {
          look();
        } catch {
          // The folder cannot be read now: it is asked again.
        }
        if (performance.now() - told >= TELLING) tell();
      }, LOOKING);
      return () => {
        clearInterval(timer);
        folder = null;
      };
    },
  };
}
