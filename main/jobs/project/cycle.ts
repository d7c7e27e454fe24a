/** The whole of Verisim as a job: a project in, base model and cycles out; resumes where it stopped. */
import { generatorOf } from '../../../shared/config/model.js';
import { batchesOf } from '../../../shared/costs/memory.js';
import type { Plan } from '../../../shared/costs/phases.js';
import { lossByText, type CycleReport } from '../../../shared/report.js';
import { runCycles } from '../../engine/cycle/cycle.js';
import type { JobEvent } from '../../../shared/events.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import type { RunControl } from '../../engine/control.js';
import type { Environment, Json } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { noteOutcome } from '../../storage/projects/outcome.js';
import { openChanges } from '../changes.js';
import { mustFitInMemory } from '../machine/memory.js';
import { createProjectStore } from './project-store.js';
import { openOrCreateProject, type OpenedProject, type ProjectRequest } from './project.js';
import { createTimeLeft } from './time-left.js';
import { networkOf } from '../commands/train.js';
import { trainingEnvironmentOf } from '../run/training-environment.js';
import { alsoTelling, type Job } from '../types.js';

/** Makes the project, with its text prepared and every setting checked, and trains nothing yet. */
export const newProjectJob: Job<ProjectRequest> = async (request, context) => {
  const opened = await openOrCreateProject(request, context);
  try {
    const { config, text } = opened;
    return {
      project: request.folder,
      tokenization: text.tokenization.method,
      vocab_size: text.tokenizer.vocabSize,
      train_tokens: text.train.length,
      val_tokens: text.val.length,
      parameters: parameterCount(networkOf(config, text.tokenizer.vocabSize)),
    };
  } finally {
    opened.close();
  }
};

export const cycleJob: Job<ProjectRequest> = async (request, context) => {
  // The project's log begins with the project; what is told before that is kept until then.
  const early: JobEvent[] = [...(request.earlier ?? [])];
  const opened = await openOrCreateProject(
    request,
    alsoTelling(context, (event) => early.push(event)),
  );
  try {
    const { config } = opened;
    const plan = planOfProject(opened);
    const store = createProjectStore(opened, context);
    const changes = openChanges(opened.project, config, store.context);
    try {
      early.forEach((event) => store.log(event));
      context.steered?.(changes.steering);
      context.logs?.((event) => store.log(event));
      const env = withTimeLeft(
        await trainingEnvironmentOf(store.context, config.threads, config),
        plan,
        changes.control,
      );
      batchesOf(plan).forEach((batch) => mustFitInMemory(batch, env.runtime));
      const { reports, stopped_because } = await runCycles({ config, store, env, control: changes.control });
      const max_cycles = changes.control.maxCycles(config.max_cycles);
      noteOutcome(opened.project.paths.outcome, stopped_because, reports.length - 1, { ...config, max_cycles });
      const base = reports[0];
      return {
        project: request.folder,
        base: base ? baseResults(base) : null,
        cycles: reports.slice(1).map(cycleResults),
        stopped_because,
        samples_before: plainJson(base?.samples ?? []),
        samples_after: plainJson(reports.at(-1)?.samples ?? []),
      };
    } finally {
      changes.close();
      store.close();
    }
  } finally {
    opened.close();
  }
};

/** What the project computes, of the text as it was prepared. */
const planOfProject = ({ config, text }: OpenedProject): Plan => ({
  config,
  model: generatorOf(config, text.tokenizer.vocabSize),
  tokens: { train: text.train.length, val: text.val.length },
});

/** Tells with all progress how long the whole project still takes. */
function withTimeLeft(env: Environment, plan: Plan, control: RunControl): Environment {
  const maxCycles = () => control.maxCycles(plan.config.max_cycles);
  const told = createTimeLeft({ plan, maxCycles, now: () => env.now() });
  return { ...env, emit: (event) => env.emit(told(event)) };
}

const baseResults = ({ base, judgement, ...report }: CycleReport): Json => {
  const { cycle, name, val_loss, perplexity } = report;
  return plainJson({ ...base, cycle, name, val_loss, perplexity, ...lossByText(report), judgement });
};

/** One cycle flat: the figures that train_reward_model and train_grpo give, under the same names. */
function cycleResults(report: CycleReport): Json {
  const { cycle, name, val_loss, perplexity, reward_samples, reward_model, reward_models, critic, grpo, judgement } =
    report;
  const { stopped_because: rewardStopped, iterations: rewardIterations, ...reward } = reward_model ?? {};
  return plainJson({
    ...reward,
    reward_iterations: rewardIterations,
    reward_stopped_because: rewardStopped,
    ...grpo,
    reward_samples,
    reward_models,
    critic,
    judgement,
    cycle,
    name,
    val_loss,
    perplexity,
    ...lossByText(report),
  });
}
