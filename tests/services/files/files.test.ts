// Files for the window: handles, several as one, folders to look through, what was sent and is no longer used.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller, Dialogs } from '../../../main/ipc/caller.js';
import { createFileHandles } from '../../../main/services/files/file-handles.js';
import { patternOf } from '../../../main/services/files/file-pattern.js';
import { findTextFiles } from '../../../main/storage/texts/list/list-texts.js';
import type { FileInfo } from '../../../shared/contract/values.js';
import { createWorld, type World } from '../../ipc/world.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'verisim-files-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text = 'x') => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** A file from a browser, long ago. */
async function send({ services }: World, name: string) {
  async function* chunks() {
    yield Buffer.from('text');
  }
  const { handle } = await services.uploads.receive(name, 4, chunks());
  const path = services.files.pathOf(handle);
  utimesSync(dirname(path), 0, 0);
  return { path, handle };
}

describe('createFileHandles', () => {
  it('gives one path one handle, which says nothing of it', () => {
    const handles = createFileHandles();
    const file = write('book.txt', 'twelve bytes');
    const info = handles.give(file);
    expect(info).toEqual({ handle: info.handle, name: 'book.txt', kind: 'file', size: 12 });
    expect(handles.give(join(folder, '.', 'book.txt')).handle).toBe(info.handle);
    expect(handles.give(folder)).toMatchObject({ kind: 'folder', size: null });
    expect(handles.give(join(folder, 'none'), 'write')).toMatchObject({ kind: 'file', size: null });
  });

  it('tell reading from writing, and the place to whoever asks only for that', () => {
    const handles = createFileHandles();
    const [read, written] = [handles.give('a').handle, handles.give('b', 'write').handle];
    expect(() => handles.pathOf(read, 'write')).toThrow(/no longer available/);
    expect(() => handles.pathOf(written)).toThrow(/no longer available/);
    expect([read, written].map((handle) => handles.pathOf(handle, 'any'))).toEqual([
      join(process.cwd(), 'a'),
      join(process.cwd(), 'b'),
    ]);
    expect(() => handles.pathOf('file_none', 'any')).toThrow(/no longer available/);
  });

  it('forgets what was used longest ago, when there are too many', () => {
    const handles = createFileHandles(3);
    const [a, b] = ['a', 'b'].map((name) => handles.give(name).handle);
    handles.give('c');
    handles.pathOf(a ?? '');
    handles.give('d');
    expect(handles.pathOf(a ?? '')).toBe(join(process.cwd(), 'a'));
    expect(() => handles.pathOf(b ?? '')).toThrow();
  });
});

describe('patternOf', () => {
  it('names exactly the files that were chosen, whatever they are called', () => {
    const name = fc.stringMatching(/^[a-z*?[\]!. -]{1,8}\.txt$/).filter((text) => !text.startsWith('.'));
    const paths = fc.uniqueArray(
      fc.tuple(fc.constantFrom('', 'a/', 'a/b/', 'c[1]/'), name).map(([inner, file]) => `${inner}${file}`),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(paths, (names) => {
        for (const other of ['x.txt', 'a/x.txt', 'a/b/xx.txt', 'c1/x.txt']) write(other);
        const chosen = names.map((one) => write(one)).sort();
        expect([...findTextFiles(patternOf(chosen)).files].sort()).toEqual(chosen);
      }),
      { numRuns: 200 },
    );
  });

  it('says when no pattern can', () => {
    expect(() => patternOf([write('a{1}.txt'), write('b.txt')])).toThrow(/cannot be taken together/);
    expect(patternOf([write('a{1}.txt')])).toBe(join(folder, 'a{1}.txt'));
  });
});

