/** Ways to a new project's settings: empty, with those of another, or from what another has learned. */
import { useRouter } from 'vue-router';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { GivenSettings } from '../../shared/contract/values.js';
import { plainTraining } from '../../shared/cycle-control.js';
import { artefactWords, versionWords } from '../format/artefact-words.js';
import { strings } from '../strings/index.js';
import { useAsk } from './useAsk.js';

export function useDraftActions() {
  const { ask } = useAsk();
  const router = useRouter();

  /**
   * A new draft, empty or with a project's settings, and on to the wizard: to its beginning, or, with settings that differ,
   * to where they are all seen and started with.
   */
  async function setUp(project?: ProjectSummary, changes?: GivenSettings) {
    const draft = await ask(
      'drafts.create',
      project
        ? { project: project.id, name: strings.home.copyOf(project.name).slice(0, 200) }
        : { name: strings.wizard.title },
    );
    if (!draft) return;
    const given = { ...draft.given, ...changes };
    if (changes && !(await ask('drafts.save', { id: draft.id, given }))) return;
    await router.push(`/new/${draft.id}/${changes ? 'review' : 'begin'}`);
  }

  /** A new draft that begins from what a project's model had learned, with its settings, and on to where they are all seen. */
  async function begun(id: string, model: string, name: string, changes?: GivenSettings) {
    const draft = await ask('drafts.create', { project: id, model, name: name.slice(0, 200) });
    if (!draft) return;
    if (changes && !(await ask('drafts.save', { id: draft.id, given: { ...draft.given, ...changes } }))) return;
    await router.push(`/new/${draft.id}/review`);
  }
  const fork = ({ id, name }: ProjectSummary, model: string) =>
    begun(id, model, strings.project.fork.name(name, versionWords(model)));
  /** The same from within a phase: what it had learned after so many steps is kept first, as training goes on without it. */
  async function forkWithin(
    { id, name }: ProjectSummary,
    checkpoint: { readonly model: string; readonly step: number },
  ) {
    const kept = await ask('projects.keepCheckpoint', { id, model: checkpoint.model, step: checkpoint.step });
    if (kept) await begun(id, kept.model, strings.project.fork.name(name, artefactWords(kept.model)));
  }
  /** The same without cycles: plain training. */
  const trainOn = ({ id, name }: ProjectSummary, model: string) =>
    begun(id, model, strings.project.outcome.trainOnName(name), plainTraining);
  return { setUp, fork, forkWithin, trainOn };
}
