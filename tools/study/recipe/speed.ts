/**
 * How long a training step takes, in processor seconds. What else a machine does makes a step slower, whose seconds count
 * all the same: cores share their caches and their memory. So steps are taken in turns with those of the variant that all
 * are held against, and the quickest of several turns counts, of both.
 */
import { generatorOf } from '../../../shared/config/model.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import { trainingPrecision } from '../../../main/engine/model/precision.js';
import { recomputationOf } from '../../../shared/costs/memory.js';
import { createTrainStep } from '../../../main/engine/train/train-step.js';
import type { Environment, TokenSource } from '../../../main/engine/types.js';

const TURNS = 6;
/** Processor seconds of one turn, about. */
const TURN_SECONDS = 1;

interface Timed {
  readonly config: ProjectConfig;
  readonly vocabSize: number;
  readonly tokens: TokenSource;
}

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Processor seconds of one step of each. */
export function stepSeconds(env: Environment, timed: readonly Timed[]): readonly number[] {
  const steppers = timed.map((each) => createStepper(env, each));
  try {
    const quickest = steppers.map(() => Infinity);
    for (let turn = 0; turn < TURNS; turn++) {
      steppers.forEach(({ turn: take }, i) => {
        quickest[i] = Math.min(quickest[i] ?? Infinity, take());
      });
    }
    return quickest;
  } finally {
    for (const { dispose } of steppers) dispose();
  }
}

function createStepper({ runtime }: Environment, { config, vocabSize, tokens }: Timed) {
  const model = generatorOf(config, vocabSize);
  const session = runtime.createSession();
  const parameters = createParameters(session, initialWeights(model, config.seed));
  const precision = trainingPrecision(runtime, model);
  const options = { model, train: config, seed: config.seed, tokens, parameters, trained: parameters };
  const step = createTrainStep(
    session,
    { ...options, averages: null, averageDecay: 0, precision, recomputation: recomputationOf(config, false) },
    undefined,
  );
  let taken = 0;
  const steps = (count: number): number => {
    const before = processorSeconds();
    // So small a rate that nothing is learned: numbers as they are at first cost what they cost later.
    for (let i = 0; i < count; i++) void step.take(taken++, 1e-8);
    return (processorSeconds() - before) / count;
  };
  steps(1); // compiles
  const count = Math.max(1, Math.round(TURN_SECONDS / Math.max(1e-3, steps(3))));
  return { turn: () => steps(count), dispose: () => session.dispose() };
}
