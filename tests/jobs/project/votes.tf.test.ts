/** A project that goes by people's votes: it waits, goes on to the bytes that it would have come to anyway, or ends. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { listJob } from '../../../main/jobs/project/folders.js';
import { projectFacts } from '../../../main/storage/projects/project-facts.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';
import { addVotes, readVotes, voteName } from '../../../main/storage/projects/rating-votes.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { verisim, writeText } from '../../cli/program.js';
import { projectRequest, quick, temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const given = {
  ...quick,
  data_path: writeText(home),
  max_iters: 12,
  eval_interval: 6,
  max_cycles: 2,
  cycle_patience: 9,
};
const request = (name: string, stop_when: string) => ({
  ...projectRequest(join(home, name), { ...given, stop_when }),
  given: {},
});
const again = (folder: string, changed: Readonly<Record<string, unknown>> = {}) => ({
  ...{ folder, settings: null, given: changed },
});
const weights = (folder: string, version: number) =>
  readFileSync(join(folder, 'checkpoints', `base_model_v${version}`, 'weights.safetensors')).toString('base64');

/** So many people prefer one of base_model_v2 and base_model_v1. */
function vote(folder: string, count: number, outcome: 'first' | 'second', from = 0): void {
  const at = new Date(0).toISOString();
  const rows = Array.from({ length: count }, (_, row) => ({
    ...{ task: 'pair' as const, pair: `pair-${from + row}`, first: 'base_model_v2', second: 'base_model_v1' },
    ...{ rater: 'you', vote: voteName('pair', `pair-${from + row}`, 'you', 0), seconds: 5, at, outcome },
    shown_first: 'first' as const,
  }));
  addVotes(projectPaths(folder).ratings, rows);
}
const factsOf = (folder: string) => {
  const facts = projectFacts(folder);
  if (facts.kind !== 'whole') throw new Error(facts.kind);
  return facts;
};
const trained = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.event === 'phase' && event.state === 'started' ? [event.phase] : []));

describe('a project that goes by people’s votes', () => {
  const plain = request('plain', 'cycles');
  const voted = request('voted', 'people');
  const killed = join(home, 'killed');

  it('waits after its first cycle, and trains nothing while it waits', async () => {
    await cycleJob(plain, testContext().context);
    const first = testContext();
    const results = await cycleJob(voted, first.context);
    expect(results).toMatchObject({ stopped_because: 'votes', cycles: [{ name: 'base_model_v2' }] });
    expect(results['awaits']).toEqual({ newest: 'base_model_v2', previous: 'base_model_v1', votes: 140 });
    expect(first.events).toContainEqual(expect.objectContaining({ event: 'notice', code: 'awaiting_votes' }));
    expect(factsOf(voted.folder)).toMatchObject({ ended: null, awaits: { newest: 'base_model_v2' } });
    const { projects } = await listJob({ folder: voted.folder }, testContext().context);
    expect(projects).toMatchObject([{ state: 'awaiting_votes' }]);

    vote(voted.folder, 3, 'first');
    const second = testContext();
    expect(await cycleJob(again(voted.folder), second.context)).toMatchObject({ stopped_because: 'votes' });
    expect(trained(second.events)).toEqual([]);
    cpSync(voted.folder, killed, { recursive: true });
    cpSync(voted.folder, join(home, 'worse'), { recursive: true });
    cpSync(voted.folder, join(home, 'without'), { recursive: true });
  });

  it('continues when they find it better, to the same bytes, wherever it was stopped', async () => {
    vote(voted.folder, 12, 'first', 3);
    expect(factsOf(voted.folder)).toMatchObject({ ended: null, awaits: null });
    const stops: ((event: JobEvent) => boolean)[] = [
      (event) => event.event === 'phase' && event.phase === 'reward_data' && event.state === 'finished',
      (event) => event.event === 'metrics' && event.phase === 'grpo' && event.step === 2,
    ];
    for (const stopsAt of stops) {
      await expect(cycleJob(again(voted.folder), testContext(stopsAt).context)).rejects.toMatchObject({
        code: 'stopped',
      });
      // A decision stays once the cycle has started.
      for (const { vote } of readVotes(projectPaths(voted.folder).ratings).votes.slice(0, 5))
        addVotes(projectPaths(voted.folder).ratings, [{ undo: vote, at: new Date(0).toISOString() }]);
      expect(factsOf(voted.folder)).toMatchObject({ ended: null, awaits: null });
    }
    expect(await cycleJob(again(voted.folder), testContext().context)).toMatchObject({ stopped_because: 'max_cycles' });
    expect(weights(voted.folder, 3)).toBe(weights(plain.folder, 3));
    expect(factsOf(voted.folder)).toMatchObject({ ended: 'max_cycles', awaits: null });
  });

  it('killed by the system just after they had it begin its next cycle, it comes to the same bytes', async () => {
    vote(killed, 12, 'first', 3);
    const events = join(killed, 'events.jsonl');
    const { code } = await verisim(['cycle', killed, '--json'], {
      onOutput: (_output, child) => {
        if (readFileSync(events, 'utf8').includes('"cycle":2')) child.kill('SIGKILL');
      },
    });
    expect(code).toBeNull();
    // What was decided stays so, though those who decided it think better of it.
    for (const { vote } of readVotes(projectPaths(killed).ratings).votes)
      addVotes(projectPaths(killed).ratings, [{ undo: vote, at: new Date(0).toISOString() }]);
    expect(factsOf(killed)).toMatchObject({ ended: null, awaits: null });
    expect(factsOf(killed).reports).toHaveLength(2);
    expect(await cycleJob(again(killed), testContext().context)).toMatchObject({ stopped_because: 'max_cycles' });
    expect(weights(killed, 3)).toBe(weights(plain.folder, 3));
  });

  it('ends when they do not, and has another cycle should they change their minds', async () => {
    const folder = join(home, 'worse');
    vote(folder, 20, 'second', 3);
    expect(factsOf(folder)).toMatchObject({ ended: 'people', awaits: null });
    expect(await cycleJob(again(folder), testContext().context)).toMatchObject({ stopped_because: 'people' });
    expect(factsOf(folder)).toMatchObject({ ended: 'people' });
    const { ratings } = projectPaths(folder);
    for (const { vote } of readVotes(ratings).votes) addVotes(ratings, [{ undo: vote, at: new Date(0).toISOString() }]);
    expect(factsOf(folder)).toMatchObject({ ended: null, awaits: { votes: 140 } });
  });

  it('goes on without them where that is said', async () => {
    const folder = join(home, 'without');
    const results = await cycleJob(again(folder, { stop_when: 'cycles' }), testContext().context);
    expect(results).toMatchObject({ stopped_because: 'max_cycles' });
    expect(weights(folder, 3)).toBe(weights(plain.folder, 3));
  });
});
