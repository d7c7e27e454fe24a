/** The beginning of a text, however large it is and however it is kept: for showing what it is. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { fileSize } from '../disk/file-bytes.js';
import { describeFolder, type Skipped } from './list/folder-texts.js';
import { skippedFor } from './list/readable-texts.js';
import { findTextFiles } from './list/list-texts.js';
import { describeInputs, type InputFacts, readTexts } from './read-texts.js';

export interface TextSample {
  readonly sample: string;
  /** Bytes of the files that were read for it, and that they have. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly input: string;
  readonly folder: string;
}

const SAMPLE_CHARACTERS = 1 << 20;

/** @throws UserError as `readTexts`; `text_too_short` when there is no text at all */
export async function readSample(dataPath: string, options: { readonly textField?: string } = {}): Promise<TextSample> {
  const { files: found, folder, whole } = findTextFiles(dataPath);
  const facts: InputFacts[] = [];
  const seen: InputFacts[] = [];
  let sample = '';
  let bytesRead = 0;
  const files = [...found];
  const skipped: Skipped[] = [];
  let first: unknown = null;
  for (const file of found) {
    if (sample.length >= SAMPLE_CHARACTERS) break;
    const [before, bytesBefore] = [sample, bytesRead];
    if (sample !== '' && !sample.endsWith('\n')) sample += '\n';
    try {
      let isEmpty = true;
      for await (const piece of readTexts([file], {
        ...options,
        onDetected: (one) => seen.push(one),
        onFile: (one) => facts.push(one),
      })) {
        isEmpty = false;
        sample += piece.text;
        bytesRead = bytesBefore + piece.bytesRead;
        if (sample.length >= SAMPLE_CHARACTERS) break;
      }
      if (isEmpty) sample = before;
    } catch (error) {
      const left = whole === undefined ? null : skippedFor(folder, file, error);
      if (left === null) throw error;
      [sample, bytesRead] = [before, bytesBefore];
      seen.splice(seen.findIndex((one) => one.file === file) >>> 0, 1);
      files.splice(files.indexOf(file), 1);
      skipped.push(left);
      first ??= error;
    }
  }
  if (sample === '' && first !== null) throw first;
  const bytesTotal = files.reduce((sum, file) => sum + fileSize(file), 0);
  if (sample === '') {
    throw new UserError({
      code: 'text_too_short',
      message: localized('texts.is_empty', { dataPath }),
      hint: localized('texts.name_file_some_text_few'),
      field: 'data_path',
    });
  }
  const input = describeInputs(facts.length === files.length ? facts : seen);
  const note = whole && describeFolder(folder, { files, skipped: [...skipped, ...whole.skipped] });
  return { sample, bytesRead, bytesTotal, input: note === undefined ? input : `${input}. ${note}`, folder };
}
