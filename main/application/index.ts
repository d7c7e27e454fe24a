/** Assembles the app for the desktop window and for `verisim serve`. */
import { createDispatcher, type Dispatcher } from '../ipc/dispatcher.js';
import { createHandlers } from '../ipc/handlers/index.js';
import { createEventBus, type EventBus } from '../services/event-bus.js';
import { dataFolderAt } from '../services/files/data-folder.js';
import { createServices, type Services, type ServicesOptions } from '../services/index.js';
import { absentSupervisor } from '../services/machine/absent-supervisor.js';
import { createSupervisor } from '../supervisor/index.js';
import type { OnOutput, StartTrainer } from '../supervisor/trainer-process.js';

export interface Surroundings extends Omit<ServicesOptions, 'bus' | 'supervisor'> {
  /** Starts trainers; null if none can be started here. */
  readonly trainer: ((onOutput: OnOutput) => StartTrainer) | null;
  /** Receives exceptions that are not faults. */
  readonly onBug: (channel: string, error: unknown) => void;
}

export interface Application {
  readonly dispatcher: Dispatcher;
  readonly bus: EventBus;
  /** Their `close` ends everything. */
  readonly services: Services;
  /** The name of the project that trains, if one does. */
  training(): string | null;
}

export function createApplication({ trainer, onBug, ...options }: Surroundings): Application {
  const bus = createEventBus();
  const start = trainer?.((text) => services.diagnostics.addTrainerOutput(text));
  const supervisor = start
    ? createSupervisor({ start, queueFile: dataFolderAt(options.dataFolder).queue })
    : absentSupervisor();
  const services = createServices({ ...options, bus, supervisor });
  const dispatcher = createDispatcher(createHandlers(services), (channel, error) => {
    services.diagnostics.bug(channel, error);
    onBug(channel, error);
  });
  const known = services.registry.list().map(({ folder }) => folder);
  if (start) services.votes.goOn(known).catch((error: unknown) => onBug('votes', error));
  return {
    dispatcher,
    bus,
    services,
    training: () => services.queue().entries.find(({ state }) => state !== 'waiting')?.name ?? null,
  };
}
