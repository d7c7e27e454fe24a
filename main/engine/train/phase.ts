/**
 * The training loop, written once: a phase declares what a step is and what is measured, and `runPhase` does the rest. It
 * resumes from the latest checkpoint, applies what is changed while it runs, ends where it is told to, keeps the best
 * weights and stops early, refuses a loss that is not finite, logs, and saves, so that a phase that was interrupted at
 * any step ends in the bytes of one that was not.
 */
import { localized } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { UserError } from '../../../shared/errors.js';
import { applyLiveSettings } from '../control.js';
import { readParameters, type Parameters } from '../model/model.js';
import { selectPrefix, withPrefix } from '../model/named-arrays.js';
import { BEST } from './kept-weights.js';
import type { Session } from '../runtime/types.js';
import type { Checkpoint, CheckpointSlot, Environment, NamedArrays } from '../types.js';
import { diverged, type TrainedPhase } from './divergence.js';
import { createProgress, type Progress } from './progress.js';
import { createThroughput, type StepWork, type Throughput } from './throughput.js';

/** JSON, for the checkpoint. */
type PhaseState = Checkpoint['state'] & {
  /** Steps taken. */
  readonly step: number;
  /**
   * The step of the last evaluation. A phase that has it evaluates between two steps, and an evaluation that was
   * interrupted is made again; one that has not evaluates within the step, in whose row of the metrics it stands.
   */
  readonly evaluatedAt?: number;
  /** Why the phase is over; null while it is not. */
  readonly finished: string | null;
};

/** One row of the metrics. */
export type Row = Extract<JobEvent, { event: 'metrics' }>['values'];

/** What every step gives. */
export interface Taken {
  readonly loss: number;
  readonly gradNorm: number;
}

/** What is measured every `interval` steps and after the last. A checkpoint follows, where one is due. */
export interface Evaluation<S> {
  readonly interval: number;
  measure(state: S, last: boolean): Promise<{ readonly loss: number; readonly row: Row }>;
  /** Keeps the best weights by that loss, and stops early; left out: the phase has rules of its own. */
  readonly stopping?: {
    readonly weights: Parameters;
    /** @param last no step comes after this one */
    record(state: S, loss: number, last: boolean): { readonly state: S; readonly isBest: boolean };
    /** What is said at its end; null where there is nothing to say. */
    readonly notice?: (state: S) => string | null;
  };
}

/** How a phase ended. */
export interface Ended<S> {
  readonly state: S;
  /** The weights of the best evaluation; none without early stopping. */
  readonly best: NamedArrays;
  /** Of this process. */
  readonly steps: number;
  readonly seconds: number;
}

/**
 * A training phase. S: its state, C: its configuration, of which some settings may change from step to step, T: what a
 * step gives, R: what the phase comes to.
 */
export interface TrainingPhase<S extends PhaseState, C extends object, T extends Taken, R> {
  readonly name: TrainedPhase;
  /** As configured when the phase began. */
  readonly config: C;
  /** Where it begins, without a checkpoint. */
  initialState(): S | Promise<S>;
  /** Before the first step, where there is no checkpoint. @returns the state to begin with, kept if it is another one */
  begin?(state: S): Promise<S>;
  /** What a checkpoint holds besides the state and the best weights, as it is when its data is asked for. */
  arrays(): { readonly weights: NamedArrays; readonly optimizer: NamedArrays };
  maxSteps(config: C): number;
  /** Learns; null when it was asked to stop in the middle, with nothing changed. */
  step(state: S, config: C): T | null | Promise<T | null>;
  /** The state after a step, one further. */
  advance(state: S, taken: T, config: C): S;
  readonly evaluation: Evaluation<S>;
  /** Steps between two rows of the metrics; the last step has one too. */
  logInterval(config: C): number;
  /** @param measured what was evaluated within the step */
  row(taken: T, state: S, config: C, measured: Row): Row;
  /** How it goes, in a few words. */
  describe(taken: T): string;
  /** For the speed of the steps and the tokens so far in the metrics; left out: neither is measured. */
  readonly work?: StepWork;
  /** Told of each step once it is in the metrics. */
  onStep?(taken: T, state: S): void;
  /** Which tensor went wrong first in a step whose loss or gradient is not finite; `latest` is the last checkpoint. */
  explain(taken: T, latest: Checkpoint | null): string;
  finish(ended: Ended<S>): Promise<R>;
}

