/** The supervisor with real trainer processes: what is started, paused, killed, hung or left alone ends in the same bytes. */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { wordsOf } from '../../shared/base/words-of.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cycleJob } from '../../main/jobs/project/cycle.js';
import { projectFacts } from '../../main/storage/projects/project-facts.js';
import { processorSeconds } from '../../main/supervisor/watchdog.js';
import { processStart } from '../../main/installation/process-identity.mjs';
import { testContext } from '../jobs/context.js';
import { longWords } from '../support/long-words.js';
import {
  codes,
  newProject,
  outcome,
  program,
  projectsHome,
  stepped,
  watched,
  type Watched,
  withoutTensorflow,
} from './project.js';

projectsHome();
withoutTensorflow();

let reference: Record<string, string> = {};
const open: Watched[] = [];
const watch = (...args: Parameters<typeof watched>) => {
  const watching = watched(...args);
  open.push(watching);
  return watching;
};

beforeAll(async () => {
  const whole = await newProject('whole');
  await cycleJob({ folder: whole, settings: null, given: {} }, testContext(undefined, 'wasm').context);
  reference = outcome(whole);
});

afterAll(async () => {
  await Promise.all(open.map(({ supervisor }) => supervisor.close()));
});

const logged = (folder: string) => readFileSync(join(folder, 'events.jsonl'), 'utf8');

