/** The whole of Verisim as a job: a project in, base model and cycles out; resumes where it stopped. Also clones projects. */
import { existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { parameterCount } from '../../../shared/architectures/index.js';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { dataShape, projectShape, withoutTakenOver } from '../../../shared/config/index.js';
import { generatorOf } from '../../../shared/config/model.js';
import { presetValues } from '../../../shared/config/resolve.js';
import { batchesOf, peakMemory } from '../../../shared/costs/memory.js';
import type { Plan } from '../../../shared/costs/phases.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { adviceMessage, cycleAdvice } from '../../../shared/reports/cycle-advice.js';
import { cycleVerdict } from '../../../shared/reports/cycle-control.js';
import { outcomeOf, shownSamples, type ShownSamples } from '../../../shared/reports/outcome.js';
import { lossByText, type CycleReport, type EndReason } from '../../../shared/reports/report.js';
import type { RunControl } from '../../engine/control.js';
import { runCycles } from '../../engine/cycle/cycle.js';
import type { Environment, Json } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { copyFolder } from '../../storage/disk/staged.js';
import { noteOutcome } from '../../storage/projects/outcome.js';
import { createProject, openProject } from '../../storage/projects/project-folder.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { openChanges } from '../changes.js';
import { compareWeights, inTeam } from '../cluster/in-team.js';
import { receiveProject, sendProject, sharedStore } from '../cluster/shared-project.js';
import { trainingEnvironmentOf } from '../machine/matrix-product.js';
import { mustFitInMemory } from '../machine/memory.js';
import { alsoEmitting, notice, workedTime, type Job, type JobContext, type Results } from '../types.js';
import { projectConfigOf, trainingOnCommand } from './project-settings.js';
import { createProjectStore } from './project-store.js';
import { openOrCreateProject, type OpenedProject, type ProjectRequest } from './project.js';
import { createTimeLeft } from './time-left.js';

/** Creates the project, with its text prepared and every setting checked, and trains nothing yet. */
export const newProjectJob: Job<ProjectRequest> = async (request, context) => {
  const opened = await openOrCreateProject(request, context);
  try {
    const { config, text } = opened;
    const advice = cycleAdvice(config, text.train.length);
    return {
      project: request.folder,
      tokenization: text.tokenization.method,
      vocab_size: text.tokenizer.vocabSize,
      train_tokens: text.train.length,
      val_tokens: text.val.length,
      ...(advice ? { advice: plainJson(advice) } : {}),
      parameters: parameterCount(generatorOf(config, text.tokenizer.vocabSize)),
    };
  } finally {
    opened.close();
  }
};

/**
 * Creates a project with the configuration of another, and trains nothing.
 * @param request.given what the user wrote: only this differs from the cloned project
 * @throws UserError `exists`, `file_not_found`, and faults of a new project
 */
export async function cloneJob(
  request: {
    readonly settings: ProjectCommand & { readonly to: string };
    readonly given: Readonly<Record<string, unknown>>;
  },
  context: JobContext,
): Promise<Results> {
  const { project, to } = request.settings;
  const source = openProject(project);
  const given = { ...presetValues(projectShape, request.given['preset']), ...request.given };
  const changes = Object.entries(given).filter(([key]) => key in projectShape);
  const { mode: _mode, vocab_size: _vocabulary, ...chosen } = withoutTakenOver(source.config);
  const settings = { ...chosen, ...Object.fromEntries(changes), project: to, preset: 'none' } as ProjectCommand;
  const made = { folder: to, settings, given: {} };
  // The same text was prepared already, and its files may be gone.
  const sameText = !changes.some(([key]) => key in dataShape) && existsSync(join(source.paths.data, 'train.bin'));
  if (!sameText) return newProjectJob(made, context);
  const facts = { name: basename(resolve(to)), verisim_version: packageFile.version };
  const { paths } = createProject(to, projectConfigOf(settings), facts);
  try {
    copyFolder(source.paths.data, paths.data);
    return await newProjectJob(made, context);
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
}

export const cycleJob: Job<ProjectRequest> = (request, context) => {
  const { folder, settings, cluster } = request;
  if (!cluster) return cycles(request, context);
  return inTeam(
    {
      settings: { ...settings, ...cluster },
      context,
      // An existing project stores its device in its settings.
      ...(isProject(folder) ? { machine: openProject(folder).config } : {}),
    },
    () => cycles(request, context),
    (inside, own) => cycles(request, inside, own),
  );
};

/** @param folder of a rank other than 0, which works on a copy of rank 0's project */
async function cycles(request: ProjectRequest, context: JobContext, folder: string | null = null): Promise<Results> {
  // Events before there is a project, for its log.
  const early: JobEvent[] = [...(request.earlier ?? [])];
  // Preparing the text is part of the minutes.
  const began = workedTime(context);
  const { team } = context;
  if (team && folder !== null) await receiveProject(team, folder);
  const opened = await openOrCreateProject(
    folder === null ? request : { folder, settings: null, given: {} },
    alsoEmitting(context, (event) => early.push(event)),
  );
  try {
    if (team && folder === null) await sendProject(team, opened.project.paths);
    const { config, text } = opened;
    const plan: Plan = {
      config,
      model: generatorOf(config, text.tokenizer.vocabSize),
      tokens: { train: text.train.length, val: text.val.length },
    };
    const own = createProjectStore(opened, context);
    const store = sharedStore(own, team, (members, name, weights) =>
      compareWeights(members, name, weights, own.context.emit),
    );
    const changes = openChanges(opened.project, config, store.context);
    const { control } = changes;
    try {
      early.forEach((event) => store.log(event));
      context.steered?.(changes.steering);
      context.logs?.((event) => store.log(event));
      const alone = await trainingEnvironmentOf(store.context, config.threads, config);
      if (!(await own.loadReport(0))) advise(config, plan.tokens.train, store.context);
      batchesOf(plan, team).forEach((batch) => mustFitInMemory(batch, alone.runtime));
      const env = handingOver(withTimeLeft(alone, plan, control), plan, context);
      const { reports, stopped_because, awaits } = await runCycles({ config, store, env, began, control });
      const max_cycles = control.maxCycles(config.max_cycles);
      const ended = stopped_because === 'votes' ? null : stopped_because;
      if (ended) noteOutcome(opened.project.paths.outcome, ended, reports.length - 1, { ...config, max_cycles });
      return {
        ...resultsOf(reports, ended),
        project: request.folder,
        stopped_because,
        ...(awaits ? { awaits } : {}),
        ...trainingOn(request.folder, reports),
      };
    } finally {
      changes.close();
      store.close();
    }
  } finally {
    opened.close();
  }
}

/** Reports before training whether cycles will pay off. */
function advise(config: OpenedProject['config'], trainTokens: number, { emit }: Pick<JobContext, 'emit'>): void {
  const given = cycleAdvice(config, trainTokens);
  if (given) emit(notice(`cycle_advice_${given.advice}`, adviceMessage(given)));
}

/** Also stops between two phases if another process is to continue. On a graphics card no memory needs to be freed so. */
function handingOver(env: Environment, plan: Plan, { handsOver, team }: JobContext): Environment {
  const { stop, runtime } = env;
  if (!handsOver || team || runtime.device !== 'cpu') return env;
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
  const withEstimate = createTimeLeft(plan, maxCycles, () => env.now());
  return { ...env, emit: (event) => env.emit(withEstimate(event)) };
}

function trainingOn(folder: string, reports: readonly CycleReport[]): Results {
  const command = trainingOnCommand(folder, reports);
  return command === null ? {} : { train_on: command };
}

function resultsOf(reports: readonly CycleReport[], ended: EndReason | null): Results {
  const [base, ...improved] = reports;
  const outcome = outcomeOf({ reports, ended });
  const shown = shownSamples(reports);
  const samplesBy = (who: ShownSamples['by']) => {
    const found = shown.find(({ by }) => by === who);
    return found && plainJson(found.samples);
  };
  return {
    base: base ? baseResults(base) : null,
    cycles: improved.map(cycleResults),
    outcome: outcome && plainJson(outcome),
    samples_before: samplesBy('before') ?? samplesBy('first') ?? [],
    samples_after: samplesBy('now') ?? [],
    samples_text: samplesBy('text') ?? [],
  };
}

const baseResults = ({ base, judgement, ...report }: CycleReport): Json => {
  const { cycle, name, val_loss, perplexity } = report;
  return plainJson({ ...base, cycle, name, val_loss, perplexity, ...lossByText(report), judgement });
};

/** One cycle flat: the figures of train_reward_model and train_grpo, under the same names. */
function cycleResults(report: CycleReport): Json {
  const { cycle, name, val_loss, perplexity, reward_samples, reward_model, reward_models, critic, grpo } = report;
  const { judgement, control, voice, choices } = report;
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
    ...(voice ? { voice } : {}),
    ...(choices ? { choices } : {}),
    ...(control ? { control: { ...control, verdict: cycleVerdict(control) } } : {}),
    cycle,
    name,
    val_loss,
    perplexity,
    ...lossByText(report),
  });
}
