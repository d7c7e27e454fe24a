/** The beginning of a text, however large it is and however it is kept: for showing what it is. */
import { UserError } from '../../../shared/errors.js';
import { fileSize } from '../disk/file-bytes.js';
import { findTextFiles } from './text-files.js';
import { describeInputs, type InputFacts, readTexts } from './text-input.js';

export interface TextSample {
  readonly sample: string;
  /** Bytes of the files that were read for it, and that they have. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** What the files are, in words. */
  readonly input: string;
  /** The folder of the data. */
  readonly folder: string;
}

const SAMPLE_CHARACTERS = 1 << 20;

/** @throws UserError as `readTexts`; `text_too_short` when there is no text at all */
export async function readSample(dataPath: string, options: { readonly textField?: string } = {}): Promise<TextSample> {
  const { files, folder, note } = findTextFiles(dataPath);
  const bytesTotal = files.reduce((sum, file) => sum + fileSize(file), 0);
  const facts: InputFacts[] = [];
  const seen: InputFacts[] = [];
  let sample = '';
  let bytesRead = 0;
  for await (const piece of readTexts(files, {
    ...options,
    onDetected: (one) => seen.push(one),
    onFile: (one) => facts.push(one),
  })) {
    sample += piece.text;
    bytesRead = piece.bytesRead;
    if (sample.length >= SAMPLE_CHARACTERS) break;
  }
  if (sample === '') {
    throw new UserError({
      code: 'text_too_short',
      message: `${dataPath} is empty`,
      hint: 'Name a file with some text in it; a few hundred kilobytes is a good beginning.',
      field: 'data_path',
    });
  }
  const input = describeInputs(facts.length === files.length ? facts : seen);
  return { sample, bytesRead, bytesTotal, input: note === undefined ? input : `${input}. ${note}`, folder };
}
