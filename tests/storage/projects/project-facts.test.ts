/** What a project's files say of it, whatever state they are in; nothing is changed by asking. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../../shared/config/index.js';
import {
  modelNamesIn,
  projectFacts,
  readReports,
  readUnfinished,
  type WholeFacts,
} from '../../../main/storage/projects/project-facts.js';
import { noteOutcome } from '../../../main/storage/projects/outcome.js';
import { createProject, openProject } from '../../../main/storage/projects/project-folder.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';
import { Crash, contents, temporaryFolder, withEveryFault } from '../faults.js';

let root: string;
let folder: string;
beforeEach(() => {
  root = temporaryFolder();
  folder = path.join(root, 'book');
});
afterEach(() => fs.rmSync(root, { recursive: true }));

const settings = { n_layer: 1, n_head: 1, n_embd: 8, max_cycles: 3, cycle_patience: 1 };
const create = (at = folder) =>
  createProject(at, projectConfigSchema.parse(settings), { name: 'Book', verisim_version: '0.1.0' });

function report(cycle: number, perplexity: number | null, at = folder): void {
  const { folder: inside, report: file } = projectPaths(at).cycle(cycle);
  fs.mkdirSync(inside, { recursive: true });
  const name = `base_model_v${cycle + 1}`;
  fs.writeFileSync(file, JSON.stringify({ cycle, name, val_loss: 1, perplexity, samples: [], more: { kept: true } }));
}

function whole(): WholeFacts {
  const facts = projectFacts(folder);
  if (facts.kind !== 'whole') throw new Error(`it is ${facts.kind}`);
  return facts;
}

describe('a project’s facts', () => {
  it('are those of a new one, then of one that has begun', () => {
    create();
    expect(whole()).toMatchObject({ reports: [], hasStarted: false, ended: null, exact: true });
    fs.mkdirSync(path.join(projectPaths(folder).checkpoints, 'base_model_v1.progress'), { recursive: true });
    expect(whole()).toMatchObject({ reports: [], hasStarted: true, ended: null });
  });

  it('say which models there are, in order of their making', () => {
    const project = create();
    expect(modelNamesIn(project)).toEqual([]);
    for (const name of ['base_model_v10', 'base_model_v9', 'reward_model_v1', 'base_model_v11.progress']) {
      fs.mkdirSync(path.join(project.paths.checkpoints, name), { recursive: true });
    }
    expect(modelNamesIn(openProject(folder))).toEqual(['base_model_v9', 'base_model_v10']);
  });

  it('have what the cycle that runs has come to, once its reward model is there', () => {
    create();
    const state = (cycle: number, text: string) => {
      const at = projectPaths(folder).model(`reward_model_v${cycle}`);
      fs.mkdirSync(at, { recursive: true });
      fs.writeFileSync(path.join(at, 'state.json'), text);
    };
    state(1, '{"config":{},"provenance":{"r2":0.25}}');
    expect(readUnfinished(folder)).toBeNull();
    report(0, 5);
    expect(readUnfinished(folder)).toMatchObject({ cycle: 1, reward_model: { r2: 0.25 } });
    report(1, 4);
    expect(readUnfinished(folder)).toBeNull();
    for (const damaged of ['{"provenance":', '{"provenance":[]}', '7']) {
      state(2, damaged);
      expect(readUnfinished(folder)).toBeNull();
    }
  });

  it('have the reports up to the first that is missing or cannot be read', () => {
    create();
    for (const cycle of [0, 1, 3]) report(cycle, 9 - cycle);
    expect(whole().reports.map(({ cycle }) => cycle)).toEqual([0, 1]);
    report(2, 5);
    expect(whole().reports).toHaveLength(4);
    for (const text of ['{', '{"cycle":1}', '']) {
      fs.writeFileSync(projectPaths(folder).cycle(1).report, text);
      expect(readReports(folder)).toHaveLength(1);
    }
  });

  it('say why it ended: every cycle is done, or they no longer helped', () => {
    create();
    [9, 8, 7].forEach((perplexity, cycle) => report(cycle, perplexity));
    expect(whole().ended).toBeNull();
    report(3, 6);
    expect(whole().ended).toBe('max_cycles');
    fs.rmSync(projectPaths(folder).cycle(3).report);
    for (const worse of [8.05, null]) {
      report(2, worse);
      expect(whole().ended).toBe('perplexity');
    }
  });

  describe('of one whose generator has caught up with its critic', () => {
    const setUp = (kind: 'critic' | 'head', low: number) => {
      const config = projectConfigSchema.parse({ ...settings, reward_kind: kind });
      const { paths } = createProject(folder, config, { name: 'Book', verisim_version: '0.1.0' });
      [9, 8].forEach((perplexity, cycle) => report(cycle, perplexity));
      const model = paths.model('reward_model_v2');
      fs.mkdirSync(model, { recursive: true });
      const state = { config: {}, provenance: { r2: 0.01, r2_interval: { low, high: 0.3 } } };
      fs.writeFileSync(path.join(model, 'state.json'), JSON.stringify(state));
      return { config, paths };
    };

    it('say that it ended, also without the stored reason, as earlier versions left it', () => {
      setUp('critic', -0.01);
      expect(whole().ended).toBe('critic');
    });

    it.each([
      ['critic', 0.01],
      ['head', -0.01],
    ] as const)('do not where there is something to do: %s, R² from %d', (kind, low) => {
      setUp(kind, low);
      expect(whole().ended).toBeNull();
    });

    it('go by the stored reason while nothing that decides about it has changed', () => {
      const { config, paths } = setUp('critic', 0.01);
      noteOutcome(paths.outcome, 'critic', 1, config);
      expect(whole().ended).toBe('critic');
      noteOutcome(paths.outcome, 'max_cycles', 1, { ...config, max_cycles: 1 });
      expect(whole().ended).toBeNull();
      noteOutcome(paths.outcome, 'critic', 0, config);
      expect(whole().ended).toBeNull();
    });
  });

  it('tell when something in it was last written', () => {
    create();
    const files = projectPaths(folder);
    report(0, 9);
    for (const [file, year] of [
      [files.config, 2001],
      [files.cycle(0).report, 2003],
    ] as const) {
      fs.utimesSync(file, new Date(`${year}-01-01`), new Date(`${year}-01-01`));
    }
    expect(whole().changed).toBe('2003-01-01T00:00:00.000Z');
    fs.writeFileSync(files.events, '');
    fs.utimesSync(files.events, new Date('2005-01-01'), new Date('2005-01-01'));
    expect(whole().changed).toBe('2005-01-01T00:00:00.000Z');
  });

  it('are a fault in words, whatever is damaged or fails, and change nothing', () => {
    create();
    fs.writeFileSync(projectPaths(folder).checkpoints, 'a file where a folder should be');
    expect(projectFacts(folder)).toMatchObject({
      kind: 'damaged',
      fault: { hint: { code: 'fileFaults.check_path_correct' } },
    });
    fs.writeFileSync(projectPaths(folder).config, '{');
    expect(projectFacts(folder)).toMatchObject({ kind: 'damaged', fault: { code: 'file_damaged' } });

    const before = temporaryFolder();
    create(path.join(before, 'book'));
    report(0, 9, path.join(before, 'book'));
    const wanted = contents(before);
    fs.rmSync(before, { recursive: true });
    withEveryFault(
      (at) => {
        create(path.join(at, 'book'));
        report(0, 9, path.join(at, 'book'));
      },
      (at, ops) => {
        const { kind } = projectFacts(path.join(at, 'book'), ops);
        expect(['whole', 'damaged']).toContain(kind);
      },
      (at, { error }) => {
        expect(error === null || error instanceof Crash).toBe(true);
        expect(contents(at)).toEqual(wanted);
      },
    );
  });
});
