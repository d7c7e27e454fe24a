// A project folder can be made, read, copied and reopened; faults of one are reported.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { keptBefore } from '../../../shared/config/data.js';
import { UserError } from '../../../shared/errors.js';
import {
  createProject,
  openProject,
  openProjectForWriting,
  renameProject,
} from '../../../main/storage/projects/project-folder.js';
import { projectFacts } from '../../../main/storage/projects/project-facts.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';
import { Crash, contents, temporaryFolder, withEveryFault } from '../faults.js';

let root: string;
let folder: string;
beforeEach(() => {
  root = temporaryFolder();
  folder = path.join(root, 'Moby Dick');
});
afterEach(() => fs.rmSync(root, { recursive: true }));

const info = { name: 'Moby Dick', verisim_version: '0.1.0' };
const config = projectConfigSchema.parse({ n_layer: 4, n_head: 4, n_embd: 128, data_path: '/books/moby dick.txt' });
const projectFile = () => path.join(folder, 'project.json');
const edit = (change: (project: { config: Record<string, unknown> } & Record<string, unknown>) => void) => {
  const project = JSON.parse(fs.readFileSync(projectFile(), 'utf8'));
  change(project);
  fs.writeFileSync(projectFile(), JSON.stringify(project));
};

describe('createProject', () => {
  it('makes a folder that opens again with the same configuration, also after it was moved', () => {
    const made = createProject(folder, config, info);
    expect(made).toMatchObject({ ...info, config });
    fs.renameSync(folder, path.join(root, 'moved'));
    const opened = openProject(path.join(root, 'moved'));
    expect(opened.config).toEqual(config);
    expect(opened.paths.data).toBe(path.join(root, 'moved', 'data'));
  });

  it('writes project.json for people: readable, and the same bytes for the same configuration', () => {
    createProject(folder, config, info);
    const text = fs.readFileSync(projectFile(), 'utf8');
    createProject(path.join(root, 'again'), { ...config, data_path: config.data_path }, info);
    expect(fs.readFileSync(path.join(root, 'again', 'project.json'), 'utf8')).toBe(text);
    expect(text).toMatch(/^\{\n {2}"config": \{\n[^]*\n {4}"n_layer": 4,\n[^]*"verisim_version": "0\.1\.0"\n\}\n$/);
  });

  it('takes an empty folder, and never one that holds something', () => {
    fs.mkdirSync(folder);
    createProject(folder, config, info);
    const before = contents(root);
    for (const taken of [folder, projectFile()]) {
      expect(() => createProject(taken, config, info)).toThrow(expect.objectContaining({ code: 'exists' }));
    }
    expect(contents(root)).toEqual(before);
  });

  it('makes a project or none, whatever fails', () => {
    const target = (base: string) => path.join(base, 'sub', 'p');
    withEveryFault(
      () => undefined,
      (base, ops) => void createProject(target(base), config, info, ops),
      (base, { error }) => {
        expect(error === null || error instanceof Crash || error instanceof UserError).toBe(true);
        const made = fs.existsSync(path.join(target(base), 'project.json'));
        expect(made || error !== null).toBe(true);
        const project = made ? openProject(target(base)) : createProject(target(base), config, info);
        expect(project.config).toEqual(config);
        openProjectForWriting(target(base), 'x').lock.release();
        expect(fs.readdirSync(target(base))).toEqual(['project.json']);
      },
    );
  });
});

describe('openProject', () => {
  beforeEach(() => void createProject(folder, config, info));

  it('gives settings that a project did not know yet their defaults', () => {
    edit((project) => delete project.config['cycle_patience']);
    expect(openProject(folder).config.cycle_patience).toBe(config.cycle_patience);
  });

  it('leaves the text of an earlier project as that version did', () => {
    expect(openProject(folder).config.keep).toBe('nothing');
    edit((project) => delete project.config['keep']);
    expect(openProject(folder).config.keep).toBe(keptBefore);
    expect(projectConfigSchema.shape.keep.safeParse(keptBefore).success).toBe(true);
  });

  it.each<[string, string, string, RegExp]>([
    ['no project', '', 'file_not_found', /Not a Verisim project/],
    ['half a file', '{"config', 'file_damaged', /not JSON/],
    ['another kind of file', '[]', 'bad_input', /project\.json/],
  ])('says so of %s', (_, text, code, message) => {
    if (text === '') fs.rmSync(projectFile());
    else fs.writeFileSync(projectFile(), text);
    expect(() => openProject(folder)).toThrow(message);
    expect(() => openProject(folder)).toThrow(expect.objectContaining({ code }));
    expect(() => openProjectForWriting(folder, 'x')).toThrow(message);
    expect(fs.existsSync(path.join(folder, 'lock'))).toBe(false);
  });

  it.each<
    [string, (project: { config: Record<string, unknown> } & Record<string, unknown>) => void, string | undefined]
  >([
    ['a value out of range', (project) => (project.config['dropout'] = 2), 'dropout'],
    ['a shape that cannot be', (project) => (project.config['n_embd'] = 130), 'n_embd'],
    ['a key that is spelled wrong', (project) => (project.config['n_layr'] = 3), undefined],
    ['an empty name', (project) => (project['name'] = ''), undefined],
  ])('refuses %s', (_, change, field) => {
    edit(change);
    expect(() => openProject(folder)).toThrow(expect.objectContaining({ code: 'bad_input', field }));
  });

  it.each<[string, Record<string, unknown>, object, string]>([
    ['a format that is newer', { format_version: 2, verisim_version: '9.1.0' }, {}, 'newer'],
    ['a setting of a newer version', { verisim_version: '0.10.0' }, { later_setting: 3 }, 'newer'],
    ['a value of a newer version', { verisim_version: '1.0.0' }, { reward_kind: 'later' }, 'newer'],
    ['a value of this version', {}, { reward_kind: 'later' }, 'damaged'],
    ['no version', { format_version: 'x', verisim_version: 7 }, {}, 'damaged'],
  ])('advises the version that wrote it, not to change the file: %s', (_, changes, config, kind) => {
    edit((project) => Object.assign(Object.assign(project, changes).config, config));
    const hint = kind === 'newer' ? `open it with Verisim ${String(changes['verisim_version'])}` : 'Fix this value';
    expect(() => openProject(folder)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) as unknown }),
    );
    expect(projectFacts(folder)).toMatchObject({ kind });
  });

  it('opens what a newer version wrote and this one knows', () => {
    edit((project) => (project['verisim_version'] = '9.1.0'));
    expect(projectFacts(folder)).toMatchObject({ kind: 'whole' });
  });
});

