/** The wizard. */
import { beginningOf, recommendBeginning } from '../../../shared/models/beginning.js';
import type { draftChannels } from '../../../shared/contract/drafts.js';
import { pretrainedPreset } from '../../../shared/config/presets.js';
import type { Settings } from '../../../shared/contract/machine.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import type { Problem } from '../../../shared/config/checks.js';
import { initialModelName } from '../../storage/hub/initial-model-name.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function draftHandlers({
  drafts,
  draftWork,
  files,
  making,
  models,
  projects,
  settings,
  supervisor,
  publishProject,
}: Services): Handlers<Named<typeof draftChannels>> {
  /** Paths in a fix become handles: they are next to files that the user chose. */
  const shown = ({ fix, ...problem }: Problem) => {
    if (fix === undefined) return problem;
    const { set, unset } = fix;
    return {
      ...problem,
      fix: {
        ...(set === undefined ? {} : { set: drafts.withHandles(set) }),
        ...(unset === undefined ? {} : { unset: [...unset] }),
      },
    };
  };
  /** What a new draft begins from unless the person chooses otherwise: what is advised, where that is here already. */
  const advised = () => {
    const known = models.list().models;
    const { model } = recommendBeginning({ models: known, textBytes: null, language: null, isPrepared: false });
    const found = known.find(({ id, state }) => id === model && state === 'present');
    if (found === undefined) return null;
    return { init_from: found.source === 'setup' ? files.pathOf(found.init_from) : found.init_from };
  };
  return {
    'drafts.list': () => ({ drafts: [...drafts.list()] }),
    'drafts.create'({ name, project, model }) {
      if (project === undefined) {
        const advice = advised();
        return drafts.create({
          name,
          ...(advice === null ? {} : { preset: pretrainedPreset }),
          given: { ...machineOf(settings.get()), ...advice },
        });
      }
      return drafts.get(making.draftOf(projects.folderOf(project), { name, model }));
    },
    'drafts.get': ({ id }) => drafts.get(id),
    'drafts.save': ({ id, ...change }) => drafts.save(id, change),
    'drafts.discard'({ id }) {
      drafts.discard(id);
      return {};
    },
    'drafts.check'({ id }) {
      const { config, problems, command, needs, initial } = draftWork.check(id);
      return {
        problems: problems.map(shown),
        resolved: config === null ? null : resolvedOf(config, drafts),
        begins_from:
          initial && beginningOf(initialModelName(config ?? {}) ?? '', initial.model, initial.tokenization.method),
        command,
        estimate: needs?.estimate ?? null,
        largest_batch: needs?.largestBatch ?? null,
        advice: needs?.advice ?? null,
      };
    },
    'drafts.preview': ({ id }, { signal, progress }) => draftWork.preview(id, { signal, onProgress: progress }),
    'drafts.measure': ({ id }, { signal }) => draftWork.measure(id, signal),
    'drafts.familiarity': ({ id }, { signal, progress }) => draftWork.familiarity(id, { signal, onProgress: progress }),
    async 'drafts.start'({ id }) {
      const made = making.fromDraft(id);
      publishProject(made.id);
      await supervisor.start(made.folder);
      return { project: made.id };
    },
  };
}

const machineOf = ({ device, threads, precision }: Settings): GivenSettings => ({
  ...(device === 'auto' ? {} : { device }),
  ...(threads === null ? {} : { threads }),
  ...(precision === 'auto' ? {} : { precision }),
});

/** Where it would be made is main's business. */
function resolvedOf(config: object, drafts: Services['drafts']): GivenSettings {
  const { project: _project, preset: _preset, ...settings } = config as Record<string, unknown>;
  return drafts.withHandles(settings);
}
