/** Creates drafts: empty, with another project's settings, or from another project's model. */
import { useRouter } from 'vue-router';
import type { Input } from '../../shared/contract/index.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { GivenSettings } from '../../shared/contract/values.js';
import { plainTraining } from '../../shared/reports/cycle-control.js';
import { artefactWords, versionWords } from '../format/artefact-words.js';
import { t } from '../messages/index.js';
import type { StepName } from '../wizard/steps.js';
import { useAsk } from './useAsk.js';

export function useDraftActions() {
  const { ask } = useAsk();
  const router = useRouter();

  /** Creates a draft and opens a page of the wizard: the first, or the review of all settings. */
  async function openDraft(from: Input<'drafts.create'> & { name: string }, step: StepName, changes?: GivenSettings) {
    const draft = await ask('drafts.create', { ...from, name: from.name.slice(0, 200) });
    if (!draft) return;
    if (changes && !(await ask('drafts.save', { id: draft.id, given: { ...draft.given, ...changes } }))) return;
    await router.push(`/new/${draft.id}/${step}`);
  }
  /** Sets up an empty draft, or one with a project's settings. */
  const setUp = (project?: ProjectSummary, changes?: GivenSettings) =>
    openDraft(
      project ? { project: project.id, name: t('home.copyOf', { name: project.name }) } : { name: t('wizard.title') },
      changes ? 'review' : 'begin',
      changes,
    );
  /** Continues from a project's trained model, with its settings. */
  const after = (id: string, model: string, name: string, changes?: GivenSettings) =>
    openDraft({ project: id, model, name }, 'review', changes);
  const fork = ({ id, name }: ProjectSummary, model: string) =>
    after(id, model, t('project.fork.name', { project: name, model: versionWords(model) }));
  /** Forks within a phase: stores the checkpoint first, because training goes on without it. */
  async function forkWithin(
    { id, name }: ProjectSummary,
    checkpoint: { readonly model: string; readonly step: number },
  ) {
    const stored = await ask('projects.keepCheckpoint', { id, model: checkpoint.model, step: checkpoint.step });
    if (stored)
      await after(id, stored.model, t('project.fork.name', { project: name, model: artefactWords(stored.model) }));
  }
  /** Trains the model further without cycles. */
  const trainOn = ({ id, name }: ProjectSummary, model: string) =>
    after(id, model, t('project.outcome.trainOnName', { project: name }), plainTraining);
  return { setUp, fork, forkWithin, trainOn };
}