/**
 * Runs a phase to its end, from the slot's latest checkpoint if there is one.
 * @param declare makes the phase in a session that lives as long as it runs
 * @throws UserError `stopped`, with a checkpoint; `diverged`, with nothing saved of what diverged
 */
export async function runPhase<S extends PhaseState, C extends object, T extends Taken, R>(
  { slot, env }: { readonly slot: CheckpointSlot; readonly env: Environment },
  declare: (
    session: Session,
    saved: Checkpoint | null,
  ) => TrainingPhase<S, C, T, R> | Promise<TrainingPhase<S, C, T, R>>,
): Promise<R> {
  const saved = await slot.latest();
  const session = env.runtime.createSession();
  try {
    const phase = await declare(session, saved);
    const first = (saved?.state as S | undefined) ?? (await phase.initialState());
    const { stopping } = phase.evaluation;
    const read = () => (stopping ? readParameters(session, stopping.weights) : {});
    const loop = new Loop(phase, slot, env, first, selectPrefix(saved?.optimizer ?? {}, BEST), read);
    if (saved === null) await loop.begin();
    const startedAt = env.now();
    await loop.run();
    const { state } = loop;
    const seconds = (env.now() - startedAt) / 1000;
    return await phase.finish({ state, best: loop.best ?? read(), steps: state.step - first.step, seconds });
  } finally {
    session.dispose();
  }
}

class Loop<S extends PhaseState, C extends object, T extends Taken> {
  /** For the step at hand: settings may change while it runs. */
  private now: { readonly config: C; readonly skip: boolean };
  private readonly progress: Progress;
  private readonly throughput: Throughput | null;
  /** By the environment's clock, which stands still in pauses: until here rows have said what they computed. */
  private told: number;

  /**
   * @param best none before the first evaluation: those that a phase begins with are not in memory twice
   * @param readWeights those of which the best are kept
   */
  constructor(
    private readonly phase: TrainingPhase<S, C, T, unknown>,
    private readonly slot: CheckpointSlot,
    private readonly env: Environment,
    public state: S,
    public best: NamedArrays | undefined,
    private readonly readWeights: () => NamedArrays,
  ) {
    this.now = applyLiveSettings(env, phase.config, state.step);
    this.progress = createProgress(env, phase.name, 'steps', this.maxSteps, this.evaluationsBetween);
    this.throughput = phase.work ? createThroughput(env, phase.work) : null;
    this.told = env.now();
  }

  async begin(): Promise<void> {
    const { state } = this;
    this.state = (await this.phase.begin?.(state)) ?? state;
    if (this.state !== state) await this.save();
    this.now = applyLiveSettings(this.env, this.phase.config, this.state.step);
  }

  async run(): Promise<void> {
    const { phase, env } = this;
    while (this.state.finished === null && (this.state.step < this.maxSteps || this.isEvaluationPending)) {
      await env.team?.agree();
      this.now = applyLiveSettings(env, phase.config, this.state.step);
      if (env.stop.requested) await this.stop();
      if (this.now.skip || this.isEvaluationPending) {
        if (!this.isEvaluated) await this.evaluateBetweenSteps();
        if (this.now.skip) this.state = { ...this.state, finished: this.state.finished ?? 'asked' };
        await this.saveIfDue();
        continue;
      }
      const step = () => phase.step(this.state, this.now.config);
      const taken = await (this.throughput ? this.throughput.timed(step) : step());
      if (taken === null) await this.stop();
      else await this.takeIn(taken);
      await env.yieldToEventLoop();
    }
  }

