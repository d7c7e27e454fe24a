/**
 * The training loop of every phase: a phase declares its step and its evaluation, and `runPhase` does the rest. It resumes from
 * the latest checkpoint, applies live settings, stores the best weights, stops early, refuses a loss that is not finite, logs and
 * saves. A phase that was interrupted at any step ends in the bytes of one that was not.
 */
import { localized, type Message } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { applyLiveSettings, stopError, type Extended } from '../control.js';
import { readParameters, type Parameters } from '../model/model.js';
import { selectPrefix, withPrefix } from '../model/named-arrays.js';
import { withSession } from '../runtime/session.js';
import type { Session } from '../runtime/types.js';
import type { Checkpoint, CheckpointSlot, Environment, NamedArrays } from '../types.js';
import { diverged, type TrainedPhase } from './divergence.js';
import { createProgress, createThroughput, type Progress, type StepWork, type Throughput } from './progress.js';

/** Prefix of the best weights so far, among a checkpoint's optimizer arrays. */
const BEST = 'best.';

type PhaseState = Checkpoint['state'] & {
  readonly step: number;
  /**
   * The step of the last evaluation. A phase that stores it evaluates between two steps, and repeats an interrupted evaluation;
   * one that does not evaluates within the step, in the step's row of the metrics.
   */
  readonly evaluatedAt?: number;
  readonly finished: string | null;
};

export type Row = Extract<JobEvent, { event: 'metrics' }>['values'];

export interface StepResult {
  readonly loss: number;
  readonly gradNorm: number;
}

/** The evaluation every `interval` steps and after the last; a checkpoint follows if one is due. */
interface Evaluation<S> {
  readonly interval: number;
  measure(state: S, last: boolean): Promise<{ readonly loss: number; readonly row: Row }>;
  /** Early stopping, which stores the best weights by that loss; omit for a phase with rules of its own. */
  readonly stopping?: {
    readonly weights: Parameters;
    /** @param last no step follows */
    record(state: S, loss: number, last: boolean): { readonly state: S; readonly isBest: boolean };
    /** Describes the end; null if it needs no notice. */
    readonly notice?: (state: S) => Message | null;
  };
}

/** A training phase. S: state; C: configuration, partly live; T: result of a step; R: result of the phase. */
export interface TrainingPhase<S extends PhaseState, C extends object & Extended, T extends StepResult, R> {
  readonly name: TrainedPhase;
  readonly config: C;
  initialState(): S | Promise<S>;
  /** Runs before the first step without a checkpoint. @returns the state to begin with, saved if it is another one */
  begin?(state: S): Promise<S>;
  /** Returns what a checkpoint stores besides the state and the best weights. */
  arrays(): { readonly weights: NamedArrays; readonly optimizer: NamedArrays };
  maxSteps(config: C): number;
  /** Takes a step; null if the user requested a stop within it, with nothing changed. */
  step(state: S, config: C): T | null | Promise<T | null>;
  advance(state: S, result: T, config: C): S;
  /** Runs between two steps, and may change `config`. @returns the state to go on with, saved if it is another one */
  adjust?(state: S): Promise<S>;
  readonly evaluation: Evaluation<S>;
  /** Steps between two rows of the metrics; the last step always has one. */
  logInterval(config: C): number;
  /** @param measured the row of an evaluation within the step */
  row(result: T, measured: Row): Row;
  /** Summarises the step for the progress line. */
  describe(result: T): Message;
  /** For the speed and the tokens so far in the metrics. */
  readonly work?: StepWork;
  onStep?(result: T, state: S): void;
  /** Names the tensor that failed first if loss or gradient is not finite. @param latest the last checkpoint */
  explain(result: T, latest: Checkpoint | null): Message;
  /** @param outcome the weights of the best evaluation, empty without early stopping; steps and seconds of this process */
  finish(outcome: {
    readonly state: S;
    readonly best: NamedArrays;
    readonly steps: number;
    readonly seconds: number;
  }): Promise<R>;
}

/**
 * Runs a phase to its end, from the slot's latest checkpoint if there is one.
 * @param declare creates the phase in a session that lives as long as the phase
 * @throws UserError `stopped`, with a checkpoint; `diverged`, with nothing saved of the diverged step
 */
export async function runPhase<S extends PhaseState, C extends object & Extended, T extends StepResult, R>(
  { slot, env }: { readonly slot: CheckpointSlot; readonly env: Environment },
  declare: (
    session: Session,
    saved: Checkpoint | null,
  ) => TrainingPhase<S, C, T, R> | Promise<TrainingPhase<S, C, T, R>>,
): Promise<R> {
  const saved = await slot.latest();
  return withSession(env.runtime, async (session) => {
    const phase = await declare(session, saved);
    const first = (saved?.state as S | undefined) ?? (await phase.initialState());
    const { stopping } = phase.evaluation;
    const read = async () => (stopping ? await readParameters(session, stopping.weights) : {});
    const loop = new Loop(phase, slot, env, first, selectPrefix(saved?.optimizer ?? {}, BEST), read, () =>
      session.download(),
    );
    if (saved === null) await loop.begin();
    const startedAt = env.now();
    await loop.run();
    const { state } = loop;
    await session.download();
    const seconds = (env.now() - startedAt) / 1000;
    return await phase.finish({ state, best: loop.best ?? (await read()), steps: state.step - first.step, seconds });
  });
}

