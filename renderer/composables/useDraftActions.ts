/** Ways to a new project's settings: empty, with those of another, or from what another has learned. */
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

  /** A new draft, and on to a page of the wizard: its beginning, or where all settings are seen and started with. */
  async function begun(from: Input<'drafts.create'> & { name: string }, step: StepName, changes?: GivenSettings) {
    const draft = await ask('drafts.create', { ...from, name: from.name.slice(0, 200) });
    if (!draft) return;
    if (changes && !(await ask('drafts.save', { id: draft.id, given: { ...draft.given, ...changes } }))) return;
    await router.push(`/new/${draft.id}/${step}`);
  }
  /** Empty, or with a project's settings. */
  const setUp = (project?: ProjectSummary, changes?: GivenSettings) =>
    begun(
      project ? { project: project.id, name: t('home.copyOf', { name: project.name }) } : { name: t('wizard.title') },
      changes ? 'review' : 'begin',
      changes,
    );
  /** From what a project's model had learned, with its settings. */
  const after = (id: string, model: string, name: string, changes?: GivenSettings) =>
    begun({ project: id, model, name }, 'review', changes);
  const fork = ({ id, name }: ProjectSummary, model: string) =>
    after(id, model, t('project.fork.name', { project: name, model: versionWords(model) }));
  /** The same from within a phase: what it had learned after so many steps is kept first, as training goes on without it. */
  async function forkWithin(
    { id, name }: ProjectSummary,
    checkpoint: { readonly model: string; readonly step: number },
  ) {
    const kept = await ask('projects.keepCheckpoint', { id, model: checkpoint.model, step: checkpoint.step });
    if (kept) await after(id, kept.model, t('project.fork.name', { project: name, model: artefactWords(kept.model) }));
  }
  /** The same without cycles: plain training. */
  const trainOn = ({ id, name }: ProjectSummary, model: string) =>
    after(id, model, t('project.outcome.trainOnName', { project: name }), plainTraining);
  return { setUp, fork, forkWithin, trainOn };
}
