/** Projects as the window sees them: what their folders say, and what the supervisor is doing with them. */
import { localized } from '../../../shared/messages/message.js';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { initialModelName } from '../../storage/hub/initial-model-name.js';
import { nameOf } from '../../../shared/config/input-names.js';
import { withoutTakenOver } from '../../../shared/config/init.js';
import type { ProjectSummary } from '../../../shared/contract/projects.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import { UserError } from '../../../shared/errors.js';
import { presetOf } from '../../jobs/project/project-settings.js';
import {
  modelNamesIn,
  projectFacts,
  type ProjectFacts,
  type WholeFacts,
} from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { stampAt, untilChanged } from '../../storage/disk/file-stamp.js';
import { lockHolder, silentSince } from '../../storage/disk/lock.js';
import type { Queue } from '../../../shared/contract/runs.js';
import type { QueueStatus, RunState, Supervisor } from '../../supervisor/types.js';
import { activityOf } from './live.js';
import type { KnownProject, Registry } from './registry.js';
import { nextOf, timelineOf } from './timeline.js';

export type Projects = ReturnType<typeof createProjects>;

/** The parts of a summary that a project's files determine, whatever runs. */
interface ReadProject {
  readonly facts: Pick<WholeFacts, 'ended' | 'awaits' | 'hasStarted'>;
  readonly parts: Omit<ProjectSummary, 'id' | 'state' | 'activity' | 'fault' | 'in_use_by'>;
}
type Unreadable = Exclude<ProjectFacts, WholeFacts>;

export function createProjects(registry: Registry, supervisor: Pick<Supervisor, 'status'>) {
  const read = untilChanged(readProject, stampOf);
  const summaryOf = ({ id, folder }: KnownProject): ProjectSummary => {
    const found = read(folder);
    if ('kind' in found) return unreadable(id, folder, found);
    const { facts, parts } = found;
    const live = supervisor.status(folder);
    const holder = live.state === 'idle' ? holderOf(folder) : null;
    const isLive = ['starting', 'running', 'stopping', 'paused'].includes(live.state);
    return {
      ...parts,
      id,
      state: holder ? 'elsewhere' : stateOf(live.state, facts),
      activity: isLive ? activityOf(live) : null,
      ...(holder && holder !== 'unknown' && { in_use_by: holder }),
      fault: live.fault,
    };
  };
  return {
    /** Reads all, the last changed first. Other requests get a turn after each. @param onRead takes them as they are read */
    async list(onRead: (some: readonly ProjectSummary[]) => void = () => undefined) {
      const known = registry.list().map((project) => ({ project, changed: touchedAt(project.folder) }));
      const all: ProjectSummary[] = [];
      let sent = 0;
      for (const { project } of known.sort((a, b) => b.changed - a.changed)) {
        all.push(summaryOf(project));
        // Enough to fill a screen, so that something is on it early.
        if (all.length - sent === READ_TOGETHER) {
          onRead(all.slice(sent));
          sent = all.length;
        }
        await new Promise((next) => setImmediate(next));
      }
      return all;
    },
    /** Null for one that cannot be read now: the drive that it lies on may be away. */
    configs: () => registry.list().map(({ folder }) => configIn(folder)),
    summary: (id: string) => summaryOf({ id, folder: registry.folderOf(id) }),
    /** The folder of a project that is there and can be read. @throws UserError */
    folderOf(id: string) {
      const folder = registry.folderOf(id);
      if (!existsSync(projectPaths(folder).config)) throw gone(folder);
      openProject(folder);
      return folder;
    },
    get(id: string) {
      const folder = registry.folderOf(id);
      const { project, reports } = whole(folder);
      const summary = summaryOf({ id, folder });
      return {
        summary,
        folder,
        config: requestedSettings(project.config),
        verisim_version: project.verisim_version,
        timeline: timelineOf(project, reports.length, summary.activity),
        models: modelNamesIn(project),
        learned_cycles: project.config.learned_cycles ?? [],
      };
    },
  };
}

const READ_TOGETHER = 20;