class Loop<S extends PhaseState, C extends object & Extended, T extends StepResult> {
  /** The live settings of the current step. */
  private now: ReturnType<typeof applyLiveSettings<C>>;
  private readonly progress: Progress;
  private readonly throughput: Throughput | null;
  /** By the environment's clock, which stops in pauses. */
  private lastRowAt: number;

  /** @param best none before the first evaluation, so that initial weights are not in memory twice */
  constructor(
    private readonly phase: TrainingPhase<S, C, T, unknown>,
    private readonly slot: CheckpointSlot,
    private readonly env: Environment,
    public state: S,
    public best: NamedArrays | undefined,
    private readonly readWeights: () => Promise<NamedArrays>,
    /** Makes all variables of the session readable. */
    private readonly download: () => Promise<void>,
  ) {
    this.now = applyLiveSettings(env, phase.config, state.step);
    this.progress = createProgress(env, phase.name, 'steps', this.maxSteps, this.evaluationsBetween);
    this.throughput = phase.work ? createThroughput(env, phase.work) : null;
    this.lastRowAt = env.now();
  }

  async begin(): Promise<void> {
    const { state } = this;
    this.state = (await this.phase.begin?.(state)) ?? state;
    if (this.state !== state) await this.save();
    this.now = applyLiveSettings(this.env, this.phase.config, this.state.step);
  }

  async run(): Promise<void> {
    const { phase, env } = this;
    while (!this.isOver && (this.state.step < this.maxSteps || this.isEvaluationPending)) {
      await env.team?.agree();
      this.now = applyLiveSettings(env, phase.config, this.state.step);
      if (this.state.finished !== null) this.state = { ...this.state, finished: null };
      if (env.stop.requested) await this.stop();
      if (this.now.skip || this.isEvaluationPending) {
        if (!this.isEvaluated) await this.evaluateBetweenSteps();
        if (this.now.skip) this.state = { ...this.state, finished: this.state.finished ?? 'asked' };
        await this.saveIfDue();
        continue;
      }
      const step = () => phase.step(this.state, this.now.config);
      const result = await (this.throughput ? this.throughput.timed(step) : step());
      if (result === null) await this.stop();
      else await this.afterStep(result);
      await this.adjust();
      await env.yieldToEventLoop();
    }
  }

  private async adjust(): Promise<void> {
    const { state } = this;
    this.state = (await this.phase.adjust?.(state)) ?? state;
    if (this.state !== state) await this.save();
  }

  private async afterStep(result: T): Promise<void> {
    const { phase } = this;
    const { config } = this.now;
    if (!Number.isFinite(result.loss) || !Number.isFinite(result.gradNorm)) {
      const latest = await this.slot.latest();
      await this.download();
      throw diverged(phase.name, this.state.step + 1, latest !== null, phase.explain(result, latest));
    }
    this.state = phase.advance(this.state, result, config);
    const { step } = this.state;
    const isEvaluation = this.state.evaluatedAt === undefined && this.isEvaluationStep;
    const measured = isEvaluation ? await this.progress.aside(() => this.measure()) : {};
    if (step % phase.logInterval(config) === 0 || step >= this.maxSteps) {
      this.emitRow({ ...phase.row(result, measured), ...this.throughput?.speed() });
    }
    phase.onStep?.(result, this.state);
    this.progress.update(step, phase.describe(result), this.maxSteps);
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

  /** Evaluates, and updates the state and the best weights. */
  private async measure(): Promise<Row> {
    const { measure, stopping } = this.phase.evaluation;
    const last = this.state.step >= this.maxSteps;
    const { loss, row } = await measure(this.state, last);
    if (stopping) {
      const { step, evaluatedAt } = this.state;
      const state = evaluatedAt === undefined ? this.state : { ...this.state, evaluatedAt: step };
      const update = stopping.record(state, loss, last);
      this.state = update.state;
      if (update.isBest) this.best = await this.readWeights();
    }
    return row;
  }

  /** An end by early stopping, by the last step or by request does not hold if more steps were requested at that very step. */
  private get isOver(): boolean {
    const { extensions, skip } = this.now;
    const isExtended = !skip && extensions.some(({ step }) => step === this.state.step);
    return this.state.finished !== null && !(isExtended && this.phase.evaluation.stopping);
  }

  private get maxSteps(): number {
    return this.phase.maxSteps(this.now.config);
  }

  /** Counts the evaluations after `step`, up to the last of `steps`. */
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

  /** Early stopping, if there is any, has evaluated the current weights. */
  private get isEvaluated(): boolean {
    const { evaluatedAt, step } = this.state;
    const { stopping, interval } = this.phase.evaluation;
    return !stopping || (evaluatedAt === undefined ? step % interval === 0 : evaluatedAt === step);
  }

  /** Always saves at the end: a run that resumes in a later phase must not repeat, and log, the last steps of this one. */
  private async saveIfDue(): Promise<void> {
    if (this.state.finished !== null || (this.slot.due?.() ?? true)) await this.save();
  }

  private async save(): Promise<void> {
    await this.download();
    const { weights, optimizer } = this.phase.arrays();
    const { state } = this;
    const arrays = { ...optimizer, ...withPrefix(this.best ?? {}, BEST) };
    await this.slot.save({ weights, optimizer: arrays, state }, state.step);
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
    this.env.emit({ event: 'metrics', phase: name, step, seconds_computed: (now - this.lastRowAt) / 1000, values });
    this.lastRowAt = now;
  }
}

export const stopped = (step: number) => stopError(localized('train.stopped_step_checkpoint', { step }));
