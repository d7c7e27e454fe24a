/** Who asks: a window of Electron or a page in a browser, and what its surroundings can do for the handlers. */
import type { FilePurpose } from '../../shared/config/file-kinds.js';

/** The system's dialogs, where there are any. Paths stay in the main process: handlers turn them into handles. */
export interface Dialogs {
  choose(options: { readonly purpose: FilePurpose; readonly multiple: boolean }): Promise<readonly string[]>;
  chooseSave(options: { readonly purpose: FilePurpose; readonly suggested: string }): Promise<string | null>;
  reveal(path: string): void;
}

export interface Caller {
  readonly transport: 'electron' | 'browser';
  readonly dialogs: Dialogs | null;
  /** Only in an installed app with a configured publish target. */
  readonly checkForUpdates?: () => Promise<void>;
}
