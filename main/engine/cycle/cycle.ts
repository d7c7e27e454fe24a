/**
 * The product in one function: prepare, train, then cycle after cycle sample, score, update, evaluate, checkpoint
 * (specification 5). Models and data are named as in the specification: base_model_v1 → reward_data_v1 → reward_model_v1 →
 * base_model_v2 → … A run that resumes takes finished results from the store.
 */
import { count, localized, type Message } from '../../../shared/messages/message.js';
import { hasVoiceGap, isUninformative, lossByText, type CycleReport } from '../../../shared/reports/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { configOfCycle, learnsChoices } from '../../../shared/config/choices.js';
import { followsVoice, generatorOf, usesCritic, type GPTConfig } from '../../../shared/config/model.js';
import { readingSteps } from '../../../shared/config/train.js';
import { heldOutTokens } from '../../../shared/costs/held-out.js';
import { controlSteps } from '../../../shared/costs/phases.js';
import { about, MAX_VOTES, type ProjectStop } from '../../../shared/judging.js';
import { artefactName } from '../../../shared/phases/index.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import type { RunControl } from '../control.js';
import { judge } from './cycle-judgement.js';
import { during, skipped } from './cycle-phase.js';
import { followChoices } from './cycle-choices.js';
import { followVoice, measureVoice } from './cycle-voice.js';
import {
  cycleSeed,
  generatorName,
  keeping,
  type CyclesResult,
  type Project,
  type ProjectStore,
} from './cycle-types.js';
import { heldOutChange, sampleOf } from '../statistics/held-out-change.js';
import { endingAfter, type Ending } from './ending.js';
import { rewardModelOf } from './scoring-models.js';
import { trainGrpo } from '../grpo/grpo.js';
import { createSampler, naturalSamples, writeSamples } from '../generate/samples.js';
import { makeRewardData } from '../reward/reward-data.js';
import { rewardVerdict, verdictNotice } from '../reward/reward-report.js';
import { goOn } from '../train/planned-steps.js';
import { trainBase } from '../train/train.js';
import type { TrainOutcome } from '../train/train-types.js';
import type { Environment, LanguageModel } from '../types.js';

export async function runCycles(options: {
  readonly config: ProjectConfig;
  readonly store: ProjectStore;
  readonly env: Environment;
  readonly control?: RunControl;
  /** When the run began, by the environment's clock: now by default, earlier if its text was prepared before. */
  readonly began?: number;
}): Promise<CyclesResult> {
  const { config, store, env, control, began = env.now() } = options;
  const tokens = await during({ env, control }, 'prepare', 0, undefined, () => store.prepare());
  const prepared: Project = { config, store, tokens, env, control };
  const maxCycles = () => control?.maxCycles(config.max_cycles) ?? config.max_cycles;

  let last = await trainFirstGenerator(prepared, began);
  // Critic and judge train for a multiple of the generator's steps; `train_minutes` is resolved to steps by now.
  const { planned_steps: max_iters = config.max_iters } = last.base ?? {};
  const project: Project = { ...prepared, config: { ...config, max_iters } };
  const reports = [last];
  for (let cycle = 1; cycle <= maxCycles(); cycle++) {
    const finished = await store.loadReport(cycle);
    if (!finished) {
      const votes = await votesOn(project, reports);
      const ending = endingAfter(reports, { ...config, max_cycles: maxCycles() }, () => votes);
      if (ending.verdict !== 'another') return ended(project, reports, ending);
      store.beginCycle?.(cycle);
    }
    const report = finished ? skipped(env, 'grpo', finished) : await runCycle(project, cycle, last);
    if (report === 'critic' || report === 'voice') return { reports, stopped_because: report };
    reports.push(report);
    last = report;
  }
  return { reports, stopped_because: 'max_cycles' };
}

/** Evaluates the votes on the newest version against the previous one, if they decide. */
async function votesOn({ config, store }: Project, reports: readonly CycleReport[]): Promise<ProjectStop> {
  const [previous, newest] = reports.slice(-2);
  const counts = config.stop_when === 'people' && previous && newest;
  const votes = counts ? await store.peopleSay?.(newest.name, previous.name) : undefined;
  return votes ?? { verdict: 'waiting', votes_left: MAX_VOTES };
}

/** Reports why the loop stops or waits. */
function ended(
  { config, env }: Project,
  reports: readonly CycleReport[],
  ending: Exclude<Ending, { readonly verdict: 'another' }>,
): CyclesResult {
  const notify = (code: string, message: Message) => env.emit({ event: 'notice', level: 'info', code, message });
  const cycle = reports.length - 1;
  if (ending.verdict === 'wait') {
    const { newest, previous, votes } = ending;
    notify('awaiting_votes', localized('cycle.end.votes', { cycle, newest, previous, votes: about(votes) }));
    return { reports, stopped_because: 'votes', awaits: { newest, previous, votes } };
  }
  const { because } = ending;
  if (because === 'perplexity' && config.stop_when !== 'perplexity') {
    notify('cycles_converged', localized('cycle.end.patience', { cycle, patience: config.cycle_patience }));
  } else if (because === 'voice') {
    env.emit(voiceReached(cycle + 1));
  } else if (because === 'perplexity' || because === 'reward' || because === 'people') {
    notify('cycles_converged', localized(`cycle.converged.${because}`, { cycle }));
  }
  return { reports, stopped_because: because };
}

