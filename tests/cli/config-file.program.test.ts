// `--config FILE`: settings from a JSON file, checked as flags are, and flags win (specification 4.3).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig, readConfigFile } from '../../main/cli/config-file.js';
import { train } from '../../main/cli/commands/training.js';
import { t } from '../../main/cli/language.js';
import { verisim, writeText } from './program.js';

const parse = (value: unknown) =>
  parseConfig(typeof value === 'string' ? value : JSON.stringify(value), 'my.json', train);

describe('a file of settings', () => {
  it('takes the names of flags in all their spellings', () => {
    expect(parse({ n_layer: 4, 'n-head': 2, output_dir: 'out', tensorboard: false, train_minutes: null })).toEqual({
      values: { n_layer: 4, n_head: 2, out_dir: 'out', tensorboard: false, train_minutes: null },
      problems: [],
    });
  });

  it('takes null as "leave out" where there is no default, and leaves it to be refused elsewhere', () => {
    expect(parse({ meta_path: null, n_layer: null })).toEqual({ values: { n_layer: null }, problems: [] });
  });

  it.each([
    ['[1]', 'my.json must hold one JSON object'],
    ['{"n_layer": 4,}', 'my.json is not JSON'],
    ['{"n_layer": 4, "n_layer": 5}', 'my.json sets n_layer twice'],
  ])('refuses %s', (text, message) => {
    const { values, problems } = parse(text);
    expect(values).toBeNull();
    expect(problems.map((problem) => t(problem.message)).join()).toContain(message);
  });

  it('refuses Python and a missing file', () => {
    const [python] = parseConfig('n_layer = 4', 'config/train.py', train).problems;
    expect(python && t(python.hint)).toContain('Python files are not run');
    const [missing] = readConfigFile('nowhere.json', train).problems;
    expect(missing && t(missing.message)).toBe('Config file not found: nowhere.json');
  });

  it('reports each unknown or repeated name once, and takes the others', () => {
    const given = { n_layers: 4, json: true, __proto__x: 1, 'n-embd': 8, n_embd: 9, block_size: 16 };
    const { values, problems } = parse(given);
    expect(values).toEqual({ n_embd: 8, block_size: 16 });
    expect(problems.map(({ field, message, hint }) => [field, t(message), t(hint).split('? ')[0]])).toEqual([
      ['config', 'my.json sets n_layers, which train does not have', 'Did you mean n_layer'],
      ['config', 'my.json sets json, which train does not have', expect.anything()],
      ['config', 'my.json sets __proto__x, which train does not have', expect.anything()],
      ['n_embd', 'my.json sets n_embd twice', expect.anything()],
    ]);
    expect(parse('{"__proto__": 1}').values).toEqual({});
  });
});

describe('the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-config-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, value: unknown): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
  const network = { preset: 'none', tokenization: 'char', n_layer: 1, n_head: 1, n_embd: 16, block_size: 16 };

  it('train --config FILE trains with its settings, and a flag wins over it', async () => {
    const data = { data_path: writeText(folder), out_dir: join(folder, 'out'), max_iters: 500, eval_interval: 2 };
    const file = write('train.json', {
      ...network,
      ...data,
      batch_size: 4,
      warmup_iters: 1,
      threads: 1,
      device: 'cpu',
    });
    const { code, stderr } = await verisim(['train.py', '--config', file, '--max_iters', '2']);
    expect(code, stderr).toBe(0);
    const run = readFileSync(join(folder, 'out/run.json'), 'utf8');
    expect(JSON.parse(run)).toMatchObject({ settings: { n_embd: 16, max_iters: 2 } });
  });

  it('checks the file’s settings as flags, and corrects them', async () => {
    const file = write('bad.json', { data_path: writeText(folder), n_embd: 130, n_head: 4, dropout: 2 });
    const { code, stderr } = await verisim(['train', '--config', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('ERROR: dropout must be a number from 0 to 0.99; got "2"');
    expect(stderr).toContain('ERROR: n_embd (130) must be divisible by twice n_head (4)');
    expect(stderr).toContain(`train --config ${file} --dropout 0.99 --n_embd 128`);
  });
});