describe('a supervised project', () => {
  it('runs to the same end as in one process, and starts once however often it is asked', async () => {
    const folder = await newProject('twice');
    const { supervisor, pids, ended, events } = watch();
    const end = ended(folder);
    await Promise.all([supervisor.start(folder), supervisor.start(folder)]);
    await supervisor.start(folder);
    expect(supervisor.queue().entries).toEqual([{ folder, state: 'running' }]);
    expect(await end).toMatchObject({ outcome: 'finished', fault: null });
    expect(pids).toHaveLength(1);
    expect(outcome(folder)).toEqual(reference);
    expect(supervisor.status(folder).state).toBe('idle');
    expect(supervisor.queue().entries).toEqual([]);
    expect(codes(events).filter((code) => code === 'runtime_fallback')).toHaveLength(1);
  });

  it('killed in every phase, goes on by itself to the same bytes and says so', async () => {
    const folder = await newProject('killed');
    const { supervisor, pids, events, ended, untilTold } = watch();
    const end = ended(folder);
    await supervisor.start(folder);
    for (const reached of [
      stepped('base_training', 12),
      (event: { event: string; phase?: string }) => event.event === 'progress' && event.phase === 'reward_data',
      stepped('reward_model', 5),
      stepped('grpo', 2),
    ]) {
      await untilTold(reached as ReturnType<typeof stepped>);
      process.kill(pids.at(-1) ?? 0, 'SIGKILL');
    }
    expect(await end).toMatchObject({ outcome: 'finished' });
    expect(pids).toHaveLength(5);
    expect(codes(events).filter((code) => code === 'trainer_restarted')).toHaveLength(4);
    expect(logged(folder)).toContain('{"code":"supervisor.ended","params":{"how":"SIGKILL"}}');
    expect(outcome(folder)).toEqual(reference);
  });

  it('whose trainer hangs is noticed, ended and goes on to the same bytes', async () => {
    const folder = await newProject('hung');
    const { supervisor, pids, ended, untilTold } = watch({ limits: { silence: 3000, longest: 600_000 } });
    const end = ended(folder);
    await supervisor.start(folder);
    await untilTold(stepped('base_training', 13));
    process.kill(pids[0] ?? 0, 'SIGSTOP');
    expect(await end).toMatchObject({ outcome: 'finished' });
    expect(pids).toHaveLength(2);
    expect(logged(folder)).toContain('"code":"supervisor.hung"');
    expect(outcome(folder)).toEqual(reference);
  });

  it('paused, takes at most the step at hand and uses no processor; resumed, goes on in the same process to the same bytes', async () => {
    const folder = await newProject('paused');
    const { supervisor, pids, events, ended, untilTold, until } = watch();
    const steps = () => events.filter((told) => told.type === 'event' && told.event.event === 'rows').length;
    const end = ended(folder);
    await supervisor.start(folder);
    await untilTold(stepped('base_training', 5));
    await supervisor.pause(folder);
    const answered = steps();
    await until((event): event is typeof event => event.type === 'status' && event.status.state === 'paused');
    expect(supervisor.queue().entries).toEqual([{ folder, state: 'paused' }]);
    const used = () => processorSeconds(pids[0] ?? 0) ?? NaN;
    // Not of the first seconds, perhaps, where others use the machine: the step at hand ends before, and what it left is collected.
    const usedInAWhile = async () => {
      const before = used();
      await wait(1500);
      return used() - before;
    };
    await expect.poll(usedInAWhile).toBeLessThan(0.15);
    expect(steps() - answered).toBeLessThanOrEqual(1);
    await supervisor.resume(folder);
    expect(await end).toMatchObject({ outcome: 'finished' });
    expect(pids).toHaveLength(1);
    expect(outcome(folder)).toEqual(reference);
    expect(logged(folder)).toMatch(/"code":"paused".*"code":"resumed"/s);
  });

  it('stopped after a step, after a phase, and started again, ends in the same bytes', async () => {
    const folder = await newProject('stopped');
    const { supervisor, ended, untilTold } = watch();
    for (const [after, phase] of [
      ['step', 'base_training'],
      ['phase', 'base_training'],
      ['step', 'grpo'],
    ] as const) {
      const end = ended(folder);
      const told = untilTold(stepped(phase, 2));
      await supervisor.start(folder);
      await told;
      await supervisor.stop(folder, after);
      expect(await end, `${after} of ${phase}`).toMatchObject({ outcome: 'stopped', fault: null });
      expect(existsSync(join(folder, 'lock'))).toBe(false);
      expect(logged(folder)).toContain(`trainer.note.${after === 'step' ? 'stopped' : 'stops_after_phase'}`);
      expect(existsSync(join(folder, 'cycles/00/report.json')), `${after} of ${phase}`).toBe(
        !(after === 'step' && phase === 'base_training'),
      );
    }
    const end = ended(folder);
    await supervisor.start(folder);
    expect(await end).toMatchObject({ outcome: 'finished' });
    expect(outcome(folder)).toEqual(reference);
  });

  it('changed while it runs and killed after, ends as one that ran through with the same changes', async () => {
    // Phases that cannot end before the test, on a busy machine, has steered them.
    const long = { max_iters: 60, reward_max_iters: 5000, grpo_max_steps: 1000 };
    const folder = await newProject('changed', long);
    const { supervisor, pids, ended, untilTold } = watch();
    const end = ended(folder);
    await supervisor.start(folder);
    await untilTold(stepped('base_training', 8));
    // Waits begin before what leads to them: a small project may be further when the supervisor has answered.
    const trained = untilTold(stepped('base_training', 15));
    await supervisor.change(folder, { learning_rate: 0.002, grpo_learning_rate: 0.01, beta: 0.5 });
    await supervisor.extend(folder, { iterations: 12, cycles: 0 });
    await trained;
    const judged = untilTold(stepped('reward_model', 5));
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await judged;
    const improved = untilTold(stepped('grpo', 2));
    await supervisor.skip(folder);
    await improved;
    await supervisor.skip(folder);
    expect(await end).toMatchObject({ outcome: 'finished' });
    const changed = outcome(folder);
    expect(logged(folder)).toMatch(/"changes\.made".*"learning_rate","value":0\.002/);
    expect(projectFacts(folder)).toMatchObject({ reports: [{ base: { iterations: 72 } }, { cycle: 1 }] });

    const again = await newProject('changed-again', long);
    copyFileSync(join(folder, 'changes.jsonl'), join(again, 'changes.jsonl'));
    await cycleJob({ folder: again, settings: null, given: {} }, testContext(undefined, 'wasm').context);
    expect(outcome(again)).toEqual(changed);
  });

  it('takes more cycles while it runs, and when it is finished', async () => {
    const folder = await newProject('longer', { max_iters: 10, grpo_max_steps: 1 });
    const { supervisor, ended, untilTold } = watch();
    const end = ended(folder);
    await supervisor.start(folder);
    await untilTold(stepped('base_training', 5));
    await supervisor.extend(folder, { iterations: 0, cycles: 1 });
    await end;
    expect(readdirSync(join(folder, 'cycles'))).toEqual(['00', '01', '02']);
    await supervisor.extend(folder, { iterations: 0, cycles: 1 });
    const second = ended(folder);
    await supervisor.start(folder);
    expect(await second).toMatchObject({ outcome: 'finished' });
    expect(readdirSync(join(folder, 'cycles'))).toEqual(['00', '01', '02', '03']);
  });

  it('takes more steps when it is finished without a cycle, in the window and in a terminal, and none after one', async () => {
    const folder = await newProject('read-on', { max_iters: 20, max_cycles: 0 });
    const { supervisor, ended } = watch();
    const trained = async () => {
      const end = ended(folder);
      await supervisor.start(folder);
      expect(await end).toMatchObject({ outcome: 'finished' });
      return projectFacts(folder);
    };
    const steps = { reports: [{ base: { iterations: 20 } }], ended: 'max_cycles' };
    expect(await trained()).toMatchObject(steps);
    await supervisor.extend(folder, { iterations: 15, cycles: 0 });
    expect(projectFacts(folder)).toMatchObject({ reports: [], ended: null });
    expect(await trained()).toMatchObject({ ...steps, reports: [{ base: { iterations: 35 } }] });

    const before = await newProject('not-started', { max_iters: 6, max_cycles: 0 });
    await supervisor.extend(before, { iterations: 4, cycles: 0 });
    const { context: alone } = testContext(undefined, 'wasm');
    const whole = await cycleJob({ folder: before, settings: null, given: {} }, alone);
    expect(whole).toMatchObject({ base: { iterations: 10 } });

    const again = { folder, settings: null, given: { max_iters: 42 } };
    for (let times = 0; times < 2; times++) {
      const { context } = testContext(undefined, 'wasm');
      expect(await cycleJob(again, context)).toMatchObject({ base: { iterations: 42 }, cycles: [] });
    }
    await cycleJob({ ...again, given: { max_cycles: 1 } }, testContext(undefined, 'wasm').context);
    await expect(supervisor.extend(folder, { iterations: 5, cycles: 0 })).rejects.toMatchObject({ code: 'bad_input' });
    const more = cycleJob({ ...again, given: { max_iters: 60 } }, testContext(undefined, 'wasm').context);
    await expect(more).rejects.toMatchObject({ field: 'max_iters' });
    expect(projectFacts(folder)).toMatchObject({ reports: [{ base: { iterations: 42 } }, { cycle: 1 }] });
  });

  it('says in its log that the computer slept, and goes on', async () => {
    const folder = await newProject('slept');
    const { supervisor, events, ended, untilTold } = watch();
    const end = ended(folder);
    await supervisor.start(folder);
    await untilTold(stepped('base_training', 5));
    const awake = Date.now;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => awake() + 2 * 3_600_000);
    try {
      await untilTold((event) => event.event === 'notice' && event.code === 'slept');
      expect(await end).toMatchObject({ outcome: 'finished' });
    } finally {
      clock.mockRestore();
    }
    expect(codes(events).filter((code) => code === 'slept')).toHaveLength(1);
    expect(logged(folder)).toContain('{"code":"supervisor.gap.slept","params":{"minutes":120}}');
    expect(outcome(folder)).toEqual(reference);
  });

  it('that dies again and again without getting further fails with a fault', async () => {
    const folder = await newProject('doomed');
    const watching = watch({ deaths: 2 });
    const { supervisor, pids, ended, until } = watching;
    const end = ended(folder);
    await supervisor.start(folder);
    for (let death = 0; death < 3; death++) {
      const seen = watching.events.length;
      await until((event): event is typeof event => watching.pids.length > death && event.type === 'status');
      process.kill(pids[death] ?? 0, 'SIGKILL');
      while (watching.pids.length === death + 1 && death < 2) await wait(20);
      expect(watching.events.length).toBeGreaterThanOrEqual(seen);
    }
    expect(await end).toMatchObject({ outcome: 'failed', fault: { code: 'internal' } });
    expect(supervisor.status(folder)).toMatchObject({ state: 'failed', fault: { code: 'internal' } });
  });
});

