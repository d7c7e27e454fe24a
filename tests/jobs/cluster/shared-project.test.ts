// A project's files, given by one rank and taken by another.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Team } from '../../../main/engine/team.js';
import { sendProject, receiveProject } from '../../../main/jobs/cluster/shared-project.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { temporaryFolder } from '../context.js';

const home = temporaryFolder();

function projectAt(name: string) {
  const paths = projectPaths(join(home, name));
  mkdirSync(paths.data, { recursive: true });
  writeFileSync(paths.config, '{}');
  writeFileSync(join(paths.data, 'train.bin'), 'tokens');
  return paths;
}

/** What rank 0 shares, in order; `after` is called with each. */
async function given(paths: ReturnType<typeof projectAt>, after: () => void = () => undefined): Promise<Uint8Array[]> {
  const said: Uint8Array[] = [];
  const share: Team['share'] = (bytes) => {
    said.push(bytes ?? new Uint8Array());
    after();
    return Promise.resolve(said.at(-1) ?? new Uint8Array());
  };
  await sendProject({ share } as Team, paths);
  return said;
}

const taker = (said: readonly Uint8Array[]): Team => {
  const next = said.values();
  return { share: () => Promise.resolve(next.next().value ?? new Uint8Array()) } as unknown as Team;
};

describe('a project that ranks share', () => {
  it('arrives as it was given', async () => {
    const said = await given(projectAt('own'));
    await receiveProject(taker(said), join(home, 'taken'));
    expect(readFileSync(join(home, 'taken', 'data', 'train.bin'), 'utf8')).toBe('tokens');
  });

  it('is not given where a file became shorter meanwhile', async () => {
    const paths = projectAt('shorter');
    const cut = () => truncateSync(join(paths.data, 'train.bin'), 2);
    expect(await faultOfAsync(given(paths, cut))).toMatchObject({ code: 'file_damaged' });
  });

  it('says where it could not be kept', async () => {
    const said = await given(projectAt('other'));
    const folder = join(home, 'in-the-way');
    mkdirSync(folder);
    writeFileSync(join(folder, 'data'), 'a file');
    expect(await faultOfAsync(receiveProject(taker(said), folder))).toMatchObject({ code: 'file_not_writable' });
  });
});