/** Cycle 0: makes base_model_v1. @param began when the run did */
async function trainFirstGenerator(project: Project, began: number): Promise<CycleReport> {
  const { config, store, tokens, env } = project;
  const finished = await store.loadReport(0);
  if (finished) return skipped(env, 'base_training', finished);
  const name = generatorName(0);
  const initial = (await store.initialModel?.()) ?? null;
  const model = initial?.model ?? generatorOf(config, tokens.vocabSize);
  const slot = store.slot(name);
  const train = () =>
    during(project, 'base_training', 0, name, async (inside) => {
      const trained = await trainBase({
        model,
        train: config,
        seed: config.seed,
        trainTokens: tokens.train,
        valTokens: tokens.val,
        vocabulary: tokens,
        createSampler,
        reading: config,
        slot,
        began,
        ...(initial ? { from: initial.weights } : {}),
        env: inside,
      });
      await store.saveModel(name, { model, weights: trained.weights }, { ...trained.result });
      return trained;
    });
  let trained = await train();
  const cycles = project.control?.maxCycles(config.max_cycles) ?? config.max_cycles;
  const measure = async () =>
    followsVoice(config.reward_kind) && cycles > 0
      ? measureVoice(project, 0, { model, weights: trained.weights })
      : undefined;
  let voice = await measure();
  const more = voice && !hasVoiceGap(voice) ? stepsInstead(project, cycles, model, trained) : 0;
  if (more > 0) {
    const message = localized('cycle.reads_on', { steps: count(more) });
    env.emit({ event: 'notice', level: 'info', code: 'voice_reads_on', message });
    // Stored first: a run that resumes before its end measures no second time.
    await goOn(slot, more);
    trained = await train();
    voice = await measure();
  }
  const { weights, result, parts, before, samples } = trained;
  const { judgement } = await judge(project, 0, { model, weights });
  const report: CycleReport = {
    cycle: 0,
    name,
    val_loss: result.val_loss,
    perplexity: result.perplexity,
    ...lossByText(result),
    ...sampleOf(parts, tokens.val.length),
    held_out_parts: parts,
    loss_change: before ? { previous: null, base: null, before: heldOutChange(before.held_out_parts, parts) } : null,
    before_training: before ?? null,
    natural_samples: naturalSamples({ vocabulary: tokens, valTokens: tokens.val }, model),
    base: result,
    ...unrewarded,
    judgement,
    ...(voice ? { voice } : {}),
    samples: samples ?? (await samplesOf(project, { model, weights })),
  };
  await store.saveReport(report);
  return report;
}

/** Steps of reading for as long as cycles take; 0 unless minutes ended the reading, and the text is worth more of it. */
function stepsInstead({ config, tokens }: Project, cycles: number, model: GPTConfig, { result, wentOn }: TrainOutcome) {
  const { iterations, best_iteration, planned_steps, stopped_because } = result;
  const isOver = wentOn || stopped_because !== 'max_iters' || best_iteration !== iterations;
  if (isOver || planned_steps === undefined || iterations === null) return 0;
  const lengths = { train: tokens.train.length, val: tokens.val.length };
  const steps = controlSteps({ config: { ...config, control_share: cycles }, model, tokens: lengths }, 1);
  return Math.max(0, Math.min(steps, readingSteps(config, model.block_size, lengths.train) - iterations));
}

/**
 * Cycle n: makes base_model_v(n+1), and before it reward_data_vn and reward_model_vn unless it follows the voice.
 * @param last the report of the previous cycle
 * @returns why there is nothing to learn: the generator has caught up with its critic, whose evidence is no better than chance, or has
 * the text's voice
 */
async function runCycle(whole: Project, cycle: number, last: CycleReport): Promise<CycleReport | 'critic' | 'voice'> {
  const config = configOfCycle(whole.config, cycle);
  const project: Project = { ...whole, config };
  const { store, tokens } = project;
  const generator = await store.loadModel(generatorName(cycle - 1));
  if (!generator) throw new Error(`${generatorName(cycle - 1)} is missing from the project`);
  const followed = learnsChoices(config, cycle)
    ? await choicesCycle(project, cycle, generator)
    : followsVoice(config.reward_kind)
      ? await voiceCycle(project, cycle, last, generator)
      : await rewardCycle(project, cycle, last, generator);
  if (followed === 'critic' || followed === 'voice') return followed;
  const { weights, parts, loss, facts, measure } = followed;
  const name = generatorName(cycle);
  const improved: LanguageModel = { model: generator.model, weights };
  await store.saveModel(name, improved, facts);
  const { judgement, control } = await judge(project, cycle, improved, { ...generator, val_loss: last.val_loss });
  const first = await store.loadReport(0);
  const report: CycleReport = {
    cycle,
    name,
    val_loss: Math.log(loss.perplexity),
    perplexity: loss.perplexity,
    ...lossByText(loss),
    ...sampleOf(parts, tokens.val.length),
    held_out_parts: parts,
    loss_change: {
      previous: heldOutChange(last.held_out_parts, parts),
      base: heldOutChange(first?.held_out_parts, parts),
      before: heldOutChange(first?.before_training?.held_out_parts, parts),
    },
    base: null,
    ...(await measure(improved)),
    judgement,
    ...(control ? { control } : {}),
    samples: await samplesOf(project, improved),
  };
  await store.saveReport(report);
  return report;
}