  /** What follows from a step: the state, the row of the metrics, how far the phase is, a checkpoint. */
  private async takeIn(taken: T): Promise<void> {
    const { phase } = this;
    const { config } = this.now;
    if (!Number.isFinite(taken.loss) || !Number.isFinite(taken.gradNorm)) {
      const latest = await this.slot.latest();
      throw diverged(phase.name, this.state.step + 1, latest !== null, phase.explain(taken, latest));
    }
    this.state = phase.advance(this.state, taken, config);
    const { step } = this.state;
    const isEvaluation = this.state.evaluatedAt === undefined && this.isEvaluationStep;
    const measured = isEvaluation ? await this.progress.aside(() => this.measure()) : {};
    if (step % phase.logInterval(config) === 0 || step >= this.maxSteps) {
      this.emitRow({ ...phase.row(taken, this.state, config, measured), ...this.throughput?.speed() });
    }
    phase.onStep?.(taken, this.state);
    this.progress.update(step, phase.describe(taken), this.maxSteps);
    if (isEvaluation) await this.saveIfDue();
  }

  private async evaluateBetweenSteps(): Promise<void> {
    try {
      this.emitRow(await this.progress.aside(() => this.measure()));
    } catch (error) {
      if (this.env.stop.requested) await this.save();
      throw error;
    }
    const { finished } = this.state;
    const message = finished === null ? null : (this.phase.evaluation.stopping?.notice?.(this.state) ?? null);
    if (message === null) return;
    const code = finished === 'patience' ? 'early_stopping' : 'all_steps';
    this.env.emit({ event: 'notice', level: 'info', code, message });
  }

  /** Evaluates, and takes the result in. */
  private async measure(): Promise<Row> {
    const { interval: _, measure, stopping } = this.phase.evaluation;
    const last = this.state.step >= this.maxSteps;
    const { loss, row } = await measure(this.state, last);
    if (stopping) {
      const { step, evaluatedAt } = this.state;
      const state = evaluatedAt === undefined ? this.state : { ...this.state, evaluatedAt: step };
      const update = stopping.record(state, loss, last);
      this.state = update.state;
      if (update.isBest) this.best = this.readWeights();
    }
    return row;
  }

  private get maxSteps(): number {
    return this.phase.maxSteps(this.now.config);
  }

  /** How many there are after `step`, to the last of `steps`. */
  private readonly evaluationsBetween = (step: number, steps: number): number => {
    const { interval } = this.phase.evaluation;
    return Math.ceil(steps / interval) - Math.min(Math.ceil(steps / interval), Math.floor(step / interval));
  };

  private get isEvaluationStep(): boolean {
    const { step, finished } = this.state;
    return step % this.phase.evaluation.interval === 0 || finished !== null || step >= this.maxSteps;
  }

  /** An evaluation between two steps is due. */
  private get isEvaluationPending(): boolean {
    return this.state.evaluatedAt !== undefined && !this.isEvaluated && this.isEvaluationStep;
  }

  /** Whether these weights were evaluated, where early stopping wants to know. */
  private get isEvaluated(): boolean {
    const { evaluatedAt, step } = this.state;
    const { stopping, interval } = this.phase.evaluation;
    return !stopping || (evaluatedAt === undefined ? step % interval === 0 : evaluatedAt === step);
  }

  /**
   * Always at the phase's end, since who resumes in a later phase must not do, and log, the last steps of this one again;
   * before, when the slot finds it due.
   */
  private async saveIfDue(): Promise<void> {
    if (this.state.finished !== null || (this.slot.due?.() ?? true)) await this.save();
  }

  private async save(): Promise<void> {
    const { weights, optimizer } = this.phase.arrays();
    const { state } = this;
    await this.slot.save(
      { weights, optimizer: { ...optimizer, ...withPrefix(this.best ?? {}, BEST) }, state },
      state.step,
    );
  }

  private async stop(): Promise<never> {
    await this.save();
    throw stopped(this.state.step);
  }

  private emitRow(measured: Row): void {
    const { name, work } = this.phase;
    const { step } = this.state;
    const values = work ? { ...measured, num_tokens: step * work.tokens } : measured;
    const now = this.env.now();
    this.env.emit({ event: 'metrics', phase: name, step, seconds_computed: (now - this.told) / 1000, values });
    this.told = now;
  }
}

export function stopped(step: number): UserError {
  return new UserError({
    code: 'stopped',
    message: localized('train.stopped_step_checkpoint', { step }),
    hint: localized('train.run_same_command_again_resume'),
  });
}