describe('a trainer whose supervisor is gone', () => {
  it('stops with a checkpoint, and nothing is lost', async () => {
    const folder = await newProject('orphan');
    const script = `
      const { fork } = require('node:child_process');
      const trainer = fork(${JSON.stringify(program)});
      trainer.on('message', (told) => {
        if (told.message === 'hello') {
          process.stdout.write('pid ' + trainer.pid + '\\n');
          trainer.send({ message: 'run', request: 1, folder: ${JSON.stringify(folder)}, given: {}, earlier: [] });
        } else if (told.message === 'event' && told.event.event === 'rows' && told.event.step >= 14) process.kill(process.pid, 'SIGKILL');
      });`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    parent.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await new Promise((done) => parent.once('exit', done));
    const pid = Number(/pid (\d+)/.exec(said)?.[1]);
    expect(pid).toBeGreaterThan(0);
    while (processStart(pid) !== null) await wait(50);
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    const generations = readdirSync(join(folder, 'checkpoints/base_model_v1.progress')).sort();
    expect(Number(generations.at(-1)?.replace('step-', ''))).toBeGreaterThanOrEqual(14);
    await cycleJob({ folder, settings: null, given: {} }, testContext(undefined, 'wasm').context);
    expect(outcome(folder)).toEqual(reference);
  });
});

