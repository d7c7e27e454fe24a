/** What a project's store promises beyond its files: logs that fit their checkpoints, and honesty about exactness. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isExact } from '../../../main/storage/projects/environment-record.js';
import { openJsonLines } from '../../../main/storage/disk/json-lines.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { openFakeRun, runToEnd } from '../../crash/fake-cycle.js';
import type { Message } from '../../../shared/messages/message.js';
import { inEnglish } from '../../support/messages.js';
import { temporaryFolder } from '../../storage/faults.js';

let folder: string;
beforeEach(() => {
  folder = join(temporaryFolder(), 'project');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const rows = (cycle: number) =>
  readFileSync(projectPaths(folder).cycle(cycle).metrics, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { phase: string; step: number })
    .map(({ phase, step }) => `${phase} ${step}`);
const noticesOf = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.event === 'notice' ? [event.code, inEnglish(event.message as Message)] : []));

/** So many steps, then gone without a word, as a crash does; its lock is given up, which a crash leaves to be found. */
async function workOn(steps: number, changes: Partial<ProjectConfig> = {}): Promise<readonly JobEvent[]> {
  const run = openFakeRun(folder, changes);
  for (let step = 0; step < steps; step += 1) await run.next();
  run.close();
  return run.events;
}

describe('metrics of a run that goes on', () => {
  it('are those up to the checkpoint, even where a row of the same step came after it', async () => {
    await workOn(2);
    const log = openJsonLines(projectPaths(folder).cycle(0).metrics);
    log.append({ event: 'metrics', phase: 'base_training', cycle: 0, step: 2, values: { val_loss: 1 } });
    log.append({ event: 'metrics', phase: 'base_training', cycle: 0, step: 3, values: { loss: 1 } });
    log.close();
    await runToEnd(folder);
    expect(rows(0)).toEqual([1, 2, 3, 4].map((step) => `base_training ${step}`));
  });

  it('keep what a later phase of the cycle has logged', async () => {
    const whole = ['reward_model', 'grpo'].flatMap((phase) => [1, 2].map((step) => `${phase} ${step}`));
    // Base training, reward data, the reward model, and half of GRPO.
    await workOn(4 + 6 + 2 + 1);
    expect(rows(1)).toEqual(whole.slice(0, 3));
    await runToEnd(folder);
    expect(rows(1)).toEqual(whole);
  });

  it('reports lost rows and trains on', async () => {
    await workOn(3);
    writeFileSync(projectPaths(folder).cycle(0).metrics, '');
    const events = await workOn(1);
    expect(noticesOf(events)).toContainEqual(expect.stringMatching(/^Rows of the metrics are lost/));
    await runToEnd(folder);
  });

  it('are cut by their rows where a checkpoint does not say how long they were', async () => {
    await workOn(3);
    const [generation = ''] = readdirSync(projectPaths(folder).progress('base_model_v1'));
    const state = join(projectPaths(folder).progress('base_model_v1'), generation, 'state.json');
    const { made, ...older } = JSON.parse(readFileSync(state, 'utf8')) as Record<string, unknown>;
    expect(made).toMatchObject({ runtime: 'wasm fake', log_bytes: expect.any(Number) as number });
    const text = `${JSON.stringify(older)}\n`;
    writeFileSync(state, text);
    const { createHash } = await import('node:crypto');
    const manifest = join(state, '..', 'manifest.json');
    const sums = JSON.parse(readFileSync(manifest, 'utf8')) as { files: Record<string, unknown> };
    sums.files['state.json'] = { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
    writeFileSync(manifest, JSON.stringify(sums));
    await runToEnd(folder);
    expect(rows(0)).toEqual([1, 2, 3, 4].map((step) => `base_training ${step}`));
  });
});

it('a project whose folder goes while it trains is not begun in its place, and goes on once it is back', async () => {
  const run = openFakeRun(folder, {});
  await run.next();
  renameSync(folder, `${folder}-away`);
  await expect(run.next()).rejects.toMatchObject({ code: 'file_not_found', hint: /disk was unplugged/ });
  expect(existsSync(folder)).toBe(false);
  renameSync(`${folder}-away`, folder);
  run.close();
  await runToEnd(folder);
  expect(rows(0)).toEqual([1, 2, 3, 4].map((step) => `base_training ${step}`));
});

describe('a project that is resumed in another environment', () => {
  it('says so, continues, and is marked as not exact', async () => {
    const { environment, events: log } = projectPaths(folder);
    await workOn(3);
    expect(isExact(environment)).toBe(true);
    writeFileSync(environment, readFileSync(environment, 'utf8').replace('wasm fake', 'tensorflow 2.9.1'));
    const events = await workOn(1);
    expect(noticesOf(events)).toContain('not_exact');
    expect(noticesOf(events).join()).toContain('the runtime was tensorflow 2.9.1, is wasm fake now');
    expect(readFileSync(log, 'utf8')).toContain('"not_exact"');
    await runToEnd(folder);
    expect(isExact(environment)).toBe(false);
  });

  it('says nothing when there is nothing left to do', async () => {
    const { environment } = projectPaths(folder);
    await runToEnd(folder);
    const other = readFileSync(environment, 'utf8').replace('wasm fake', 'tensorflow 2.9.1');
    writeFileSync(environment, other);
    await runToEnd(folder);
    expect(readFileSync(environment, 'utf8')).toBe(other);
    expect(existsSync(projectPaths(folder).progress('base_model_v1'))).toBe(true);
  });
});

describe('a cycle that is over', () => {
  it('leaves nothing to go on from of anything it trained, and what is not its own alone', async () => {
    const { progress } = projectPaths(folder);
    const ours = ['judge_model_v1', 'reward_model_v1_hybrid', 'critic_model_v1_stronger_2'];
    const others = ['critic_model_v7', 'my-own'];
    await workOn(2);
    for (const name of [...ours, ...others]) mkdirSync(join(progress(name), 'step-0000003'), { recursive: true });
    await runToEnd(folder);
    const left = [...ours, ...others].filter((name) => existsSync(join(progress(name), 'step-0000003')));
    expect(left).toEqual(others);
  });
});

describe('event files for TensorBoard', () => {
  it('are written on request, a folder for each phase of each cycle', async () => {
    await workOn(4 + 6 + 1, { tensorboard: true });
    const { tensorboard } = projectPaths(folder);
    expect(readdirSync(tensorboard)).toEqual(['00-base_training', '01-reward_model']);
    const [file = ''] = readdirSync(join(tensorboard, '00-base_training'));
    expect(readFileSync(join(tensorboard, '00-base_training', file), 'latin1').split('loss')).toHaveLength(1 + 4);
  });

  it('are not written otherwise', async () => {
    await workOn(4);
    expect(existsSync(projectPaths(folder).tensorboard)).toBe(false);
  });
});
