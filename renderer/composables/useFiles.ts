/** Chooses files: in the app by the system's dialog, in a browser among the server's folders with `<FileBrowser>`. */
import { shallowRef } from 'vue';
import type { FilePurpose } from '../../shared/config/file-kinds.js';
import type { FileInfo } from '../../shared/contract/values.js';
import { useAppInfo } from '../stores/stores.js';
import { useAsk } from './useAsk.js';

interface BrowseRequest {
  readonly purpose: FilePurpose;
  readonly settle: (file: FileInfo | null) => void;
}

/** The request that the file browser is open for; null while it is closed. */
export const browsing = shallowRef<BrowseRequest | null>(null);

export function useFiles() {
  const { ask } = useAsk();
  const app = useAppInfo();

  /** @returns null when the user cancelled */
  async function choose(purpose: FilePurpose): Promise<FileInfo | null> {
    if (app.info?.transport === 'electron') return (await ask('files.choose', { purpose }))?.files[0] ?? null;
    browsing.value?.settle(null);
    return new Promise((resolve) => {
      browsing.value = {
        purpose,
        settle(file) {
          browsing.value = null;
          resolve(file);
        },
      };
    });
  }

  /** Chooses any number of text files; empty when the user cancelled. */
  async function chooseSeveral(purpose: FilePurpose): Promise<readonly FileInfo[]> {
    if (app.info?.transport === 'electron' && purpose === 'text')
      return (await ask('files.choose', { purpose, multiple: true }))?.files ?? [];
    const file = await choose(purpose);
    return file ? [file] : [];
  }

  const chooseSave = async (purpose: FilePurpose, suggested: string): Promise<FileInfo | null> =>
    (await ask('files.chooseSave', { purpose, suggested }))?.file ?? null;

  return { choose, chooseSeveral, chooseSave };
}