describe('openProjectForWriting', () => {
  beforeEach(() => void createProject(folder, config, info));

  it('is for one at a time', () => {
    const project = openProjectForWriting(folder, 'verisim cycle');
    expect(() => openProjectForWriting(folder, 'verisim cycle')).toThrow(expect.objectContaining({ code: 'locked' }));
    expect(openProject(folder).config).toEqual(config);
    project.lock.release();
    openProjectForWriting(folder, 'verisim cycle').lock.release();
  });

  it('clears away what a process that is gone left anywhere in the project, and nothing else', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const before = contents(folder);
    const { paths } = openProject(folder);
    const cycles = [0, 12].map((cycle) => paths.cycle(cycle).folder);
    for (const where of [paths.folder, paths.data, paths.checkpoints, paths.ratings, ...cycles]) {
      fs.mkdirSync(path.join(where, `x.tmp-${pid}-0-0-1`), { recursive: true });
      fs.writeFileSync(path.join(where, `x.tmp-${pid}-0-0-1`, 'file'), '');
    }
    fs.mkdirSync(path.join(folder, `data.old-${pid}-0-0-2`));
    openProjectForWriting(folder, 'x').lock.release();
    expect(contents(folder)).toEqual(before);
    expect(fs.readdirSync(folder).sort()).toEqual(['checkpoints', 'cycles', 'data', 'project.json', 'ratings']);
  });

  it('saves a changed configuration, but none that is out of range', () => {
    const project = openProjectForWriting(folder, 'x');
    project.saveConfig({ ...config, max_cycles: 9 });
    expect(() => project.saveConfig({ ...config, max_cycles: -1 })).toThrow(/max_cycles/);
    expect(openProject(folder)).toMatchObject({ ...info, config: { ...config, max_cycles: 9 } });
    project.lock.release();
  });

  it('gives the lock back when opening fails, at any operation', () => {
    withEveryFault(
      (base) => void createProject(path.join(base, 'p'), config, info),
      (base, ops) => openProjectForWriting(path.join(base, 'p'), 'x', ops).lock.release(),
      (base, { error }) => {
        if (!(error instanceof UserError)) return;
        openProjectForWriting(path.join(base, 'p'), 'x').lock.release();
        expect(fs.readdirSync(path.join(base, 'p'))).toEqual(['project.json']);
      },
    );
  });
});

describe('projectPaths', () => {
  const paths = projectPaths('/p');

  it('is the layout of docs/architecture.md', () => {
    expect(paths.model('base_model_v1')).toBe(path.join('/p', 'checkpoints', 'base_model_v1'));
    expect(paths.progress('base_model_v1')).toBe(path.join('/p', 'checkpoints', 'base_model_v1.progress'));
    expect(paths.cycle(0).metrics).toBe(path.join('/p', 'cycles', '00', 'metrics.jsonl'));
    expect(paths.cycle(123).rewardData).toBe(path.join('/p', 'cycles', '123', 'reward_data'));
  });

  it.each(['../x', 'a/b', 'a\\b', '..', '', 'C:', '/etc', '.hidden', 'x\n'])(
    'lets no path leave the folder by %j',
    (name) => {
      expect(() => paths.model(name)).toThrow(expect.objectContaining({ code: 'bad_input' }));
      expect(() => paths.progress(name)).toThrow(UserError);
    },
  );

  it.each([-1, 0.5, NaN])('has no cycle %d', (cycle) => expect(() => paths.cycle(cycle)).toThrow(/not a cycle/));
});

describe('renameProject', () => {
  it('changes the name and nothing else, unless the project is in use', () => {
    createProject(folder, config, info);
    renameProject(folder, 'The Whale');
    expect(openProject(folder)).toMatchObject({ name: 'The Whale', config });
    expect(fs.readdirSync(folder)).toEqual(['project.json']);
    const { lock } = openProjectForWriting(folder, 'x');
    expect(() => renameProject(folder, 'y')).toThrow(expect.objectContaining({ code: 'locked' }));
    lock.release();
    expect(() => renameProject(folder, '')).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
