/**
 * The product in one function: prepare, train, then cycle after cycle sample, score, update, evaluate, checkpoint
 * (specification 5). Models and data are named as in the specification: base_model_v1 → reward_data_v1 → reward_model_v1 →
 * base_model_v2 → … What is finished already is taken from the store, so running it again resumes where it stopped.
 */
import { isUninformative, lossByText, type CycleReport } from '../../../shared/reports/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { generatorOf, usesCritic } from '../../../shared/config/model.js';
import { about, MAX_VOTES, type ProjectStop } from '../../../shared/judging.js';
import { counted } from '../../../shared/base/numbers.js';
import { artefactName } from '../../../shared/phases/index.js';
import { stopHereIf, type RunControl } from '../control.js';
import { judge } from './cycle-judgement.js';
import { during, skipped } from './cycle-phase.js';
import { rewardModelOf } from './cycle-reward-model.js';
import {
  cycleSeed,
  generatorName,
  type CyclesResult,
  type Project,
  type ProjectStore,
  type StoredModel,
} from './cycle-types.js';
import { heldOutChange } from '../statistics/held-out-change.js';
import { endingAfter, type Ending } from './ending.js';
import { generate } from '../generate/generate.js';
import { trainGrpo } from '../grpo/grpo.js';
import { createSampler } from '../generate/samples.js';
import { samplePrompts } from '../generate/prompts.js';
import { makeRewardData } from '../reward/reward-data.js';
import { rewardVerdict } from '../reward/reward-report.js';
import { streams } from '../rng.js';
import { trainBase } from '../train/train.js';
import type { Environment } from '../types.js';

/** Samples shown for every generator, always after the same prompts and with the same noise. */
const SHOWN_SAMPLES = 4;

export async function runCycles(options: {
  readonly config: ProjectConfig;
  readonly store: ProjectStore;
  readonly env: Environment;
  /** What the person changes while it runs; left out: nothing. */
  readonly control?: RunControl;
}): Promise<CyclesResult> {
  const { config, store, env, control } = options;
  const tokens = await during({ env, control }, 'prepare', 0, undefined, () => store.prepare());
  const begun: Project = { config, store, tokens, env, control };
  const maxCycles = () => control?.maxCycles(config.max_cycles) ?? config.max_cycles;

  let last = await trainFirstGenerator(begun);
  const { planned_steps: max_iters = config.max_iters } = last.base ?? {};
  // What reads is trained for so many times as many steps as the generator: minutes, too, have come to steps by now.
  const project: Project = { ...begun, config: { ...config, max_iters } };
  const reports = [last];
  for (let cycle = 1; cycle <= maxCycles(); cycle++) {
    const finished = await store.loadReport(cycle);
    const said = finished ? undefined : await peopleSay(project, reports);
    const ending = finished
      ? null
      : endingAfter(reports, { ...config, max_cycles: maxCycles() }, () => said ?? waiting);
    if (ending && ending.verdict !== 'another') return ended(project, reports, ending);
    if (!finished) store.beginCycle?.(cycle);
    const report = finished ? skipped(env, 'grpo', finished) : await runCycle(project, cycle, last);
    if (report === null) return { reports, stopped_because: 'critic' };
    reports.push(report);
    last = report;
  }
  return { reports, stopped_because: 'max_cycles' };
}

const waiting: ProjectStop = { verdict: 'waiting', votes_left: MAX_VOTES };

/** Of the newest version against the one before it, where that decides. */
async function peopleSay(
  { config, store }: Project,
  reports: readonly CycleReport[],
): Promise<ProjectStop | undefined> {
  const [previous, newest] = reports.slice(-2);
  return config.stop_when === 'people' && previous && newest
    ? store.peopleSay?.(newest.name, previous.name)
    : undefined;
}

