/** Reads the beginning of a text, however large it is and however it is stored, for a preview. */
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { fileSize } from '../disk/file-bytes.js';
import type { Choice } from './extract/choice.js';
import type { ExtractOptions } from './extract/extract.js';
import { describeFolder, describeHeldOut, findTexts, type Skipped, skippedFor } from './list/list-texts.js';
import type { PartChoice } from './list/parts.js';
import { type Notes, sumNotes } from './clean/findings.js';
import { describeInputs, type InputFacts, readTexts } from './read-texts.js';

export interface TextSample {
  readonly sample: string;
  /** Bytes of the files that were read for it, and that they have. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** What it was read as; with what was left out, for the terminal. */
  readonly input: Message;
  readonly inputs: Message;
  readonly folder: string;
  readonly cleaned: Notes;
  readonly leftOut: readonly Message[];
  /** Files of it that were found unreadable. */
  readonly damaged: readonly Message[];
  readonly heldOut: { readonly message: Message; readonly choices: readonly string[] };
  /** Of the first file that has one; null if there is nothing to choose. */
  readonly choice: Choice | null;
}

/** A file that cleaning has taken out. */
const LEFT_OUT = { count: 1, removed: 0, places: [] };
const SAMPLE_CHARACTERS = 1 << 20;

/** @throws UserError as `readTexts`; `text_too_short` when there is no text at all */
export async function readSample(
  dataPath: string,
  options: Pick<ExtractOptions, 'textField'> & PartChoice & { readonly trainSplit?: number } = {},
): Promise<TextSample> {
  const { files: found, folder, whole, heldOut = [], cleaned = [], choices = [] } = findTexts(dataPath, options);
  const facts: InputFacts[] = [];
  const detected = new Map<string, InputFacts>();
  const skipped: Skipped[] = [];
  let files = [...found];
  let [sample, bytesRead] = ['', 0];
  let first: unknown = null;
  for (const file of found) {
    if (sample.length >= SAMPLE_CHARACTERS) break;
    const [before, bytesBefore] = [sample, bytesRead];
    const onDetected = (one: InputFacts) => detected.set(file, one);
    try {
      for await (const piece of readTexts([file], { ...options, onDetected, onFile: (one) => facts.push(one) })) {
        if (sample === before && sample !== '' && !sample.endsWith('\n')) sample += '\n';
        sample += piece.text;
        bytesRead = bytesBefore + piece.bytesRead;
        if (sample.length >= SAMPLE_CHARACTERS) break;
      }
    } catch (error) {
      const fault = whole === undefined ? null : skippedFor(folder, file, error);
      if (fault === null) throw error;
      [sample, bytesRead] = [before, bytesBefore];
      detected.delete(file);
      files = files.filter((one) => one !== file);
      skipped.push(fault);
      first ??= error;
    }
  }
  if (sample === '' && first !== null) throw first;
  if (sample === '') {
    throw new UserError({
      code: 'text_too_short',
      message: localized('texts.is_empty', { file: dataPath }),
      hint: localized('texts.name_file_some_text_few'),
      field: 'data_path',
    });
  }
  const bytesTotal = files.reduce((sum, file) => sum + fileSize(file), 0);
  // A file of which only the beginning was read did not end.
  const seen = facts.length === files.length ? facts : [...detected.values()];
  const inputs = describeInputs(seen);
  const left = [...skipped, ...(whole?.skipped ?? [])];
  const held = heldOut.filter((file) => files.includes(file));
  const note = whole && describeFolder(folder, { files, skipped: left });
  const input = note === undefined ? inputs : localized('texts.inputs_with_note', { inputs, note });
  return {
    sample,
    bytesRead,
    bytesTotal,
    input,
    inputs,
    folder,
    choice: seen.find(({ choice }) => choice !== undefined)?.choice ?? null,
    cleaned: sumNotes([...seen.map(({ notes }) => notes), ...cleaned.map((by) => ({ [by]: LEFT_OUT }))]),
    leftOut: left.map(({ message }) => message),
    damaged: skipped.map(({ message }) => message),
    heldOut: {
      message: describeHeldOut({ folder, files, heldOut: held }, options.trainSplit ?? 0.9, options.held_out),
      choices,
    },
  };
}
