/** The whole of Verisim as a job: a project in, base model and cycles out; resumes where it stopped. */
import { generatorOf } from '../../../shared/config/model.js';
import { batchesOf, peakMemory } from '../../../shared/costs/memory.js';
import type { Plan } from '../../../shared/costs/phases.js';
import { adviceMessage, cycleAdvice } from '../../../shared/reports/cycle-advice.js';
import { cycleVerdict } from '../../../shared/reports/cycle-control.js';
import { outcomeOf } from '../../../shared/reports/outcome.js';
import { lossByText, type CycleReport, type EndReason } from '../../../shared/reports/report.js';
import { runCycles } from '../../engine/cycle/cycle.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import type { RunControl } from '../../engine/control.js';
import type { Environment, Json } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { noteOutcome } from '../../storage/projects/outcome.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { openChanges } from '../changes.js';
import { inTeam } from '../cluster/in-team.js';
import { giveProject, takeProject } from '../cluster/shared-project.js';
import { sharedStore } from '../cluster/shared-store.js';
import { mustFitInMemory } from '../machine/memory.js';
import { createProjectStore } from './project-store.js';
import { openOrCreateProject, type OpenedProject, type ProjectRequest } from './project.js';
import { trainingOnCommand } from './settings-again.js';
import { createTimeLeft } from './time-left.js';
import { trainingEnvironmentOf } from '../run/training-environment.js';
import { alsoTelling, type Job, type JobContext, type Results } from '../types.js';

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
      ...adviceResult(config, text.train.length),
      parameters: parameterCount(generatorOf(config, text.tokenizer.vocabSize)),
    };
  } finally {
    opened.close();
  }
};

export const cycleJob: Job<ProjectRequest> = (request, context) => {
  const { folder, settings, cluster } = request;
  if (!cluster) return cycles(request, context);
  return inTeam(
    {
      settings: { ...settings, ...cluster },
      context,
      // What an existing project computes with is in its settings.
      ...(isProject(folder) ? { machine: openProject(folder).config } : {}),
    },
    () => cycles(request, context),
    (inside, own) => cycles(request, inside, own),
  );
};

/** @param folder where one of a team works that is not rank 0, on a copy of what rank 0's project begins with */
async function cycles(request: ProjectRequest, context: JobContext, folder: string | null = null): Promise<Results> {
  // The project's log begins with the project; what is told before that is kept until then.
  const early: JobEvent[] = [...(request.earlier ?? [])];
  const { team } = context;
  if (team && folder !== null) await takeProject(team, folder);
  const opened = await openOrCreateProject(
    folder === null ? request : { folder, settings: null, given: {} },
    alsoTelling(context, (event) => early.push(event)),
  );
  try {
    if (team && folder === null) await giveProject(team, opened.project.paths);
    const { config } = opened;
    const plan = planOfProject(opened);
    const own = createProjectStore(opened, context);
    const store = sharedStore(own, team, (event) => own.context.emit(event));
    const changes = openChanges(opened.project, config, store.context);
    try {
      early.forEach((event) => store.log(event));
      context.steered?.(changes.steering);
      context.logs?.((event) => store.log(event));
      const alone = await trainingEnvironmentOf(store.context, config.threads, config);
      if (!(await own.loadReport(0))) advise(config, plan.tokens.train, store.context);
      batchesOf(plan, team).forEach((batch) => mustFitInMemory(batch, alone.runtime));
      const env = handingOver(withTimeLeft(alone, plan, changes.control), plan, context);
      const { reports, stopped_because, awaits } = await runCycles({ config, store, env, control: changes.control });
      const max_cycles = changes.control.maxCycles(config.max_cycles);
      if (stopped_because !== 'votes')
        noteOutcome(opened.project.paths.outcome, stopped_because, reports.length - 1, { ...config, max_cycles });
      const base = reports[0];
      const trainOn = trainingOnCommand(request.folder, reports);
      return {
        project: request.folder,
        base: base ? baseResults(base) : null,
        cycles: reports.slice(1).map(cycleResults),
        stopped_because,
        ...(awaits ? { awaits } : {}),
        ...(trainOn === null ? {} : { train_on: trainOn }),
        outcome: outcomeResults(reports, stopped_because === 'votes' ? null : stopped_because),
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
}

function adviceResult(config: OpenedProject['config'], trainTokens: number): { readonly advice?: Json } {
  const given = cycleAdvice(config, trainTokens);
  return given === null ? {} : { advice: plainJson(given) };
}

/** Whether cycles will pay, before anything is trained. */
function advise(config: OpenedProject['config'], trainTokens: number, { emit }: Pick<JobContext, 'emit'>): void {
  const given = cycleAdvice(config, trainTokens);
  if (given === null) return;
  emit({ event: 'notice', level: 'info', code: `cycle_advice_${given.advice}`, message: adviceMessage(given) });
}

/** What the project computes, of the text as it was prepared. */
const planOfProject = ({ config, text }: OpenedProject): Plan => ({
  config,
  model: generatorOf(config, text.tokenizer.vocabSize),
  tokens: { train: text.train.length, val: text.val.length },
});

/** Stops between two phases, too, where another process is to go on. A graphics card's memory is given back by all that used it. */
function handingOver(env: Environment, plan: Plan, { handsOver, team }: JobContext): Environment {
  const { stop, runtime } = env;
  if (!handsOver || team || runtime.device === 'cuda') return env;
  const needed = peakMemory(plan, { precision: runtime.precision });
  return {
    ...env,
    stop: {
      get requested() {
        return stop.requested;
      },
      get afterPhase() {
        return stop.afterPhase === true || handsOver(needed);
      },
    },
  };
}

/** Adds the project's remaining time to progress events. */
function withTimeLeft(env: Environment, plan: Plan, control: RunControl): Environment {
  const maxCycles = () => control.maxCycles(plan.config.max_cycles);
  const withEstimate = createTimeLeft({ plan, maxCycles, now: () => env.now() });
  return { ...env, emit: (event) => env.emit(withEstimate(event)) };
}

function outcomeResults(reports: readonly CycleReport[], ended: EndReason | null): Json {
  const outcome = outcomeOf({ reports, ended });
  return outcome && plainJson(outcome);
}

const baseResults = ({ base, judgement, ...report }: CycleReport): Json => {
  const { cycle, name, val_loss, perplexity } = report;
  return plainJson({ ...base, cycle, name, val_loss, perplexity, ...lossByText(report), judgement });
};

/** One cycle flat: the figures that train_reward_model and train_grpo give, under the same names. */
function cycleResults(report: CycleReport): Json {
  const { cycle, name, val_loss, perplexity, reward_samples, reward_model, reward_models, critic, grpo } = report;
  const { judgement, control } = report;
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
    ...(control ? { control: { ...control, verdict: cycleVerdict(control) } } : {}),
    cycle,
    name,
    val_loss,
    perplexity,
    ...lossByText(report),
  });
}
