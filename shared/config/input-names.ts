/** What input files are called, for the checks and for those who read them. */

/** A folder's text, the seeds' name first. */
export const inputNames: readonly string[] = ['txt', 'jsonl', 'parquet'].flatMap((kind) =>
  ['', '.gz', '.zst'].map((packing) => `input.${kind}${packing}`),
);

/** Any file that is taken for a text. */
export const looksLikeText = (name: string): boolean => /\.(txt|jsonl|parquet)(\.gz|\.zst)?$/.test(name);

/** A name that is a pattern for several files rather than a plain path. */
export const isPattern = (name: string): boolean => /[*?[{]/.test(name);

/** `folder/name`, and the folder and the name of a path: paths are as a person wrote them, on any system. */
export const inFolder = (folder: string, name: string): string => {
  const plain = folder.replace(/(?<=.)[/\\]+$/, '');
  return plain === '' || plain === '/' ? `${plain}${name}` : `${plain}/${name}`;
};
export const folderOf = (path: string): string => path.replace(/[^/\\]*$/, '').replace(/(?<=.)[/\\]+$/, '');
export const nameOf = (path: string): string => path.replace(/^.*[/\\]/s, '');
