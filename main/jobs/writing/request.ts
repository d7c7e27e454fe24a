/** Requests the cycle that learns from the user's choices, as they are now; it then runs and resumes as any other. */
import { LEAST_CHOICES, learnsChoices } from '../../../shared/config/choices.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { kindAt } from '../../storage/disk/file-operations.js';
import { projectFacts } from '../../storage/projects/project-facts.js';
import { openProjectForWriting } from '../../storage/projects/project-folder.js';
import { readDocument, saveChoices } from '../../storage/projects/writing.js';
import { choicesOf } from './choices.js';

// eslint-disable-next-line house/no-sentences -- a command
const COMMAND = 'verisim learn';
/** Every so many contexts, one is held out. */
const HELD_OUT = 5;

/**
 * Does nothing if that cycle was requested already and is not finished.
 * @throws UserError `bad_input` without a model, with too few choices or within another cycle; `locked`
 */
export function requestLearning(folder: string): void {
  const project = openProjectForWriting(folder, COMMAND);
  try {
    const { config, paths, saveConfig } = project;
    const facts = projectFacts(folder);
    if (facts.kind !== 'whole') throw new Error('a project that was just opened is gone');
    const { reports, ended } = facts;
    const cycle = reports.length;
    if (cycle === 0) throw refused('no_model');
    if (learnsChoices(config, cycle)) return;
    if (ended === null && kindAt(paths.cycle(cycle).folder) !== 'none') throw refused('under_way');
    const choices = choicesOf(folder);
    if (choices.length < LEAST_CHOICES) throw refused('too_few', choices.length);
    const contexts = [...new Set(choices.map(({ context }) => context))];
    const heldOut = new Set(contexts.filter((_, at) => at % HELD_OUT === HELD_OUT - 1));
    saveChoices(folder, cycle, {
      choices: choices.map(({ context, chosen, others }) => {
        return { context, chosen, others: [...others], held_out: heldOut.has(context) };
      }),
      ignored: readDocument(folder).ignored,
    });
    // Cycles that are still to come follow it.
    const max_cycles = ended === null ? Math.max(config.max_cycles, cycle) : cycle;
    saveConfig({ ...config, max_cycles, learned_cycles: [...(config.learned_cycles ?? []), cycle] });
  } finally {
    project.lock.release();
  }
}

const refused = (why: 'no_model' | 'too_few' | 'under_way', choices = 0): UserError =>
  new UserError({
    code: 'bad_input',
    message: localized(`learn.${why}`, { choices, least: LEAST_CHOICES }),
    hint: localized(`learn.${why}.hint`),
  });
