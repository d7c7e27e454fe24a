/** Reads the choices that a cycle learns from in the tokens of its project's models. */
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import type { FrozenChoices } from '../../engine/cycle/cycle-types.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import type { ReadableChoice } from '../../engine/voice/choices.js';
import type { Project } from '../../storage/projects/project-folder.js';
import { readChoices, type StoredChoices } from '../../storage/projects/writing.js';
import { notice, type JobContext } from '../types.js';

type Stored = StoredChoices['choices'][number];

/** @throws UserError `unknown_character` if the models know the characters of none. Null if none were stored */
export function readableChoices(
  { project, text }: { readonly project: Pick<Project, 'paths'>; readonly text: { readonly tokenizer: Tokenizer } },
  cycle: number,
  { emit }: Pick<JobContext, 'emit'>,
): FrozenChoices | null {
  const stored = readChoices(project.paths.folder, cycle);
  if (!stored) return null;
  const { choices, ignored } = stored;
  const readable = (heldOut: boolean) =>
    choices.filter(({ held_out }) => held_out === heldOut).flatMap((choice) => inTokens(choice, text.tokenizer) ?? []);
  const [training, heldOut] = [readable(false), readable(true)];
  const unreadable = choices.length - training.length - heldOut.length;
  const message = localized('choices.unreadable', { unreadable, choices: choices.length });
  if (training.length === 0)
    throw new UserError({ code: 'unknown_character', message, hint: localized('choices.unreadable.hint') });
  if (unreadable > 0) emit(notice('choices_unreadable', message));
  return { training, heldOut, ignored };
}

/** Encodes as a model would have written: its tokens carry the blank before a word. */
function inTokens(choice: Stored, { encode, method }: Tokenizer): ReadableChoice | null {
  const { context, chosen, others } = choice;
  const kept = method === 'char' ? context : context.replace(/ +$/u, '');
  const blank = kept.length < context.length ? ' ' : '';
  try {
    const texts = [chosen, ...others].map((text) => encode(blank + text));
    return { context, chosen, others, ids: { context: encode(kept === '' ? '\n' : kept), texts } };
  } catch (error) {
    if (error instanceof UserError && error.code === 'unknown_character') return null;
    throw error;
  }
}