describe('files over the dispatcher', () => {
  it('takes several as one text, and shows which', async () => {
    const world = createWorld();
    const chosen = ['one.txt', 'two.txt', 'more/three.txt', 'more/four.txt'].map((name) =>
      write(name, 'text '.repeat(99)),
    );
    const handles = chosen.map((path) => world.services.files.give(path).handle);
    const all = (await world.ask('files.combine', { files: handles })) as FileInfo;
    expect(all).toMatchObject({ name: 'four.txt, three.txt, one.txt, … (4)', kind: 'file', size: 4 * 495 });
    const { id } = (await world.ask('drafts.create', { name: 'New project' })) as { id: string };
    await world.ask('drafts.save', { id, preset: 'tiny', given: { data_path: all.handle } });
    expect(await world.ask('drafts.check', { id })).toMatchObject({ problems: [] });
    expect(await world.ask('drafts.get', { id })).toMatchObject({ files: [all] });
    const inFolder = [...handles, world.services.files.give(join(folder, 'more')).handle];
    await expect(world.ask('files.combine', { files: inFolder })).rejects.toThrow(/folder cannot be taken together/);
    await world.close();
  });

  it('shows folders and the files that are wanted, hidden ones never', async () => {
    const world = createWorld();
    for (const name of ['b.txt', 'a.jsonl.gz', 'c.bin', '.hidden.txt', 'deep/d.txt']) write(name);
    const handle = world.services.files.give(folder).handle;
    const seen = async (purpose: string) => {
      const { entries } = (await world.ask('files.browse', { folder: handle, purpose })) as { entries: FileInfo[] };
      return entries.map(({ name }) => name);
    };
    expect(await seen('text')).toEqual(['deep', 'a.jsonl.gz', 'b.txt']);
    expect(await seen('tokens')).toEqual(['deep', 'c.bin']);
    expect(await seen('project')).toEqual(['deep']);
    const { here, parent } = (await world.ask('files.browse', { folder: handle, purpose: 'text' })) as {
      here: string;
      parent: string;
    };
    expect(here).toBe(basename(folder));
    expect(world.services.files.pathOf(parent)).toBe(dirname(folder));
    await expect(
      world.ask('files.browse', { folder: world.services.files.give(join(folder, 'none')).handle, purpose: 'text' }),
    ).rejects.toMatchObject({ code: 'file_not_found' });
    const { entries } = (await world.ask('files.browse', { folder: null, purpose: 'text' })) as { entries: FileInfo[] };
    expect(entries.map(({ kind }) => kind)).not.toContain('file');
    await world.close();
  });

  it('lets a window choose, save and show in the system’s dialogs, and gives it nothing that was not chosen', async () => {
    const world = createWorld();
    const shown: string[] = [];
    let answer: readonly string[] = [write('chosen.txt')];
    const dialogs: Dialogs = {
      choose: async () => answer,
      chooseSave: async ({ suggested }) => (answer.length === 0 ? null : join(folder, suggested)),
      reveal: (path) => shown.push(path),
    };
    const ask = async (channel: string, payload: object) => {
      const reply = await world.dispatcher.dispatch(channel, payload, { transport: 'electron', dialogs });
      return reply.ok ? reply.value : Promise.reject(reply.fault);
    };
    const { files } = (await ask('files.choose', { purpose: 'text' })) as { files: FileInfo[] };
    expect(files).toMatchObject([{ name: 'chosen.txt', size: 1 }]);
    await ask('files.reveal', { handle: files[0]?.handle });
    expect(shown).toEqual([join(folder, 'chosen.txt')]);
    const { file } = (await ask('files.chooseSave', { purpose: 'archive', suggested: 'x.tar' })) as { file: FileInfo };
    expect(world.services.files.pathOf(file.handle, 'write')).toBe(join(folder, 'x.tar'));
    expect(() => world.services.files.pathOf(file.handle)).toThrow();
    await expect(ask('files.browse', { folder: null, purpose: 'text' })).rejects.toMatchObject({ code: 'unsupported' });
    answer = [folder];
    expect(await ask('settings.chooseProjectsFolder', {})).toEqual({ folder });
    answer = [];
    expect(await ask('settings.chooseProjectsFolder', {})).toEqual({ folder: null });
    expect(await ask('files.chooseSave', { purpose: 'archive', suggested: 'x.tar' })).toEqual({ file: null });
    expect(await ask('app.info', {})).toMatchObject({ transport: 'electron', projects_folder: folder });
    await expect(world.ask('files.choose', { purpose: 'text' })).rejects.toMatchObject({ code: 'unsupported' });
    await world.close();
  });

  it('checks for updates only in an app with a source of updates', async () => {
    const world = createWorld();
    const checkForUpdates = vi.fn(async () => undefined);
    const ask = async (channel: string, asking: Caller) => {
      const reply = await world.dispatcher.dispatch(channel, {}, asking);
      return reply.ok ? reply.value : Promise.reject(reply.fault);
    };
    const caller: Caller = { transport: 'electron', dialogs: null, checkForUpdates };
    expect(await ask('app.info', caller)).toMatchObject({ checks_for_updates: true });
    expect(await ask('app.checkForUpdates', caller)).toEqual({});
    expect(checkForUpdates).toHaveBeenCalledOnce();
    const browser: Caller = { transport: 'browser', dialogs: null };
    expect(await ask('app.info', browser)).toMatchObject({ checks_for_updates: false });
    await expect(ask('app.checkForUpdates', browser)).rejects.toMatchObject({ code: 'unsupported' });
    await world.close();
  });

  it('removes what was sent and is in no draft and no project, a day later', async () => {
    const world = createWorld();
    const { drafts, data } = world.services;
    const [used, unused, trained] = [
      await send(world, 'used.txt'),
      await send(world, 'unused.txt'),
      await send(world, 'trained.txt'),
    ];
    world.makeProject('book', { data_path: trained.path });
    const { id } = drafts.create({ name: 'x' });
    drafts.save(id, { given: { data_path: used.handle } });
    const again = createWorld({ folder: world.folder });
    expect([used, unused, trained].map(({ path }) => existsSync(path))).toEqual([true, false, true]);
    expect(existsSync(data.uploads)).toBe(true);
    await again.services.close();
    await world.close();
  });

  it('keeps what was sent for a project whose drive is away', async () => {
    const world = createWorld();
    const [trained, unused] = [await send(world, 'trained.txt'), await send(world, 'unused.txt')];
    const drive = join(world.folder, 'drive');
    const project = join(drive, 'book');
    mkdirSync(drive);
    renameSync(world.makeProject('book', { data_path: trained.path }), project);
    world.services.registry.idOf(project);
    renameSync(drive, `${drive}-away`);
    await createWorld({ folder: world.folder }).services.close();
    expect(existsSync(trained.path)).toBe(true);
    renameSync(`${drive}-away`, drive);
    await createWorld({ folder: world.folder }).services.close();
    expect([trained, unused].map(({ path }) => existsSync(path))).toEqual([true, false]);
    await world.close();
  });
});