describe('calls', () => {
  it('describe the machine, write with a model and judge a text, in a process of their own', async () => {
    const folder = await newProject('played', { max_iters: 2, grpo_max_steps: 1 });
    const { supervisor, ended, pids } = watch();
    const end = ended(folder);
    await supervisor.start(folder);
    await end;
    expect(await supervisor.call('describe', {})).toMatchObject({ runtime: 'wasm', tensorflow: null });
    const asked = { folder, model: 'base_model_v2', before: longWords(2), text: longWords(4) };
    const { tokens } = await supervisor.call('inspect', asked);
    expect(tokens.map(({ text }) => text).join('')).toBe(asked.text);
    for (const { text, log_prob, natural, alternatives } of tokens) {
      expect(alternatives).toHaveLength(5);
      expect(natural).toBeGreaterThan(0);
      const same = alternatives.find((alternative) => alternative.text === text);
      if (same) expect(same.probability).toBeCloseTo(Math.exp(log_prob ?? NaN), 5);
    }
    // Continuations to choose from: as many as wanted, of so many words, and the same for the same seed.
    const request = { before: longWords(3), count: 2, words: 3, temperature: 1, top_p: 0.9, seed: 1 };
    const continued = { folder, model: 'base_model_v2', ...request };
    const offered = await supervisor.call('continueText', continued);
    expect(offered.texts.map((text) => wordsOf(text.trim()).length <= 3)).toEqual([true, true]);
    expect(new Set(offered.texts).size).toBe(2);
    expect(await supervisor.call('continueText', continued)).toEqual(offered);
    expect(await supervisor.call('continueText', { ...continued, seed: 2 })).not.toEqual(offered);
    // Passages of the blind test are written here as well.
    const steps: number[] = [];
    await supervisor.call(
      'ratingPassages',
      { folder, task: 'pair', against: 'previous', passages: 2 },
      { onProgress: ({ done, total }) => steps.push(done / total) },
    );
    // Passages of two writers, in parts whose number is not fixed.
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect([steps[0], steps.at(-1)]).toEqual([0, 1]);
    const refused = supervisor.call('inspect', { ...asked, model: '../../x' });
    await expect(refused).rejects.toMatchObject({ code: 'bad_input' });
    expect(pids).toHaveLength(2);
  });
});
