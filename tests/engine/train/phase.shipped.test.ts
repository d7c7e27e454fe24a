/** The training loop by itself: a phase of a few lines resumes to the byte, whatever interrupts it, and is refused when it diverges. */
import { describe, expect, it } from 'vitest';
import { directionsAt, type PlacedChange } from '../../../main/engine/control.js';
import { createParameters, copyParameters } from '../../../main/engine/model/model.js';
import {
  initialEarlyStopping,
  recordEvaluation,
  type EarlyStoppingState,
} from '../../../main/engine/train/early-stopping.js';
import { runPhase } from '../../../main/engine/train/phase.js';
import type { CheckpointSlot } from '../../../main/engine/types.js';
import { verbatim } from '../../../shared/messages/message.js';
import { hashOf, memorySlot, testEnvironment } from '../../support/engine.js';

type State = {
  readonly step: number;
  readonly evaluatedAt?: number;
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  readonly finished: 'max_iters' | 'patience' | 'asked' | null;
};

interface Options {
  readonly maxSteps?: number;
  readonly patience?: number;
  /** Whether it evaluates between its steps, or within them. */
  readonly between?: boolean;
  readonly due?: CheckpointSlot['due'];
  readonly changes?: readonly PlacedChange[];
  readonly nanAt?: number;
  /** At which pause between steps each attempt is stopped. */
  readonly stops?: readonly number[];
}

const place = (step: number) => ({ cycle: 0, phase: 'base_training', step }) as const;
const none = { settings: {}, iterations: 0, skip: false };

/** One number that nears 10, overshoots and comes back: its best is in the middle. */
async function run(options: Options = {}, slot = memorySlot()) {
  const { maxSteps = 12, patience = 9, between = true, due, changes = [], nanAt, stops = [] } = options;
  const rows: string[] = [];
  const saves: number[] = [];
  for (let attempt = 0; ; attempt++) {
    const env = await testEnvironment((event) => {
      if (event.event === 'metrics') rows.push(JSON.stringify([event.step, event.values]));
    });
    let breaths = 0;
    const yieldToEventLoop = async () => {
      if (++breaths === stops[attempt]) env.stop.requested = true;
    };
    const watched: CheckpointSlot = {
      latest: () => slot.latest(),
      save(checkpoint, step) {
        saves.push(step);
        return slot.save(checkpoint, step);
      },
      ...(due && { due }),
    };
    const control = { at: (step: number) => directionsAt(changes, place(step)) };
    try {
      const ended = await runPhase<State, { max_iters: number }, { loss: number; gradNorm: number }, string>(
        { slot: watched, env: { ...env, yieldToEventLoop, control } },
        (session, saved) => {
          const start = { x: { shape: [1], data: Float32Array.of(0) } };
          const parameters = createParameters(session, saved?.weights ?? start);
          const value = () => copyParameters(session, parameters)['x']?.data[0] ?? NaN;
          const lossOf = (x: number) => (x - 10) ** 2;
          return {
            name: 'base_training',
            config: { max_iters: maxSteps },
            initialState: () => ({
              ...{ step: 0, ...(between ? { evaluatedAt: 0 } : {}), bestStep: 0 },
              ...{ stopping: initialEarlyStopping, finished: null },
            }),
            arrays: () => ({ weights: copyParameters(session, parameters), optimizer: {} }),
            maxSteps: ({ max_iters }) => max_iters,
            step({ step }) {
              if (parameters['x']) session.write(parameters['x'], Float32Array.of(value() + 1.75));
              return { loss: step === nanAt ? NaN : lossOf(value()), gradNorm: 1 };
            },
            advance: (state) => ({ ...state, step: state.step + 1 }),
            evaluation: {
              interval: 3,
              async measure() {
                await yieldToEventLoop();
                if (env.stop.requested && between) throw new Error('stopped while it measured');
                return { loss: lossOf(value()), row: { val_loss: lossOf(value()) } };
              },
              stopping: {
                weights: parameters,
                record: (state, loss, last) =>
                  recordEvaluation({ patience, minDelta: 0, better: 'lower' }, state, loss, last),
              },
            },
            logInterval: () => 2,
            row: ({ loss }, measured) => ({ loss, ...measured }),
            describe: () => verbatim(''),
            explain: () => verbatim('It was made so.'),
            finish: async ({ state, best }) => `${state.finished ?? 'max_iters'} ${state.step} ${hashOf(best)}`,
          };
        },
      );
      return { ended, rows, saves, attempts: attempt + 1 };
    } catch (error) {
      if (!env.stop.requested) throw error;
    }
  }
}

describe.each([{ between: true }, { between: false }])('a phase that evaluates between its steps: $between', (kind) => {
  it('ends in the same bytes and rows wherever it is stopped, and however seldom it is saved', async () => {
    const whole = await run(kind);
    expect(whole.rows).toHaveLength(kind.between ? 10 : 6);
    for (let stop = 1; stop <= 16; stop++) {
      const broken = await run({ ...kind, stops: [stop, 2, 1], due: () => false });
      expect(broken.ended, `stopped at ${stop}`).toBe(whole.ended);
      expect(broken.rows, `stopped at ${stop}`).toEqual(whole.rows);
    }
  });

  it('keeps the best weights, and stops when patience is out', async () => {
    const whole = await run({ ...kind, patience: 2, maxSteps: 40 });
    expect(whole.ended).toMatch(/^patience 12 /);
    // Six steps of 1.75 are the nearest to 10.
    expect(whole.ended).toBe(`patience 12 ${hashOf({ x: { shape: [1], data: Float32Array.of(10.5) } })}`);
  });

  it('makes a change at its step again, ends when asked after an evaluation, and goes on for longer', async () => {
    const changes = [
      { ...none, iterations: 6, place: place(8) },
      { ...none, skip: true, place: place(16) },
    ];
    const whole = await run({ ...kind, changes });
    expect(whole.ended).toMatch(/^asked 16 /);
    expect(whole.rows.at(-1)).toContain('[16,{"val_loss"');
    const broken = await run({ ...kind, changes, stops: [9, 9, 3] });
    expect(broken.ended).toBe(whole.ended);
    expect(broken.rows).toEqual(whole.rows);
    expect(broken.attempts).toBeGreaterThan(2);
  });

  it('saves after an evaluation when that is due, and at its end whether or not', async () => {
    expect((await run(kind)).saves).toEqual([3, 6, 9, 12]);
    expect((await run({ ...kind, due: () => false })).saves).toEqual([12]);
  });

  it('that was finished does nothing more', async () => {
    const slot = memorySlot();
    const whole = await run(kind, slot);
    const again = await run(kind, slot);
    expect(again).toEqual({ ...whole, rows: [], saves: [] });
  });

  it('that diverges keeps the checkpoint before', async () => {
    const slot = memorySlot();
    await expect(run({ ...kind, nanAt: 7 }, slot)).rejects.toMatchObject({
      code: 'diverged',
      message: expect.stringContaining('at step 8. It was made so.') as string,
      hint: expect.stringContaining('The last good checkpoint is kept.') as string,
    });
    expect(slot.saved?.state['step']).toBe(6);
  });
});
