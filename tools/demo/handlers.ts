/** The demonstration's answers, channel by channel. */
import type { Machine, Settings } from '../../shared/contract/machine.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { Queue } from '../../shared/contract/runs.js';
import type { TopicMessage, TopicName } from '../../shared/contract/topics.js';
import type { Draft } from '../../shared/contract/drafts.js';
import { catalogue } from '../../shared/models/catalogue.js';
import { fileFault } from '../../shared/file-faults.js';
import { bytes, localized, verbatim } from '../../shared/messages/message.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { checkDraft, estimateOf, files, newDraft, previewOf, sampleFile } from './drafts.js';
import { circumstancesOf, detailsOf, NOW, summaries } from './projects.js';
import { completionsOf, crossoverCounts, reportOf, rewardChecks, rewardExamples, samplesOverTime } from './reports.js';
import { curves, lengths, placing, valueAt } from './series.js';
import { DemoFault, type DemoHandlers } from './transport.js';
import { createDemoModels } from './models.js';
import { createDemoRatings } from './ratings.js';
import { createDemoWriting } from './writing.js';

export interface DemoOptions {
  /** `busy`: everything there is; `empty`: a first start; `broken`: every call fails; `slow`; `disconnected`;
   * `awaiting`: the running project waits for votes; `elsewhere`: another process uses it; `first`: its base model is trained; `card`: a graphics card that fails; `disk`: a full one, and a read-only one. */
  readonly scenario?:
    | 'busy'
    | 'empty'
    | 'broken'
    | 'slow'
    | 'disconnected'
    | 'diverged'
    | 'card'
    | 'awaiting'
    | 'elsewhere'
    | 'disk'
    | 'first'
    | 'many'
    | 'alike';
  /** Whether the running project continues while one looks; a number sets the milliseconds between steps. */
  readonly live?: boolean | number;
  /** Points of a series: a million, to see whether the charts stay fluid. */
  readonly steps?: number;
  /** Settings of the app that are other than the demonstration's. */
  readonly settings?: Partial<Settings>;
}

const divergence: ProjectSummary['fault'] = {
  code: 'diverged',
  message: localized('train.diverged', { step: 3, why: localized('train.diverged.all_gradients') }),
  hint: localized('train.diverged.hint', { hasCheckpoint: true, phase: 'grpo' }),
  field: 'grpo_learning_rate',
};

const lostCard: ProjectSummary['fault'] = {
  code: 'runtime_missing',
  message: localized('runtime.gpu_failed', { reason: 'The device was lost' }),
  hint: localized('runtime.resume_on_processor'),
  field: 'device',
};