/** Says why there is no other cycle, or not yet. */
function ended(
  { config, env }: Project,
  reports: readonly CycleReport[],
  ending: Exclude<Ending, { readonly verdict: 'another' }>,
): CyclesResult {
  const say = (code: string, message: string) => env.emit({ event: 'notice', level: 'info', code, message });
  const cycle = reports.length - 1;
  if (ending.verdict === 'wait') {
    const { newest, previous, votes } = ending;
    say(
      'awaiting_votes',
      `Waiting after cycle ${cycle}: about ${counted(about(votes), 'more vote')} on ${newest} against ${previous} decide whether there is another cycle.`,
    );
    return { reports, stopped_because: 'votes', awaits: { newest, previous, votes } };
  }
  switch (ending.because) {
    case 'perplexity':
      say(
        'cycles_converged',
        config.stop_when === 'perplexity'
          ? `Stopped after cycle ${cycle}: held-out perplexity has not fallen by more than chance.`
          : `Stopped after cycle ${cycle}: held-out perplexity has not improved for ${config.cycle_patience} cycle(s).`,
      );
      break;
    case 'reward':
      say('cycles_converged', `Stopped after cycle ${cycle}: the reward has not risen by more than chance.`);
      break;
    case 'people':
      say(
        'cycles_converged',
        `Stopped after cycle ${cycle}: people do not find its writing better than what was before.`,
      );
      break;
    case 'max_cycles':
    case 'critic':
      break;
  }
  return { reports, stopped_because: ending.because };
}

/** Cycle 0: base_model_v1. */
async function trainFirstGenerator(project: Project): Promise<CycleReport> {
  const { config, store, tokens, env } = project;
  const finished = await store.loadReport(0);
  if (finished) return skipped(env, 'base_training', finished);
  const name = generatorName(0);
  const initial = (await store.initialModel?.()) ?? null;
  const model = initial?.model ?? generatorOf(config, tokens.vocabSize);
  const { weights, result, parts } = await during(project, 'base_training', 0, name, (inside) =>
    trainBase({
      model,
      train: config,
      seed: config.seed,
      trainTokens: tokens.train,
      valTokens: tokens.val,
      vocabulary: tokens,
      createSampler,
      slot: store.slot(name),
      ...(initial ? { from: initial.weights } : {}),
      env: inside,
    }),
  );
  await store.saveModel(name, { model, weights }, { ...result });
  const { judgement } = await judge(project, 0, { model, weights });
  const report: CycleReport = {
    cycle: 0,
    name,
    val_loss: result.val_loss,
    perplexity: result.perplexity,
    ...lossByText(result),
    held_out_parts: parts,
    loss_change: null,
    base: result,
    reward_samples: null,
    reward_model: null,
    reward_models: {},
    critic: null,
    grpo: null,
    judgement,
    samples: await showSamples(project, { model, weights }),
  };
  await store.saveReport(report);
  return report;
}

/**
 * Cycle n: reward_data_vn, reward_model_vn, base_model_v(n+1); `last` is what is known of the generator. Null where a
 * critic's evidence is no more than chance: the
 * generator has caught up.
 */
