/** The system's dialogs, in front of a window. Paths go to the handlers, which turn them into handles. */
import { dialog, shell, type BrowserWindow, type FileFilter, type OpenDialogOptions } from 'electron';
import type { FilePurpose } from '../../shared/contract/files.js';
import type { Dialogs } from '../ipc/caller.js';
import { dialogTitles, saveTitle } from './words.js';

const everything: FileFilter = { name: 'All files', extensions: ['*'] };
/** Filters only help to find: what a file really is is found out by reading it. */
const filters: Readonly<Partial<Record<FilePurpose, readonly FileFilter[]>>> = {
  text: [{ name: 'Texts', extensions: ['txt', 'md', 'jsonl', 'csv', 'tsv', 'parquet', 'zip', 'gz', 'zst', 'html'] }],
  tokens: [{ name: 'Tokens', extensions: ['bin'] }],
  meta: [{ name: 'Vocabulary', extensions: ['pkl'] }],
  model: [{ name: 'Models', extensions: ['safetensors', 'pt', 'pth', 'bin', 'json'] }],
  archive: [{ name: 'Exported projects', extensions: ['zip', 'tar', 'gz', 'safetensors', 'pt', 'json'] }],
  config: [{ name: 'Configurations', extensions: ['json', 'py'] }],
};
const folders: ReadonlySet<FilePurpose> = new Set(['folder', 'project']);

const filtersOf = (purpose: FilePurpose): FileFilter[] => [...(filters[purpose] ?? []), everything];

export const dialogsOf = (window: BrowserWindow): Dialogs => ({
  async choose({ purpose, multiple }) {
    const what: OpenDialogOptions['properties'] = folders.has(purpose) ? ['openDirectory'] : ['openFile'];
    const { canceled, filePaths } = await dialog.showOpenDialog(window, {
      title: dialogTitles[purpose],
      properties: multiple ? [...what, 'multiSelections'] : what,
      filters: folders.has(purpose) ? [] : filtersOf(purpose),
    });
    return canceled ? [] : filePaths;
  },
  async chooseSave({ purpose, suggested }) {
    const { canceled, filePath } = await dialog.showSaveDialog(window, {
      title: saveTitle,
      defaultPath: suggested,
      filters: filtersOf(purpose),
    });
    return canceled || filePath === '' ? null : (filePath ?? null);
  },
  reveal: (path) => shell.showItemInFolder(path),
});