/** Another Moby-Dick in a folder of its own. @param isAlike it has the same name, too */
function copyOf(number: number, isAlike: boolean): ProjectSummary {
  const [moby, , shakespeare] = summaries;
  if (!moby || !shakespeare) throw new Error('the demonstration has projects');
  return {
    ...shakespeare,
    id: `project_moby-${number}`,
    name: isAlike ? moby.name : `${moby.name} ${number}`,
    folder: `${moby.folder}-${number}`,
  };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const machine: Machine = {
  platform: 'linux x64',
  processor: 'AMD EPYC 7B13',
  cores: 8,
  memory_total: 33.6e9,
  memory_free: 14.2e9,
  disk_free: 212e9,
  runtime: 'tensorflow',
  tensorflow: '2.21.0',
  device: 'cpu',
  gflops: 412,
  gflops_bf16: null,
  card: { name: 'AMD Radeon 780M', times: 3.1 },
  notice: null,
};

export function createDemoHandlers(
  { scenario = 'busy', live = false, steps, settings: given = {} }: DemoOptions,
  publish: <T extends TopicName>(topic: T, message: TopicMessage<T>) => void,
): DemoHandlers {
  let projects: ProjectSummary[] = scenario === 'empty' ? [] : summaries.map((summary) => ({ ...summary }));
  if (scenario === 'diverged') {
    projects = projects.map((summary) =>
      summary.state === 'failed' ? { ...summary, preset: 'nano', fault: divergence } : summary,
    );
  }
  if (scenario === 'card') {
    projects = projects.map((summary) => (summary.state === 'failed' ? { ...summary, fault: lostCard } : summary));
  }
  if (scenario === 'awaiting') {
    const awaits = { votes: 34, newest: 'base_model_v2', previous: 'base_model_v1' };
    projects = projects.map((summary) =>
      summary.state === 'running' ? { ...summary, state: 'awaiting_votes', activity: null, awaits } : summary,
    );
  }
  if (scenario === 'first') {
    projects = projects.map((summary): ProjectSummary => {
      if (summary.state !== 'running' || !summary.activity) return summary;
      const activity = {
        ...summary.activity,
        phase: 'base_training' as const,
        cycle: 0,
        done: 30,
        name: 'base_model_v1',
      };
      return { ...summary, activity, cycle: -1, perplexities: [], nats_per_character: [] };
    });
  }
  if (scenario === 'disk') {
    const full = localized('trainer.disk_nearly_full', {
      folder: '/media/usb',
      free: bytes(12e6),
      needed: bytes(80e6),
    });
    projects = projects.map((summary): ProjectSummary => {
      if (summary.state === 'failed') return { ...summary, fault: fileFault('EROFS', summary.folder, 'write') };
      if (!summary.activity) return summary;
      return { ...summary, state: 'paused', activity: { ...summary.activity, detail: full } };
    });
  }
  if (scenario === 'elsewhere') {
    const in_use_by = { host: 'atlas', pid: 4711, command: 'verisim cycle', silent_since: '2026-01-02T03:04:05.000Z' };
    projects = projects.map((summary) =>
      summary.state === 'running' ? { ...summary, state: 'elsewhere', activity: null, in_use_by } : summary,
    );
  }
  if (scenario === 'many' || scenario === 'alike') {
    const copies = scenario === 'many' ? 195 : 1;
    projects = [...projects, ...Array.from({ length: copies }, (_, at) => copyOf(at + 2, scenario === 'alike'))];
  }
  const trash = new Map<string, ProjectSummary>();
  const drafts = new Map<string, Draft>();
  if (scenario !== 'empty') {
    const draft = newDraft('draft_first', 'Sonnets');
    drafts.set(draft.id, { ...draft, files: [], given: {} });
    const trained = { ...newDraft('draft_model', 'Moby-Dick, from SmolLM2'), preset: 'smollm2' };
    drafts.set(trained.id, { ...trained, given: { init_from: 'HuggingFaceTB/SmolLM2-135M' } });
  }
  let settings: Settings = {
    theme: 'system',
    device: 'auto',
    threads: null,
    precision: 'auto',
    log_level: 'info',
    language: 'system',
    locale: null,
    keep_awake: 'while_training',
    chart_axis: 'step',
    endpoint: false,
    ...given,
  };
  let made = 0;
  /** Creates a project that has just started. */
  const startedAs = (name: string): string => {
    const summary: ProjectSummary = {
      ...(summaries[1] as ProjectSummary),
      id: `project_${++made}`,
      name,
      cycle: -1,
      perplexities: [],
      changed: new Date(NOW).toISOString(),
    };
    projects = [summary, ...projects];
    publish('projects.changed', { id: summary.id, summary });
    return summary.id;
  };

  const find = (id: string): ProjectSummary => {
    const found = projects.find((summary) => summary.id === id);
    if (found) return found;
    throw new DemoFault({
      code: 'file_not_found',
      message: localized('projects.project_list_any_more'),
      hint: localized('projects.open_folder_add_again'),
    });
  };
  const change = (id: string, changes: Partial<ProjectSummary>) => {
    projects = projects.map((summary) => (summary.id === id ? { ...summary, ...changes } : summary));
    publish('projects.changed', { id, summary: find(id) });
    publish('queue.changed', queue());
  };
  const queue = (): Queue => ({
    entries: projects
      .filter(({ state }) => state === 'running' || state === 'paused' || state === 'queued')
      .map(({ id, name, state }) => ({
        project: id,
        name,
        state: state === 'running' ? 'running' : state === 'paused' ? 'paused' : 'waiting',
      })),
    interrupted: [],
  });
  const draftOf = (id: string): Draft => {
    const draft = drafts.get(id);
    if (draft) return draft;
    throw new DemoFault({
      code: 'file_not_found',
      message: localized('drafts.draft_there_any_more'),
      hint: localized('drafts.started_discarded_perhaps_another_window'),
    });
  };
  const stepsOf = (summary: ProjectSummary, cycle: number, phase: keyof typeof lengths): number => {
    const total = steps ?? lengths[phase]?.steps ?? 0;
    if (summary.activity && summary.activity.cycle === cycle && summary.activity.phase === phase) {
      return Math.round((total * summary.activity.done) / summary.activity.total);
    }
    const reached = summary.cycle >= cycle || (summary.activity?.cycle === cycle && phase !== 'grpo');
    return reached ? total : 0;
  };

  if (live !== false) {
    setInterval(
      () => {
        for (const { id, state, activity } of projects) {
          if (state !== 'running' || !activity) continue;
          const done = activity.done >= activity.total ? 1 : activity.done + 1;
          const at = (metric: string) => valueAt('grpo', metric, activity.cycle, done) ?? 0;
          change(id, {
            activity: {
              ...activity,
              done,
              seconds_left: (activity.total - done) / 1.42,
              detail: verbatim(`reward ${(100 * at('reward')).toFixed(1)}%, KL ${at('kl').toFixed(3)}`),
            },
          });
          publish('runs.rows', { id, phase: activity.phase, cycle: activity.cycle, step: done });
          if (activity.phase !== 'base_training') continue;
          const written = samplesOverTime(2250, 250).at(-1)?.samples ?? [];
          const samples = written.map((one) => ({ ...one, completion: one.completion.slice(0, 5 * (done - 29)) }));
          publish('runs.writing', { id, cycle: 0, step: 2250, samples });
        }
      },
      live === true ? 700 : live,
    );
  }

  /** A project's settings again, with its text, from a model of its own where one is named. */
  const settingsOf = (
    summary: ProjectSummary,
    model: string | undefined,
  ): Pick<Draft, 'preset' | 'given' | 'files'> => {
    const { data_path: _text, ...config } = detailsOf(summary).config;
    const from = model === undefined ? {} : { init_from: `~/Verisim/${summary.id}/checkpoints/${model}` };
    return { preset: summary.preset, given: { ...config, data_path: sampleFile.handle, ...from }, files: [sampleFile] };
  };

  const handlers: DemoHandlers = {
    'app.info': () => ({
      version: '0.1.0',
      transport: 'browser',
      platform: 'linux',
      projects_folder: '~/Verisim',
      licences: [{ name: 'TensorFlow', licence: 'Apache-2.0' }],
      checks_for_updates: true,
    }),
    'app.checkForUpdates': () => ({}),
    'endpoint.describe': () => ({
      address: settings.endpoint ? 'http://127.0.0.1:8642/v1' : null,
      token: settings.endpoint ? 'demonstration' : null,
      fault: null,
    }),
    'app.diagnostics': () => ({ text: 'Verisim 0.1.0\nlinux x64, 8 cores\nTensorFlow 2.21.0\n' }),
    'machine.describe': () => machine,
    'settings.get': () => settings,
    'settings.set': (changes) => {
      settings = { ...settings, ...changes } as Settings;
      publish('settings.changed', settings);
      return settings;
    },
    'settings.chooseProjectsFolder': () => ({ folder: '~/Texts' }),
    'files.choose': ({ purpose }) => ({
      files: [files.get(purpose === 'meta' ? 'file_meta' : purpose === 'tokens' ? 'file_train' : 'file_book')].flatMap(
        (file) => (file ? [file] : []),
      ),
    }),
    'files.chooseSave': ({ suggested }) => ({
      file: { handle: 'file_saved', name: suggested, kind: 'file', size: 0 },
    }),
    'files.browse': ({ folder }) => ({
      here: folder === null ? 'Places' : 'Documents',
      parent: folder === null ? null : 'file_home',
      entries: folder === null ? [...files.values()].filter(({ kind }) => kind === 'folder') : [...files.values()],
    }),
    'files.combine': ({ files: [first = ''] }) => files.get(first) ?? sampleFile,
    'files.paste': ({ text }) => {
      const pasted = { ...sampleFile, handle: 'file_pasted', name: `${text.slice(0, 12)}.txt`, size: text.length };
      files.set(pasted.handle, pasted);
      return pasted;
    },
    'files.describe': ({ handle }) => files.get(handle) ?? sampleFile,
    'files.sampleText': () => sampleFile,
    'files.reveal': () => ({}),
    'drafts.list': () => ({ drafts: [...drafts.values()] }),
    'drafts.create': ({ name, project, model }) => {
      const empty = newDraft(`draft_${++made}`, name);
      const draft = project === undefined ? empty : { ...empty, ...settingsOf(find(project), model) };
      drafts.set(draft.id, draft);
      return draft;
    },
    'drafts.get': ({ id }) => draftOf(id),
    'drafts.save': ({ id, ...changes }) => {
      const draft = { ...draftOf(id), ...changes, changed: new Date(NOW).toISOString() } as Draft;
      const handles = Object.values(draft.given).filter((value) => typeof value === 'string' && files.has(value));
      const saved = { ...draft, files: handles.flatMap((handle) => files.get(String(handle)) ?? []) };
      drafts.set(id, saved);
      return saved;
    },
    'drafts.discard': ({ id }) => {
      drafts.delete(id);
      return {};
    },
    'drafts.check': ({ id }) => checkDraft(draftOf(id)),
    'drafts.preview': async ({ id }, call) => {
      for (let done = 0; done <= 1; done += 0.5) {
        call.progress({ done, total: 1 });
        await pause(30);
      }
      return previewOf(draftOf(id));
    },
    'drafts.familiarity': async (_, call) => {
      await pause(300);
      const [known] = catalogue;
      call.progress({ init_from: known?.name ?? '', nats_per_character: 1.066, baseline: 2.449 });
      return {};
    },
    'drafts.measure': async ({ id }) => {
      await pause(300);
      const { estimate } = checkDraft(draftOf(id));
      return { tokens_per_second: 17_800, estimate: estimate ?? estimateOf({} as never) };
    },
    'drafts.start': ({ id }) => {
      const { name } = draftOf(id);
      drafts.delete(id);
      return { project: startedAs(name) };
    },
    'projects.list': () => ({ projects }),
    'projects.get': ({ id }) => detailsOf(find(id)),
    'projects.open': () => ({ id: 'project_moby' }),
    'projects.rename': ({ id, name }) => {
      change(id, { name });
      return {};
    },
    'projects.takeOver': ({ id }) => {
      change(id, { state: 'stopped', in_use_by: undefined });
      return {};
    },
    'projects.reveal': () => ({}),
    'projects.delete': ({ id }) => {
      trash.set(id, find(id));
      projects = projects.filter((summary) => summary.id !== id);
      publish('projects.changed', { id, summary: null });
      return { undo: id };
    },
    'projects.restore': ({ undo }) => {
      const summary = trash.get(undo);
      if (summary) {
        trash.delete(undo);
        projects = [...projects, summary];
        publish('projects.changed', { id: undo, summary });
      }
      return { id: undo };
    },
    'projects.deleted': () => ({
      projects: [...trash.values()]
        .map(({ id, name }) => ({
          undo: id,
          name,
          folder: `/home/ada/Verisim/${name}`,
          deleted: new Date(NOW).toISOString(),
        }))
        .reverse(),
      then: 'trash',
    }),
    'projects.empty': () => {
      trash.clear();
      return {};
    },
    'projects.export': () => ({ bytes: 4_200_000 }),
    'projects.exportPlace': ({ id, format }) => ({
      folder: { handle: 'file_saved', name: `${id}-${format}`, kind: 'folder', size: null },
    }),
    'projects.exportModel': ({ id, format }) => ({
      folder: { handle: 'file_saved', name: `${id}-${format}`, kind: 'folder', size: null },
      place: `~/Verisim/${id}-${format}`,
    }),
    'projects.saveReport': ({ ids, format }) => ({
      file: { handle: 'file_saved', name: `${ids.join('-')}.${format}`, kind: 'file', size: 240_000 },
      bytes: 240_000,
    }),
    'projects.circumstances': ({ id }) => circumstancesOf(find(id)),
    'projects.import': () => ({ id: 'project_moby' }),
    'projects.sample': ({ name }) => {
      const summary = { ...(summaries[0] as ProjectSummary), id: `project_${++made}`, name: `Sample: ${name}` };
      projects = [summary, ...projects];
      publish('projects.changed', { id: summary.id, summary });
      return { id: summary.id };
    },
    'projects.reports': ({ id }) => {
      const summary = find(id);
      const { activity } = summary;
      const found = activity?.phase === 'grpo' ? reportOf(activity.cycle, null).reward_model : null;
      return {
        reports: Array.from({ length: summary.cycle + 1 }, (_, cycle) =>
          reportOf(cycle, summary.perplexities[cycle] ?? null),
        ),
        unfinished: activity && found && { cycle: activity.cycle, reward_model: found },
      };
    },
    'projects.events': ({ id, count }) => {
      find(id);
      const words: JobEvent[] = [
        { event: 'phase', phase: 'prepare', state: 'finished', cycle: 0, message: localized('phase.prepare.doing') },
        {
          event: 'phase',
          phase: 'base_training',
          state: 'finished',
          cycle: 0,
          message: localized('phase.base_training.doing'),
        },
        {
          event: 'notice',
          level: 'info',
          code: 'reward_sees',
          message: localized('reward.verdict', { verdict: 'some', fit: 'R² 0.277' }),
        },
      ];
      const events = words.map((event, at) => ({ at: new Date(NOW - (9 - at) * 400_000).toISOString(), event }));
      return { events: events.slice(-count) };
    },
    'metrics.window': ({ id, cycle, phase, names, axis = 'step', from, to, points }) => {
      const last = stepsOf(find(id), cycle, phase);
      const every = steps === undefined ? (lengths[phase]?.every ?? 1) : 1;
      const place = placing(id, phase, axis);
      if (place === null) return { series: {}, last_step: last, unplaced: Math.floor(last / every) };
      const begin = Math.max(every, place.stepAt(from ?? 0));
      const end = Math.min(last, to === null ? last : place.stepAt(to));
      const stride = Math.max(every, Math.ceil((end - begin) / points / every) * every);
      const series = Object.fromEntries(
        names
          .filter((name) => curves[phase]?.[name])
          .map((name) => {
            const places: number[] = [];
            const values: (number | null)[] = [];
            for (let step = Math.ceil(begin / stride) * stride; step <= end; step += stride) {
              const value = valueAt(phase, name, cycle, step, 42);
              if (value === null) continue;
              places.push(step);
              values.push(value);
            }
            return [name, { steps: places, values, ...(axis !== 'step' && { positions: places.map(place.of) }) }];
          }),
      );
      return { series, last_step: last, unplaced: 0 };
    },
    'samples.overTime': ({ id, cycle, most, around = null }) => {
      const all = cycle === 0 ? samplesOverTime(stepsOf(find(id), 0, 'base_training'), 250) : [];
      const at = Math.max(0, all.filter(({ step }) => step <= (around ?? 0)).length - 1);
      const shown = around === null ? all.slice(-most) : all.slice(Math.max(0, at - 1), at + 2);
      return { total: all.length, evaluations: shown };
    },
    'completions.page': ({ id, cycle, search, sort, descending, at, offset, count }) => {
      const all = completionsOf(cycle, stepsOf(find(id), cycle, 'grpo')).filter(
        ({ step, prompt, completion }) =>
          (at === undefined || step === Math.max(1, Math.floor(at))) &&
          (prompt + completion).toLowerCase().includes(search.toLowerCase()),
      );
      all.sort((a, b) => (descending ? -1 : 1) * (a[sort] - b[sort]));
      return { total: all.length, rows: all.slice(offset, offset + count) };
    },
    'rewardData.summary': () => ({ checks: rewardChecks, crossover_counts: crossoverCounts }),
    'rewardData.examples': ({ order, offset, count }) => ({
      total: 200,
      rows: rewardExamples(200, order === 'worst').slice(offset, offset + count),
    }),
    'runs.start': ({ id, device }) => {
      if (scenario === 'card' && device !== 'cpu') return {};
      change(id, { state: 'queued', fault: null });
      return {};
    },
    'runs.learn': ({ id }) => {
      change(id, { state: 'queued', max_cycles: find(id).max_cycles + 1 });
      return {};
    },
    'runs.pause': ({ id }) => {
      change(id, { state: 'paused' });
      return {};
    },
    'runs.resume': ({ id }) => {
      change(id, { state: 'running' });
      return {};
    },
    'runs.stop': ({ id }) => {
      change(id, { state: 'stopped', activity: null });
      return {};
    },
    'runs.skip': () => ({}),
    'runs.extend': ({ id, cycles }) => {
      change(id, { max_cycles: find(id).max_cycles + cycles });
      return {};
    },
    'runs.change': () => ({}),
    'queue.get': queue,
    'queue.move': ({ project, to }) => {
      const others = projects.filter(({ id }) => id !== project);
      const next = others.filter(({ state }) => state === 'queued')[to];
      const at = next ? others.indexOf(next) : others.length;
      projects = [...others.slice(0, at), find(project), ...others.slice(at)];
      publish('queue.changed', queue());
      return {};
    },
    'queue.remove': ({ project }) => {
      change(project, { state: 'stopped' });
      return {};
    },
    'runs.withoutVotes': ({ id }) => {
      change(id, { state: 'running', awaits: null });
      return {};
    },
    'queue.continue': () => ({}),
    ...createDemoModels(publish),
    ...createDemoRatings((id) => id === 'project_shakespeare'),
    ...createDemoWriting(),
  };

  if (scenario === 'broken') {
    const kept = new Set(['app.info', 'settings.get', 'machine.describe']);
    return Object.fromEntries(
      Object.entries(handlers).map(([name, handler]) => [
        name,
        kept.has(name)
          ? handler
          : () => {
              throw new DemoFault({
                code: 'file_damaged',
                message: verbatim('The list of projects cannot be read: projects.json is damaged.'),
                hint: verbatim('Restore it from a copy, or remove it: the projects themselves are not touched.'),
              });
            },
      ]),
    ) as unknown as DemoHandlers;
  }
  if (scenario === 'slow') {
    return Object.fromEntries(
      Object.entries(handlers).map(([name, handler]) => [
        name,
        async (...given: [never, never]) => {
          await pause(3000);
          return (handler as (...given: [never, never]) => unknown)(...given);
        },
      ]),
    ) as unknown as DemoHandlers;
  }
  return handlers;
}
