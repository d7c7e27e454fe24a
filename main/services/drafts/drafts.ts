/** Stores drafts of projects, one file each: paths inside, handles towards the window. */
import { localized } from '../../../shared/messages/message.js';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectCommandShape } from '../../../shared/config/commands.js';
import { namedModels } from '../../../shared/config/init.js';
import { presentSettings } from '../../../shared/config/removed-settings.js';
import { usualPreset } from '../../../shared/config/presets.js';
import { parseHubName } from '../../../shared/config/hub-name.js';
import { describeShape } from '../../../shared/config/fields.js';
import type { Draft } from '../../../shared/contract/drafts.js';
import { givenSettings, type GivenSettings } from '../../../shared/contract/values.js';
import { isPattern } from '../../../shared/config/input-names.js';
import { aboutField, UserError } from '../../../shared/errors.js';
import { filesMatching } from '../../storage/texts/list/glob.js';
import type { DataFolder } from '../files/data-folder.js';
import type { FileHandles } from '../files/file-handles.js';
import { readStored, writeStored } from '../files/stored.js';

const { project: _project, preset: _preset, ...settableShape } = projectCommandShape;

let knownPathKeys: ReadonlySet<string> | null = null;
/** Settings whose value is a file. Computed on first use, as the window's start waits for earlier work. */
const pathKeys = (): ReadonlySet<string> =>
  (knownPathKeys ??= new Set(describeShape(settableShape).flatMap(({ key, path }) => (path === null ? [] : [key]))));

const storedDraft = z.object({
  name: z.string(),
  changed: z.string(),
  step: z.string(),
  preset: z.string(),
  /** With paths. */
  given: givenSettings,
});
export type StoredDraft = z.infer<typeof storedDraft>;

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };
type DraftChange = Optional<Pick<Draft, 'name' | 'step' | 'preset' | 'given'>>;

export type Drafts = ReturnType<typeof createDrafts>;

export function createDrafts(data: DataFolder, handles: FileHandles, now: () => number) {
  const fileOf = (id: string) => join(data.drafts, `${id}.json`);
  const read = (id: string): StoredDraft => {
    const draft = readStored(fileOf(id), storedDraft.nullable(), null);
    if (draft !== null) return { ...draft, given: presentSettings(draft.given, settableShape).values as GivenSettings };
    throw new UserError({
      code: 'file_not_found',
      message: localized('drafts.draft_there_any_more'),
      hint: localized('drafts.started_discarded_perhaps_another_window'),
      field: 'id',
    });
  };
  const write = (id: string, draft: Omit<StoredDraft, 'changed'>): Draft => {
    const stored = { ...draft, changed: new Date(now()).toISOString() };
    writeStored(fileOf(id), stored);
    return shown(id, stored);
  };
  const withHandles = (settings: Readonly<Record<string, unknown>>): GivenSettings =>
    Object.fromEntries(
      Object.entries(settings)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, isPath(key, value) ? handles.give(value).handle : (value as string)]),
    );
  const shown = (id: string, draft: StoredDraft): Draft => ({
    ...draft,
    id,
    given: withHandles(draft.given),
    files: Object.entries(draft.given).flatMap(([key, value]) => (isPath(key, value) ? [handles.give(value)] : [])),
  });
  const withPaths = (given: GivenSettings): GivenSettings =>
    Object.fromEntries(Object.entries(given).map(([key, value]) => [key, pathBehind(key, value, handles)]));

  return {
    list() {
      return namesIn(data.drafts)
        .flatMap((name) => /^(draft_[\w-]+)\.json$/.exec(name)?.[1] ?? [])
        .map((id) => shown(id, read(id)))
        .sort((a, b) => b.changed.localeCompare(a.changed));
    },
    create: ({
      name,
      preset = usualPreset,
      given = {},
    }: {
      readonly name: string;
      readonly preset?: string;
      readonly given?: GivenSettings;
    }) => write(`draft_${randomUUID()}`, { name, step: 'text', preset, given }),
    get: (id: string) => shown(id, read(id)),
    /** With paths instead of handles: for what happens on this side. */
    stored: read,
    filesIn(settings: Readonly<Record<string, unknown>>) {
      const paths = Object.entries(settings).flatMap(([key, value]) => (isPath(key, value) ? [value] : []));
      return paths.flatMap((path) => (isPattern(path) ? [path, ...filesMatching(path)] : [path]));
    },
    save(id: string, { given, ...change }: DraftChange) {
      const { changed: _changed, ...before } = read(id);
      const defined = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      return write(id, { ...before, ...defined, ...(given === undefined ? {} : { given: withPaths(given) }) });
    },
    discard(id: string) {
      read(id);
      rmSync(fileOf(id));
    },
    withHandles,
  };
}

/** A model can be named by what the hub calls it, too. */
const isPath = (key: string, value: unknown): value is string =>
  pathKeys().has(key) && typeof value === 'string' && !(namedModels.includes(key) && parseHubName(value) !== null);

/** @throws UserError when a setting is none of ours, or a file is named by anything but its handle */
function pathBehind(key: string, value: GivenSettings[string], handles: FileHandles): GivenSettings[string] {
  if (!Object.hasOwn(settableShape, key)) {
    throw new UserError({
      code: 'bad_input',
      message: localized('drafts.setting_project', { key }),
      hint: localized('drafts.leave_out'),
      field: key,
    });
  }
  if (value === undefined || !isPath(key, value)) return value ?? null;
  try {
    return handles.pathOf(value);
  } catch (error) {
    throw aboutField(key, error);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no draft has been made yet
  }
}
