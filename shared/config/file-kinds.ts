/**
 * Which files are what, by the ending of their names: the one list that dialogs, the file browser, what is dropped, the
 * readers and the writers go by. An ending only helps to find a file; what it really is is found out by reading it.
 */

/** How a text may be written down; the first ending of each is the usual one. */
const textFormats = { plain: ['txt', 'md'], lines: ['jsonl', 'ndjson'], parquet: ['parquet'] } as const;
/** Documents, whose text is taken out of them; packed themselves, so never packed again. */
const documentFormats = { html: ['html', 'htm', 'xhtml'], epub: ['epub'], docx: ['docx'], pdf: ['pdf'] } as const;
export type DocumentKind = keyof typeof documentFormats;
const packings = ['', '.gz', '.zst'];
const packed = (endings: readonly string[]) =>
  endings.flatMap((ending) => packings.map((with_) => `${ending}${with_}`));

interface FileKind {
  /** The title of the dialog in which one is chosen. */
  readonly title: string;
  /** What the files are called together, and how their names end; null for a folder. */
  readonly files: { readonly label: string; readonly endings: readonly string[] } | null;
}

/** By what the person is choosing. */
export const fileKinds = {
  text: {
    title: 'Choose texts to learn from',
    files: {
      label: 'Texts',
      endings: [...packed(Object.values(textFormats).flat()), ...Object.values(documentFormats).flat()],
    },
  },
  folder: { title: 'Choose a folder of texts', files: null },
  tokens: { title: 'Choose train.bin or val.bin', files: { label: 'Tokens', endings: ['bin'] } },
  meta: { title: 'Choose meta.pkl', files: { label: 'Vocabulary', endings: ['pkl'] } },
  model: { title: 'Choose a GGUF file', files: { label: 'Models', endings: ['gguf'] } },
  modelFolder: { title: 'Choose the folder of a model', files: null },
  project: { title: 'Choose a project folder', files: null },
  archive: {
    title: 'Choose an exported project',
    // The first is the one that a double click opens. Earlier versions called their archives .verisim.tar, and before that .zip.
    files: { label: 'Exported projects', endings: ['verisim', 'verisim.tar', 'tar', 'zip'] },
  },
  ratingTask: { title: 'Save a rating task', files: { label: 'Rating tasks', endings: ['html'] } },
  ratingReport: {
    title: 'Save the results of rating',
    files: { label: 'Results of rating', endings: ['html', 'json', 'csv'] },
  },
  report: {
    title: 'Save a report',
    files: { label: 'Reports', endings: ['html', 'json', 'csv'] },
  },
  ratingResult: { title: 'Choose the answers that came back', files: { label: 'Answers', endings: ['json'] } },
} as const satisfies Readonly<Record<string, FileKind>>;

export type FilePurpose = keyof typeof fileKinds;
export const filePurposes = Object.keys(fileKinds) as [FilePurpose, ...FilePurpose[]];

const endsWith = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => name.toLowerCase().endsWith(`.${ending}`));

/** Whether a file's name is that of one to choose for this; never where a folder is. */
export const isNamedAs = (purpose: FilePurpose, name: string): boolean =>
  endsWith(name, fileKinds[purpose].files?.endings ?? []);

/** A folder's own text, the specification's name first. */
export const inputNames: readonly string[] = packed(Object.values(textFormats).map(([usual]) => usual)).map(
  (ending) => `input.${ending}`,
);

/** A text of one record a line. */
export const isJsonLines = (name: string): boolean => endsWith(name, packed(textFormats.lines));

/** Which kind of document a name is that of; null for a text. */
export const documentKindOf = (name: string): DocumentKind | null =>
  (Object.keys(documentFormats) as DocumentKind[]).find((kind) => endsWith(name, documentFormats[kind])) ?? null;

/** A checkpoint of PyTorch. */
export const isTorchCheckpoint = (name: string): boolean => endsWith(name, ['pt', 'pth', 'ckpt', 'bin']);

/** What a project is called as one file. */
export const archiveName = (project: string): string => `${project}.${fileKinds.archive.files.endings[0]}`;
