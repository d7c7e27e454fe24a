/**
 * The steps of base training. Those of `train_minutes` are planned again while they are taken: a machine that was busy when they
 * were planned has time for more, one that is busy now for fewer. The learning rate falls from where it is to the new end
 * (schedule.ts). Only the process that made the plan changes it: a run that resumes takes the steps that are stored.
 */
import type { TrainConfig } from '../../../shared/config/train.js';
import { count, localized } from '../../../shared/messages/message.js';
import type { Extended } from '../control.js';
import type { CheckpointSlot } from '../types.js';
import { agreed, fittedTo, medianOf, planSteps, type Parts, type Plan } from './plan.js';
import type { TrainOptions, TrainState } from './train-types.js';

/** Between two looks at the clock: a share of the steps that are left, and the least one of all. */
const INTERVAL = { left: 0.25, least: 0.02 } as const;
/** A change of fewer of the steps is not worth a notice and a checkpoint. */
const LEAST_CHANGE = 0.1;

type Planned = Pick<TrainState, 'planned' | 'replanned'>;

/** @param resumed the state of a checkpoint */
export function createPlannedSteps(options: TrainOptions, resumed: Planned) {
  const { train, env } = options;
  let steps: Planned = resumed;
  let plan: Plan | null = null;
  let taken: number[] = [];
  let nextLook = 0;
  const planLook = (step: number, planned: number) => {
    const { left, least } = INTERVAL;
    nextLook = step + Math.ceil(Math.max(left * (planned - step), least * planned));
    taken = [];
  };
  return {
    /** The settings with the steps as planned first, by which the text is measured before and after them. */
    get first() {
      return plannedFirst(train, steps);
    },
    /** The settings with the steps as planned now. */
    get config() {
      return plannedConfig(train, steps);
    },
    /** Converts the minutes to steps; without minutes the state holds none. */
    async plan(parts: Parts): Promise<Planned> {
      plan = await planSteps(options, parts);
      planLook(0, plan?.steps ?? 0);
      return (steps = plan ? { planned: plan.steps } : {});
    },
    /** Takes a step. */
    async timed<T>(step: () => Promise<T>): Promise<T> {
      const startedAt = env.now();
      const result = await step();
      if (plan) taken.push((env.now() - startedAt) / 1000);
      return result;
    },
    /** Returns the state with as many steps as fit into the rest of the minutes, or as it is where that is about as planned. */
    async replan(state: TrainState): Promise<TrainState> {
      const { step, planned = 0 } = state;
      if (plan === null || step >= planned || step < nextLook) return state;
      const slowdown = medianOf(taken) / plan.step;
      const left = Math.max(0, plan.endsAt - env.now()) / 1000;
      const fitting = await agreed(env, Math.min(step + plan.stepsWithin(left / slowdown, step), plan.most));
      planLook(step, fitting);
      const iterations = fitting - planned;
      if (Math.abs(iterations) < LEAST_CHANGE * planned) return state;
      const code = iterations > 0 ? 'train.more_steps' : 'train.fewer_steps';
      const message = localized(code, { minutes: train.train_minutes ?? 0, steps: count(fitting) });
      env.emit({ event: 'notice', level: 'info', code: 'train_minutes', message });
      steps = { planned: fitting, replanned: [...(state.replanned ?? []), { step, iterations }] };
      return { ...state, ...steps };
    },
  };
}

/** Lets the training that the checkpoint ended go on for more steps than were planned. */
export async function goOn(slot: CheckpointSlot, more: number): Promise<void> {
  const saved = await slot.latest();
  if (!saved) throw new Error('training without a checkpoint cannot go on');
  const { planned = 0, replanned = [], step, ...state } = saved.state as TrainState;
  const longer = { planned: planned + more, replanned: [...replanned, { step, iterations: more }] };
  await slot.save({ ...saved, state: { ...state, step, ...longer, wentOn: true, finished: null } }, step);
}

function plannedFirst(train: TrainConfig, { planned, replanned = [] }: Planned): TrainConfig & Extended {
  if (planned === undefined) return train;
  return fittedTo(
    train,
    replanned.reduce((steps, { iterations }) => steps - iterations, planned),
  );
}

/** Evaluations are as planned first, the rate as planned since. */
function plannedConfig(train: TrainConfig, state: Planned): TrainConfig & Extended {
  const { planned, replanned = [] } = state;
  const first = plannedFirst(train, state);
  return planned === undefined ? first : { ...first, max_iters: planned, extensions: replanned };
}
