/** Paths as a person writes them, for the checks and for those who read the files. */

/** A name that is a pattern for several files rather than a plain path. */
export const isPattern = (name: string): boolean => /[*?[{]/.test(name);

/** `folder/name`, and the folder and the name of a path: paths are as a person wrote them, on any system. */
export const inFolder = (folder: string, name: string): string => {
  const plain = folder.replace(/(?<=.)[/\\]+$/, '');
  return plain === '' || plain === '/' ? `${plain}${name}` : `${plain}/${name}`;
};
export const folderOf = (path: string): string => path.replace(/[^/\\]*$/, '').replace(/(?<=.)[/\\]+$/, '');
export const nameOf = (path: string): string => path.replace(/^.*[/\\]/s, '');