function readProject(folder: string): ReadProject | Unreadable {
  const facts = projectFacts(folder);
  if (facts.kind !== 'whole') return facts;
  const { project, reports, ended } = facts;
  const { config } = project;
  const initialModel = initialModelName(config);
  const text = nameOf(config.data_path ?? config.train_bin ?? '');
  const writing = reports.at(-1)?.samples.find(({ completion }) => completion.trim() !== '')?.completion;
  return {
    facts: { ended, awaits: facts.awaits, hasStarted: facts.hasStarted },
    parts: {
      name: project.name,
      folder,
      preset: presetOf(config),
      ...(initialModel !== null && { begins_from: initialModel }),
      ...(text !== '' && { text }),
      ...(writing !== undefined && { writing: writing.replaceAll(/\s+/g, ' ').trim().slice(0, WRITING_LENGTH) }),
      cycle: reports.length - 1,
      max_cycles: config.max_cycles,
      ended,
      awaits: facts.awaits,
      perplexities: reports.map(({ perplexity }) => perplexity),
      nats_per_character: reports.map(({ nats_per_character }) => nats_per_character ?? null),
      changed: facts.changed,
      next: ended ? null : nextOf(timelineOf(project, reports.length, null)),
      exact: facts.exact,
    },
  };
}

/** Characters of a project's writing in lists. */
const WRITING_LENGTH = 160;

/** When a project was last worked on, at the cost of one look. */
function touchedAt(folder: string): number {
  const { events, config } = projectPaths(folder);
  try {
    return (statSync(events, { throwIfNoEntry: false }) ?? statSync(config, { throwIfNoEntry: false }))?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

/** Stamps of every file that `readProject` reads; null if they cannot be read. Votes are appended to files of their own. */
function stampOf(folder: string): string | null {
  const { config, outcome, environment, events, checkpoints, data, cycles, ratings } = projectPaths(folder);
  try {
    const inside = (of: string) => (existsSync(of) ? readdirSync(of).map((name) => join(of, name)) : []);
    const folders = inside(cycles).flatMap((cycle) => [
      cycle,
      ...['report.json', 'metrics.jsonl'].map((name) => join(cycle, name)),
    ]);
    const files = [config, outcome, environment, events, checkpoints, data, ...inside(ratings), ...folders];
    return files.map((file) => stampAt(file)).join();
  } catch {
    return null;
  }
}

function stateOf(run: RunState, facts: ReadProject['facts']): ProjectSummary['state'] {
  switch (run) {
    case 'waiting':
      return 'queued';
    case 'starting':
    case 'running':
    case 'stopping':
      return 'running';
    case 'paused':
    case 'failed':
      return run;
    case 'idle':
      if (facts.ended) return 'finished';
      return facts.awaits ? 'awaiting_votes' : facts.hasStarted ? 'stopped' : 'new';
  }
}

function configIn(folder: string): ProjectConfig | null {
  try {
    return openProject(folder).config;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** @throws UserError when the project is not there or cannot be read */
function whole(folder: string): WholeFacts {
  const facts = projectFacts(folder);
  if (facts.kind === 'whole') return facts;
  if ('fault' in facts) throw new UserError(facts.fault);
  throw gone(folder);
}

const gone = (folder: string) =>
  new UserError({
    code: 'file_not_found',
    message: localized('projects.projects_folder_there_any_more', { folder }),
    hint: localized('projects.put_back_open_now_take'),
    field: 'id',
  });

function unreadable(id: string, folder: string, facts: Unreadable): ProjectSummary {
  return {
    id,
    name: basename(folder),
    folder,
    state: facts.kind,
    preset: '',
    cycle: -1,
    max_cycles: 0,
    ended: null,
    perplexities: [],
    changed: new Date(0).toISOString(),
    activity: null,
    fault: 'fault' in facts ? facts.fault : null,
    exact: true,
  };
}

const requestedSettings = (config: ProjectConfig): GivenSettings =>
  withoutTakenOver(config) as unknown as GivenSettings;

type Holder = NonNullable<ProjectSummary['in_use_by']>;

/** @returns the process that uses the folder; null if none, `unknown` if its lock cannot be read */
function holderOf(folder: string): Holder | 'unknown' | null {
  try {
    const holder = lockHolder(folder);
    const silent_since = holder && silentSince(folder, holder)?.toISOString();
    return (
      holder && { host: holder.host, pid: holder.pid, command: holder.command, ...(silent_since && { silent_since }) }
    );
  } catch (error) {
    if (error instanceof UserError) return 'unknown';
    throw error;
  }
}

/** The supervisor's queue with ids and names. */
export function queueOf({ entries, interrupted }: QueueStatus, registry: Registry, projects: Projects): Queue {
  const named = (folder: string) => {
    const project = registry.idOf(folder);
    return { project, name: projects.summary(project).name };
  };
  return {
    entries: entries.map(({ folder, state }) => ({ ...named(folder), state })),
    interrupted: interrupted.map(named),
  };
}
