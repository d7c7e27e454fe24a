/**
 * Projects that version 04abb03f made with settings that were removed since: they open, report what is ignored, and are used to
 * the end. `muon` was stopped in base training, `hybrid` before GRPO, and `critic` after its first cycle of two.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { openModel } from '../../../main/jobs/models.js';
import { temporaryFolder, testContext } from '../context.js';

const here = new URL('earlier-settings/', import.meta.url);
const home = temporaryFolder();

/** Unpacks a project, whose text is where this test is. */
function unpacked(name: string): string {
  execFileSync('tar', ['-xzf', new URL(`${name}.tar.gz`, here).pathname, '-C', home]);
  const file = join(home, name, 'project.json');
  const project = JSON.parse(readFileSync(file, 'utf8')) as { config: Record<string, unknown> };
  project.config['data_path'] = new URL('text.txt', here).pathname;
  writeFileSync(file, JSON.stringify(project));
  return join(home, name);
}

it.each([
  {
    name: 'muon',
    ignored: ['lr_constant 0.5', 'optimizer muon', 'muon_learning_rate 0.01'],
    cycles: 1,
  },
  { name: 'hybrid', ignored: ['reward_kind hybrid → critic', 'reward_pooling mean'], cycles: 1 },
  {
    name: 'critic',
    ignored: ['critic_average 0.5', 'critic_strengthen 2', 'reward_shape log_ratio → fraction'],
    cycles: 2,
  },
])(
  '$name opens, reports what is ignored, and ends',
  async ({ name, ignored, cycles }) => {
    const folder = unpacked(name);
    expect(openProject(folder).ignored).toEqual(expect.arrayContaining(ignored));
    const { context, events } = testContext();
    const results = await cycleJob({ folder, settings: null, given: {} }, context);
    expect(results['stopped_because']).toBe('max_cycles');
    expect(results['cycles']).toHaveLength(cycles);
    const notices = events.filter((event) => event.event === 'notice' && event.code === 'settings_ignored');
    expect(notices).toHaveLength(1);
    for (const setting of ignored)
      expect(notices).toMatchObject([
        { message: { params: { settings: expect.stringContaining(setting) as string } } },
      ]);
    // Its last model is one that this version trained.
    expect(
      openModel(join(folder, 'checkpoints', `base_model_v${cycles + 1}`), 'generator', { context }).config.mode,
    ).toBe('generator');
  },
  120_000,
);

it('a reward model of a removed kind is refused only if it is used', () => {
  const folder = unpacked('hybrid');
  expect(openProject(folder).config.reward_kind).toBe('critic');
  const { context } = testContext();
  expect(() => openModel(join(folder, 'checkpoints', 'reward_model_v1'), 'reward', { context })).toThrow(
    /reward_kind hybrid needs an earlier version/,
  );
});