async function runCycle(project: Project, cycle: number, last: CycleReport): Promise<CycleReport | null> {
  const { config, store, tokens, env } = project;
  const seed = cycleSeed(config.seed, cycle);
  const generator = await requireModel(store, generatorName(cycle - 1));

  const dataName = artefactName('reward_data', cycle);
  const data = await during(project, 'reward_data', cycle, dataName, (inside) =>
    sampleRewardData(project, generator, dataName, seed, inside),
  );

  const { rewardModel, reports, critic } = await rewardModelOf(project, last, generator, data, seed);
  const blind = isUninformative(rewardModel.report);
  if (blind && usesCritic(config.reward_kind)) {
    const message = `Stopped before GRPO of cycle ${cycle}: the generator has caught up with its critic. ${rewardVerdict(rewardModel.report)}`;
    env.emit({ event: 'notice', level: 'info', code: 'critic_caught_up', message });
    return null;
  }
  env.emit({
    event: 'notice',
    level: blind ? 'warning' : 'info',
    code: blind ? 'reward_blind' : 'reward_sees',
    message: rewardVerdict(rewardModel.report),
  });

  const name = generatorName(cycle);
  const { weights, result, parts } = await during(project, 'grpo', cycle, name, (inside) =>
    trainGrpo({
      model: generator.model,
      policy: generator.weights,
      heldOut: last.perplexity === null ? null : { perplexity: last.perplexity, ...lossByText(last) },
      rewardModel: rewardModel.model,
      rewardWeights: rewardModel.weights,
      trainTokens: tokens.train,
      valTokens: tokens.val,
      config,
      generation: config,
      tokenization: tokens.method,
      vocabLimit: tokens.vocabSize,
      vocabulary: tokens,
      seed,
      slot: store.slot(name),
      onCompletions: (shown) =>
        store.keepCompletions?.(
          cycle,
          shown.map(({ prompt, completion, ...facts }) => ({
            ...facts,
            prompt: tokens.decode(prompt),
            completion: tokens.decode(completion),
          })),
        ),
      env: inside,
    }),
  );
  const improved: StoredModel = { model: generator.model, weights };
  await store.saveModel(name, improved, { ...result });
  const { judgement, control } = await judge(project, cycle, improved, { ...generator, val_loss: last.val_loss });
  const report: CycleReport = {
    cycle,
    name,
    val_loss: Math.log(result.perplexity_after),
    perplexity: result.perplexity_after,
    ...lossByText({ nats_per_character: result.nats_per_character_after, bits_per_byte: result.bits_per_byte_after }),
    held_out_parts: parts,
    loss_change: {
      previous: heldOutChange(last.held_out_parts, parts),
      base: heldOutChange((await store.loadReport(0))?.held_out_parts, parts),
    },
    base: null,
    reward_samples: { train: data.train.numSamples, val: data.val.numSamples },
    reward_model: rewardModel.report,
    reward_models: reports,
    critic,
    grpo: result,
    judgement,
    ...(control ? { control } : {}),
    samples: await showSamples(project, improved),
  };
  await store.saveReport(report);
  return report;
}

/** Makes both splits of a reward dataset, or opens the one that is there. */
async function sampleRewardData(
  project: Project,
  generator: StoredModel,
  name: string,
  seed: number,
  env: Environment,
) {
  const { config, store, tokens } = project;
  const existing = await store.openRewardData(name);
  if (existing) return existing;
  const sink = await store.createRewardData(name, generator, seed);
  try {
    await makeRewardData({
      ...generator,
      tokens,
      config,
      generation: config,
      seed,
      vocabLimit: tokens.vocabSize,
      from: sink.settled,
      append: (split, x, y, settled) => sink.append(split, x, y, settled),
      env,
    });
    await sink.finish();
  } finally {
    await sink.close();
  }
  const made = await store.openRewardData(name);
  if (!made) throw new Error(`${name} is not there although it was written`);
  return made;
}

/** The same few prompts, from the held-out text, for every generator of the project. */
async function showSamples({ config, tokens, env }: Project, generator: StoredModel): Promise<CycleReport['samples']> {
  const { block_size } = generator.model;
  const place = { seed: config.seed, stream: streams.sample, step: 0 };
  const longest = Math.min(Math.max(1, Math.floor(block_size / 4)), tokens.val.length);
  const prompts = samplePrompts(tokens.val, SHOWN_SAMPLES, block_size, place).map((prompt) => prompt.slice(0, longest));
  const texts = await generate({
    ...generator,
    prompts,
    newTokens: 4 * block_size,
    temperature: config.temperature,
    topK: config.top_k,
    vocabLimit: tokens.vocabSize,
    seed: config.seed,
    stream: streams.sample,
    env,
  });
  // Texts that were cut short are not what the report is to hold.
  stopHereIf(env.stop.requested);
  return texts.map((ids, row) => {
    const length = prompts[row]?.length ?? 0;
    return { prompt: tokens.decode(ids.subarray(0, length)), completion: tokens.decode(ids.subarray(length)) };
  });
}

async function requireModel(store: ProjectStore, name: string): Promise<StoredModel> {
  const model = await store.loadModel(name);
  if (!model) throw new Error(`${name} is missing from the project`);
  return model;
}
