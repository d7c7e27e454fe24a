/** Reads a damaged file as a project would. */
import { UserError } from '../../../shared/errors.js';
import { type InputFacts, readTexts } from '../../../main/storage/texts/read-texts.js';

/** @returns the text with how much was left out, or the fault that refused it; other errors are thrown */
export async function readDamaged(file: string): Promise<{ text: string; reported: number } | UserError> {
  const facts: InputFacts[] = [];
  let text = '';
  try {
    for await (const piece of readTexts([file], { onFile: (one) => facts.push(one) })) text += piece.text;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  const [{ omitted, unreadable = 0 } = {}] = facts as Partial<InputFacts>[];
  return { text, reported: (omitted?.count ?? 0) + unreadable };
}