const voiceReached = (cycle: number): JobEvent => ({
  event: 'notice',
  level: 'info',
  code: 'voice_reached',
  message: localized('cycle.end.voice', { cycle }),
});

const unrewarded = { reward_samples: null, reward_model: null, reward_models: {}, critic: null, grpo: null } as const;

async function choicesCycle(project: Project, cycle: number, generator: LanguageModel) {
  const { weights, heldOut, report } = await followChoices(project, cycle, generator);
  return {
    weights,
    parts: heldOut.parts,
    loss: heldOut,
    facts: { ...report.training },
    measure: async () => ({ ...unrewarded, choices: report }),
  };
}

async function voiceCycle(project: Project, cycle: number, last: CycleReport, generator: LanguageModel) {
  const before = last.voice ?? (await measureVoice(project, cycle - 1, generator));
  // So that a stop does not cost it, and it is there if no cycle follows.
  if (!last.voice) await project.store.saveReport({ ...last, voice: before });
  if (!hasVoiceGap(before)) {
    project.env.emit(voiceReached(cycle));
    return 'voice' as const;
  }
  const { weights, training, heldOut } = await followVoice(project, cycle, generator, before);
  const first = (await project.store.loadReport(0))?.voice;
  return {
    weights,
    parts: heldOut.parts,
    loss: heldOut,
    facts: { ...training },
    measure: async (improved: LanguageModel) => ({
      ...unrewarded,
      voice: await measureVoice(project, cycle, improved, { first, before, training }),
    }),
  };
}

async function rewardCycle(project: Project, cycle: number, last: CycleReport, generator: LanguageModel) {
  const { config, store, tokens, env } = project;
  const seed = cycleSeed(config.seed, cycle);
  const dataName = artefactName('reward_data', cycle);
  const data = await during(project, 'reward_data', cycle, dataName, (inside) =>
    sampleRewardData(project, generator, dataName, seed, inside),
  );

  const { rewardModel, reports, critic } = await rewardModelOf(project, last, generator, data, seed);
  if (isUninformative(rewardModel.report) && usesCritic(config.reward_kind)) {
    const message = localized('cycle.end.critic', { cycle, verdict: rewardVerdict(rewardModel.report) });
    env.emit({ event: 'notice', level: 'info', code: 'critic_caught_up', message });
    return 'critic' as const;
  }
  env.emit(verdictNotice(rewardModel.report));

  const name = generatorName(cycle);
  const { weights, result, parts } = await during(project, 'grpo', cycle, name, (inside) =>
    trainGrpo({
      model: generator.model,
      policy: generator.weights,
      heldOut: last.perplexity === null ? null : { perplexity: last.perplexity, ...lossByText(last) },
      measuredTokens: heldOutTokens(generator.model, config).last,
      rewardModel: rewardModel.model,
      rewardWeights: rewardModel.weights,
      trainTokens: tokens.train,
      valTokens: tokens.val,
      config,
      generation: config,
      tokenization: tokens.method,
      vocabLimit: tokens.vocabSize,
      excluded: tokens.special,
      vocabulary: tokens,
      seed,
      slot: store.slot(name),
      onCompletions: keeping(project, cycle),
      env: inside,
    }),
  );
  const loss = {
    perplexity: result.perplexity_after,
    nats_per_character: result.nats_per_character_after,
    bits_per_byte: result.bits_per_byte_after,
  };
  return {
    weights,
    parts,
    loss,
    facts: { ...result },
    measure: async () => ({
      reward_samples: { train: data.train.numSamples, val: data.val.numSamples },
      reward_model: rewardModel.report,
      reward_models: reports,
      critic,
      grpo: result,
    }),
  };
}

async function sampleRewardData(
  { config, store, tokens }: Project,
  generator: LanguageModel,
  name: string,
  seed: number,
  env: Environment,
) {
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
      excluded: tokens.special,
      from: sink.settled,
      append: (split, x, y, settled) => sink.append(split, x, y, settled),
      env,
    });
    await sink.finish();
  } finally {
    await sink.close();
  }
  const data = await store.openRewardData(name);
  if (!data) throw new Error(`${name} is missing from the project`);
  return data;
}

/** Continues the same held-out openings with every generator of the project. */
const samplesOf = ({ config, tokens, env }: Project, generator: LanguageModel) =>
  writeSamples(generator, { vocabulary: tokens, valTokens: tokens.val, reading: config, seed: config.seed, env });
