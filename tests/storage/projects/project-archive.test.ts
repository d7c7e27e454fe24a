// A project in one file: the same project after the journey, and nothing else from a file that is not one.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from '../../../main/storage/disk/lock.js';
import { archivedName, exportProject, importProject } from '../../../main/storage/projects/project-archive.js';
import { createProject } from '../../../main/storage/projects/project-folder.js';
import { tarEnd, tarHeader, tarMembers, tarPadding } from '../../../main/storage/projects/tar.js';
import { openFile } from '../../../main/storage/disk/file-bytes.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { UserError } from '../../../shared/errors.js';
import { faultOfAsync } from '../fault-of.js';
import { contents, faultyFiles, faults, temporaryFolder } from '../faults.js';

let root: string;
let project: string;
let file: string;
beforeEach(() => {
  root = temporaryFolder();
  project = path.join(root, 'Moby Dick');
  file = path.join(root, 'moby.verisim.tar');
  createProject(project, projectConfigSchema.parse({ data_path: '/b.txt' }), {
    name: 'Moby Dick',
    verisim_version: '1',
  });
  fs.mkdirSync(path.join(project, 'checkpoints', 'base_model_v1'), { recursive: true });
  fs.writeFileSync(path.join(project, 'checkpoints', 'base_model_v1', 'weights'), Buffer.alloc(3_000_000, 7));
  fs.writeFileSync(path.join(project, 'my notes – naïve.txt'), 'mine');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

/** The archive with its members changed, and its manifest as it was. */
function changed(change: (name: string, bytes: Buffer) => readonly [string, Buffer] | null): void {
  const whole = fs.readFileSync(file);
  const source = openFile(file);
  const parts = [...tarMembers(file, source)].flatMap(({ path: name, size, position }) => {
    const made = change(name, whole.subarray(position, position + size));
    if (made === null) return [];
    return [tarHeader({ path: made[0], size: made[1].length }), made[1], tarPadding(made[1].length)];
  });
  source.close();
  fs.writeFileSync(file, Buffer.concat([...parts, tarEnd]));
}

describe('a project', () => {
  it('comes back from its file as it was, and equal projects make equal files', async () => {
    const progress: number[] = [];
    const bytes = await exportProject(project, file, { onProgress: (done) => void progress.push(done) });
    expect(fs.statSync(file).size).toBe(bytes);
    expect(progress.at(-1)).toBeGreaterThan(3_000_000);
    expect(archivedName(file)).toBe('Moby Dick');
    const target = path.join(root, 'elsewhere', 'copy');
    await importProject(file, target);
    expect(contents(target)).toEqual(contents(project));
    await exportProject(target, path.join(root, 'again.tar'));
    expect(fs.readFileSync(path.join(root, 'again.tar')).equals(fs.readFileSync(file))).toBe(true);
  });

  it('leaves out locks and what is half written, and the file itself', async () => {
    fs.writeFileSync(path.join(project, 'events.jsonl.tmp-99999-0-0-1'), 'x');
    const inside = path.join(project, 'self.tar');
    await exportProject(project, inside);
    await exportProject(project, inside);
    await importProject(inside, path.join(root, 'copy'));
    expect(Object.keys(contents(path.join(root, 'copy'))).sort()).toEqual([
      'checkpoints/base_model_v1/weights',
      'my notes – naïve.txt',
      'project.json',
    ]);
  });

  it('leaves out what is no file, and says so of links that lead round in circles', async () => {
    spawnSync('mkfifo', [path.join(project, 'pipe')]);
    await exportProject(project, file);
    await importProject(file, path.join(root, 'copy'));
    expect(fs.readdirSync(path.join(root, 'copy'))).not.toContain('pipe');
    fs.symlinkSync('.', path.join(project, 'again'));
    expect(await faultOfAsync(exportProject(project, file))).toMatchObject({ code: 'bad_input' });
  });

  it('is not exported while it is in use, nor imported over something', async () => {
    const lock = acquireLock(project, 'training');
    expect((await faultOfAsync(exportProject(project, file))).code).toBe('locked');
    lock.release();
    await exportProject(project, file);
    expect((await faultOfAsync(importProject(file, project))).code).toBe('exists');
  });

  it('does not take the place of another that was imported meanwhile', async () => {
    await exportProject(project, file);
    const options = { onProgress: () => new Promise<void>((resolve) => setImmediate(resolve)) };
    const copy = path.join(root, 'copy');
    const both = await Promise.allSettled([importProject(file, copy, options), importProject(file, copy, options)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(both[1]).toMatchObject({ reason: { code: 'exists' } });
    expect(contents(copy)).toEqual(contents(project));
    expect(fs.readdirSync(root).sort()).toEqual(['Moby Dick', 'copy', 'moby.verisim.tar']);
  });

  it('takes the place of an exported project only', async () => {
    await exportProject(project, file);
    await exportProject(project, file);
    const weights = path.join(root, 'weights.safetensors');
    fs.writeFileSync(weights, 'another’s work');
    const before = contents(root);
    for (const place of [weights, path.join(project, 'project.json'), project]) {
      expect(await faultOfAsync(exportProject(project, place))).toMatchObject({ code: 'exists', field: 'file' });
    }
    expect(contents(root)).toEqual(before);
  });

  it('that is not whole or not to be trusted is refused, and leaves nothing', async () => {
    const changes: Record<string, Parameters<typeof changed>[0]> = {
      'a byte differs': (name, bytes) => {
        const other = Buffer.from(bytes);
        if (name.endsWith('weights')) other[5] = 8;
        return [name, other];
      },
      'a file is missing': (name, bytes) => (name.endsWith('weights') ? null : [name, bytes]),
      'a file is too many': (name, bytes) => [name.replace('my notes', 'others'), bytes],
      'a way out': (name, bytes) => [name.replace('my notes', '../../out'), bytes],
      'an absolute path': (name, bytes) => [name.endsWith('weights') ? '/etc/passwd' : name, bytes],
      'another system’s way out': (name, bytes) => [name.replace('my notes', '..\\out'), bytes],
      'no manifest': (name, bytes) => (name.endsWith('archive-manifest.json') ? null : [name, bytes]),
      'a manifest that is none': (name, bytes) => [
        name,
        name.endsWith('archive-manifest.json') ? Buffer.from('{') : bytes,
      ],
      'a newer manifest': (name, bytes) => [
        name,
        name.endsWith('archive-manifest.json')
          ? Buffer.from(bytes.toString().replace('"format_version": 1', '"format_version": 2'))
          : bytes,
      ],
    };
    for (const [what, change] of Object.entries(changes)) {
      fs.rmSync(file, { force: true });
      await exportProject(project, file);
      changed(change);
      const fault = await faultOfAsync(importProject(file, path.join(root, 'copy')));
      expect([what, fault.code]).toEqual([what, 'file_damaged']);
      expect(fs.readdirSync(root).sort()).toEqual(['Moby Dick', 'moby.verisim.tar']);
    }
  });

  it('is refused when it is whole but no project', async () => {
    const text = Buffer.from('{"name": "x"}');
    const sha256 = createHash('sha256').update(text).digest('hex');
    const manifest = { format_version: 1, name: 'x', files: { 'project.json': { bytes: text.length, sha256 } } };
    const member = (name: string, bytes: Buffer) => [
      tarHeader({ path: `verisim-project/${name}`, size: bytes.length }),
      bytes,
      tarPadding(bytes.length),
    ];
    const parts = [
      ...member('project.json', text),
      ...member('archive-manifest.json', Buffer.from(JSON.stringify(manifest))),
      tarEnd,
    ];
    fs.writeFileSync(file, Buffer.concat(parts));
    const fault = await faultOfAsync(importProject(file, path.join(root, 'copy')));
    expect(fault.code).toBe('file_damaged');
    expect(fault.message).toContain('there is no project in it (…/project.json: format_version');
    expect(fs.readdirSync(root).sort()).toEqual(['Moby Dick', 'moby.verisim.tar']);
  });

  it('is there whole or not at all, whatever fails on the way in or out', async () => {
    fs.writeFileSync(path.join(project, 'checkpoints', 'base_model_v1', 'weights'), 'small');
    const whole = contents(project);
    await exportProject(project, path.join(root, 'good.tar'));
    const good = fs.readFileSync(path.join(root, 'good.tar'));
    const target = path.join(root, 'copy');
    for (let at = 0, more = true; more; at += 1) {
      for (const fault of faults) {
        const ops = faultyFiles(at, fault);
        for (const act of [
          () => importProject(path.join(root, 'good.tar'), target, { ops }),
          () => exportProject(project, file, { ops }),
        ]) {
          const error: unknown = await act().then(
            () => null,
            (thrown: unknown) => thrown,
          );
          if (error !== null && !(error instanceof UserError)) expect((error as Error).constructor.name).toBe('Crash');
        }
        ops.closeAll();
        if (fs.existsSync(target)) expect(contents(target)).toEqual(whole);
        if (fs.existsSync(file)) expect(fs.readFileSync(file).equals(good)).toBe(true);
        fs.rmSync(target, { recursive: true, force: true });
        fs.rmSync(file, { force: true });
        fs.rmSync(path.join(project, 'lock'), { recursive: true, force: true });
        more = ops.calls > at;
      }
    }
  });
});
