/** Assembles the services behind the dispatcher, without Electron, sockets or TensorFlow. */
import { rmSync } from 'node:fs';
import type { EventBus } from './event-bus.js';
import type { Supervisor } from '../supervisor/types.js';
import { dataFolderAt } from './files/data-folder.js';
import { createDeletion } from './projects/deletion.js';
import { createEndpoint } from './machine/endpoint.js';
import { createDiagnostics } from './machine/diagnostics.js';
import { createDrafts, type Drafts } from './drafts/drafts.js';
import { createDraftWork } from './drafts/draft-work.js';
import { createFamiliarities } from './drafts/familiarities.js';
import { createFileHandles } from './files/file-handles.js';
import { publishLive } from './projects/live.js';
import { createLog, logRuns } from './machine/log.js';
import { createMachine } from './machine/machine.js';
import { createMetrics } from './projects/metrics.js';
import { createProjectMaking } from './projects/project-making.js';
import { createProjects, queueOf, type Projects } from './projects/projects.js';
import { createModels } from './models/models.js';
import { createRegistry, type Registry } from './projects/registry.js';
import { createSettings } from './machine/settings.js';
import { createSpeeds, type Speeds } from './drafts/speeds.js';
import { createVotes } from './projects/votes.js';
import { createUploads } from './files/uploads.js';

export interface ServicesOptions {
  readonly dataFolder: string;
  readonly projectsFolder: string;
  readonly bus: EventBus;
  readonly supervisor: Supervisor;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Moves a folder to the system's trash; null where there is none. */
  readonly trash?: ((path: string) => Promise<void>) | null;
}

export type Services = ReturnType<typeof createServices>;
type KeptSettings = ReturnType<typeof createSettings>;

export function createServices(options: ServicesOptions) {
  const { dataFolder, bus, supervisor, version, now, trash = null } = options;
  const data = dataFolderAt(dataFolder);
  const files = createFileHandles();
  const settings = createSettings(data, options.projectsFolder, (changed) => {
    bus.publish('settings.changed', changed);
    void endpoint.settle();
  });
  const endpoint = createEndpoint(data, () => settings.get().endpoint);
  const { projectsFolder } = settings;
  const log = createLog({ file: data.log, level: () => settings.get().log_level, now });
  log.write('info', `Verisim ${version} begins.`);
  const endLogging = logRuns(log, supervisor);
  const registry = createRegistry(data, projectsFolder);
  const drafts = createDrafts(data, files, now);
  const uploads = createUploads(data, files);
  const speeds = createSpeeds(data);
  const projects = createProjects(registry, supervisor);
  const deletion = createDeletion(data, registry, trash, now);
  const queue = () => queueOf(supervisor.queue(), registry, projects);

  const publishProject = createPublisher(bus, registry, projects);
  uploads.tidy(filesInUse(drafts, projects), now());
  // What was deleted when the app last ran, and could not be undone any more.
  const emptied = deletion.empty();
  const stopPublishing = publishLive({
    supervisor,
    bus,
    queue,
    idOf: (folder) => registry.idOf(folder),
    summaryOf: (id) => projects.summary(id),
  });

  const publishModels = () => bus.publish('models.changed', {});
  const models = createModels({ files, now, speed: () => speeds.get(), onChange: publishModels });
  const familiarities = createFamiliarities({ data, files, supervisor, models: () => models.list().models });
  return {
    bus,
    supervisor,
    version,
    now,
    data,
    files,
    uploads,
    settings,
    endpoint,
    registry,
    projects,
    deletion,
    drafts,
    queue,
    machine: createDescribedMachine(options, settings, speeds),
    diagnostics: createDiagnostics(now, log),
    making: createProjectMaking({ drafts, registry, projectsFolder, version }),
    draftWork: createDraftWork({ drafts, supervisor, speeds, familiarities, projectsFolder }),
    metrics: createMetrics(),
    models,
    votes: createVotes({ projects, supervisor, publishProject }),
    publishProject,
    /** Stops what runs, with a checkpoint, and lets go of everything. */
    async close() {
      stopPublishing();
      await endpoint.close();
      await supervisor.close();
      endLogging();
      log.write('info', 'Verisim ends.');
      log.close();
      await emptied;
      await deletion.empty();
      rmSync(data.downloads, { recursive: true, force: true });
    },
  };
}

/** Creates the machine's description; what it finds is published, and estimates rest on it. */
const createDescribedMachine = ({ bus, supervisor }: ServicesOptions, settings: KeptSettings, speeds: Speeds) =>
  createMachine({
    supervisor,
    folder: settings.projectsFolder,
    settings: () => {
      const { device, threads } = settings.get();
      return { device, threads };
    },
    onChange(machine) {
      speeds.guess(machine, settings.get().precision);
      const { tensorflow: version, device } = machine;
      if (version !== null && device !== null)
        speeds.compilesOn(() => ({ version, device, threads: settings.get().threads }));
      bus.publish('machine.changed', machine);
    },
  });

/** What drafts and projects name; null where a project cannot be read now, which may need any file. */
function filesInUse(drafts: Drafts, projects: Projects): ReadonlySet<string> | null {
  const used = new Set<string>();
  for (const settings of [...drafts.list().map(({ id }) => drafts.stored(id).given), ...projects.configs()]) {
    if (settings === null) return null;
    for (const file of drafts.filesIn(settings)) used.add(file);
  }
  return used;
}

const createPublisher =
  (bus: EventBus, registry: Registry, projects: Projects) =>
  (id: string): void => {
    const isKnown = registry.list().some((project) => project.id === id);
    bus.publish('projects.changed', { id, summary: isKnown ? projects.summary(id) : null });
  };
