/** Services on folders of their own, with a project and a text in them, and nothing that trains. */
import { plainFault } from '../support/messages.js';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { projectCommandShape, type ProjectCommand } from '../../shared/config/commands.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';
import { createDispatcher, type Dispatcher } from '../../main/ipc/dispatcher.js';
import { createHandlers } from '../../main/ipc/handlers/index.js';
import { createEventBus, type EventBus } from '../../main/services/event-bus.js';
import type { Caller } from '../../main/ipc/caller.js';
import { projectConfigOf } from '../../main/jobs/project/project-settings.js';
import { absentSupervisor } from '../../main/services/machine/absent-supervisor.js';
import { createServices, type Services } from '../../main/services/index.js';
import { createProject } from '../../main/storage/projects/project-folder.js';
import type { Supervisor } from '../../main/supervisor/types.js';

export interface World {
  readonly folder: string;
  readonly text: string;
  readonly bus: EventBus;
  readonly services: Services;
  readonly dispatcher: Dispatcher;
  readonly bugs: { channel: string; error: unknown }[];
  /** Asks as a browser does. @returns the value. @throws the fault */
  ask(channel: string, payload: unknown): Promise<never>;
  /** Makes a project folder, as the terminal would. */
  makeProject(name: string, given?: Readonly<Record<string, unknown>>): string;
  close(): Promise<void>;
}

export const browser: Caller = { transport: 'browser', dialogs: null };

export function createWorld(
  options: { readonly supervisor?: Supervisor; readonly now?: () => number; readonly folder?: string } = {},
): World {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'verisim-services-'));
  const text = join(folder, 'book.txt');
  mkdirSync(join(folder, 'projects'), { recursive: true });
  writeFileSync(text, 'It was a dark and stormy night. '.repeat(200));
  const bus = createEventBus();
  const services = createServices({
    dataFolder: join(folder, 'data'),
    projectsFolder: join(folder, 'projects'),
    bus,
    supervisor: options.supervisor ?? absentSupervisor(),
    version: '1.2.3',
    now: options.now ?? (() => Date.now()),
  });
  const bugs: { channel: string; error: unknown }[] = [];
  const dispatcher = createDispatcher(createHandlers(services), (channel, error) => bugs.push({ channel, error }));
  return {
    folder,
    text,
    bus,
    services,
    dispatcher,
    bugs,
    async ask(channel, payload) {
      const reply = await dispatcher.dispatch(channel, payload, browser);
      if (!reply.ok) throw Object.assign(new Error(plainEnglish(reply.fault.message)), plainFault(reply.fault));
      return reply.value as never;
    },
    makeProject(name, given = {}) {
      const project = join(folder, 'projects', name);
      const settings = projectSettings({ project, data_path: text, tokenization: 'char', preset: 'nano', ...given });
      createProject(project, projectConfigOf(settings), { name, verisim_version: '1.2.3' });
      return project;
    },
    async close() {
      await services.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function projectSettings(given: Readonly<Record<string, unknown>>): ProjectCommand {
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new Error(resolved.problems.map(({ message }) => message).join('; '));
  return z.object(projectCommandShape).parse(resolved.value);
}
