/**
 * Which files are what, by the ending of their names: the one list that dialogs, the file browser, what is dropped, the
 * readers and the writers go by. An ending only helps to find a file; what it really is is found out by reading it.
 */

/** How a text may be written down; the first ending of each is the usual one. */
const textFormats = {
  plain: ['txt', 'md'],
  lines: ['jsonl', 'ndjson'],
  parquet: ['parquet'],
  json: ['json', 'ipynb'],
  subtitles: ['srt', 'vtt', 'ass', 'ssa'],
  table: ['csv', 'tsv'],
} as const;
export type TextFormat = keyof typeof textFormats;
/** Documents, whose text is taken out of them; packed themselves, so never packed again. */
const documentFormats = {
  html: ['html', 'htm', 'xhtml'],
  epub: ['epub'],
  docx: ['docx'],
  pdf: ['pdf'],
  rtf: ['rtf'],
  fb2: ['fb2'],
} as const;
export type DocumentKind = keyof typeof documentFormats;
const packings = ['', '.gz', '.zst'];
const packed = (endings: readonly string[]) =>
  endings.flatMap((ending) => packings.map((with_) => `${ending}${with_}`));

/** How the names of files end, by what the user is choosing; null for a folder. */
export const fileEndings = {
  text: [...packed(Object.values(textFormats).flat()), ...Object.values(documentFormats).flat()],
  folder: null,
  tokens: ['bin'],
  meta: ['pkl'],
  model: ['gguf'],
  modelFolder: null,
  project: null,
  // A double click opens the first. Earlier versions called their archives .verisim.tar, and before that .zip.
  archive: ['verisim', 'verisim.tar', 'tar', 'zip'],
  ratingTask: ['html'],
  ratingReport: ['html', 'json', 'csv'],
  report: ['html', 'json', 'csv'],
  ratingResult: ['json'],
} as const satisfies Readonly<Record<string, readonly string[] | null>>;

export type FilePurpose = keyof typeof fileEndings;
export const filePurposes = Object.keys(fileEndings) as [FilePurpose, ...FilePurpose[]];

const endsWith = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => name.toLowerCase().endsWith(`.${ending}`));

/** Whether a file's name is that of one to choose for this; never where a folder is. */
export const isNamedAs = (purpose: FilePurpose, name: string): boolean => endsWith(name, fileEndings[purpose] ?? []);

/** A folder's own text, the specification's name first. */
export const inputNames: readonly string[] = packed(['txt', 'jsonl', 'parquet']).map((ending) => `input.${ending}`);

export const isMarkdown = (name: string): boolean => endsWith(name, packed(['md']));

/** Which format of text a name is that of, packed or not; null for another. */
export const textFormatOf = (name: string): TextFormat | null =>
  (Object.keys(textFormats) as TextFormat[]).find((format) => endsWith(name, packed(textFormats[format]))) ?? null;

/** Which kind of document a name is that of; null for a text. */
export const documentKindOf = (name: string): DocumentKind | null =>
  (Object.keys(documentFormats) as DocumentKind[]).find((kind) => endsWith(name, documentFormats[kind])) ?? null;

/** A checkpoint of PyTorch. */
export const isTorchCheckpoint = (name: string): boolean => endsWith(name, ['pt', 'pth', 'ckpt', 'bin']);

/** What a project is called as one file. */
export const archiveName = (project: string): string => `${project}.${fileEndings.archive[0]}`;
