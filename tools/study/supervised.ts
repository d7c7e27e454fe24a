/**
 * The question that every such method must stand: what would the same time have given, spent on ordinary training? The
 * base model is trained on, from where it is, for as long as GRPO took; and the critic, the same network trained for
 * longer, is judged as a writer. Both by the judge that judges the cycles' generators.
 */
import { nothingKept } from '../../main/engine/types.js';
import { readFileSync } from 'node:fs';
import { perplexity } from '../../main/engine/train/perplexity.js';
import type { LanguageModel } from '../../main/engine/reward/reward.js';
import { trainBase } from '../../main/engine/train/train.js';
import { projectPaths } from '../../main/storage/projects/project-paths.js';
import { PASSAGES, type Judgements } from './judgements.js';
import { writingFigures, type WritingFigures } from './results.js';
import { kept, withProgress, type Studied } from './studied.js';

/** Enough to know how fast training goes. */
const RATE_STEPS = 200;

export interface Supervised {
  readonly after_grpo_time: SupervisedFigures;
  readonly critic: Omit<SupervisedFigures, 'steps'>;
}

export interface SupervisedFigures extends WritingFigures {
  /** Of training beyond base_model_v1's. */
  readonly steps: number;
  readonly perplexity_change: number;
}

export async function supervisedInstead(studied: Studied, { natural, first }: Judgements): Promise<Supervised | null> {
  const { folder, config, reports, tokens, base, critic, env } = studied;
  if (reports.length < 2) return null;
  const writing = async (generator: LanguageModel, heldOut: number) => ({
    perplexity_change: heldOut / first.perplexity - 1,
    ...writingFigures(await studied.judged(generator, PASSAGES), first.judgement, natural),
  });

  const trainOn = (steps: number, slot = nothingKept) =>
    trainBase({
      model: base.model,
      train: {
        ...config,
        max_iters: steps,
        warmup_iters: Math.min(config.warmup_iters, steps),
        lr_decay_iters: null,
        eval_interval: steps,
        patience: 1e6,
      },
      seed: config.seed + 2 ** 46,
      trainTokens: tokens.train,
      valTokens: tokens.val,
      slot,
      from: base.weights,
      env,
    });
  const { steps } = await kept(folder, 'supervised-steps', async () => {
    // What so many steps take beyond what one does, which has the compiling in it.
    const times = [env.now()];
    for (const few of [1, 1 + RATE_STEPS]) {
      await trainOn(few);
      times.push(env.now());
    }
    const [began = 0, one = 0, more = 0] = times;
    const perStep = (more - one - (one - began)) / RATE_STEPS / 1000;
    return { steps: Math.max(1, Math.round(grpoSeconds(folder, reports.length - 1) / perStep)) };
  });
  const criticHeldOut = await perplexity({ ...critic, tokens: tokens.val, phase: 'evaluation', env });
  return withProgress(folder, 'supervised', async (slot) => {
    const { weights, result } = await trainOn(steps, slot);
    return {
      after_grpo_time: { steps, ...(await writing({ model: base.model, weights }, result.perplexity)) },
      critic: await writing(critic, criticHeldOut.perplexity),
    };
  });
}

/**
 * What the steps of GRPO took in all cycles, by their logs: the median step times their number, so that compiling, which
 * every start does again, counts on neither side.
 */
function grpoSeconds(folder: string, cycles: number): number {
  const paths = projectPaths(folder);
  let sum = 0;
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const rows = readFileSync(paths.cycle(cycle).metrics, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LoggedStep)
      .filter(({ phase }) => phase === 'grpo');
    const times = rows.map(({ values: { seconds_generate = 0, seconds_score = 0, seconds_update = 0 } }) =>
      [seconds_generate, seconds_score, seconds_update].reduce((a, b) => a + b),
    );
    times.sort((a, b) => a - b);
    sum += (times[Math.floor(times.length / 2)] ?? 0) * times.length;
  }
  return sum;
}

interface LoggedStep {
  readonly phase?: string;
  readonly values: Readonly<Record<string, number>>;
}
