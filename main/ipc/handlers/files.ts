/** Files become handles: by the system's dialogs in a window, by browsing in a browser. */
import { localized } from '../../../shared/messages/message.js';
import { existsSync, statSync } from 'node:fs';
import { firstWords } from '../../../shared/base/words-of.js';
import { UserError } from '../../../shared/errors.js';
import type { fileChannels } from '../../../shared/contract/files.js';
import { browse } from '../../services/files/browse.js';
import { patternOf } from '../../services/files/file-pattern.js';
import type { Services } from '../../services/index.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import type { Caller, Dialogs } from '../caller.js';
import type { Handlers, Named } from '../handler.js';

export function fileHandlers({ files, uploads, settings }: Services): Handlers<Named<typeof fileChannels>> {
  return {
    async 'files.choose'(wanted, { caller }) {
      const paths = await dialogsOf(caller).choose(wanted);
      return { files: paths.map((path) => files.give(path)) };
    },
    async 'files.chooseSave'(wanted, { caller }) {
      // A browser fetches what was written from here: GET /download/<handle>.
      if (caller.dialogs === null) return { file: uploads.downloadFor(wanted.suggested) };
      const path = await caller.dialogs.chooseSave(wanted);
      return { file: path === null ? null : files.give(path, 'write') };
    },
    'files.browse'({ folder, purpose }, { caller }) {
      // In a window the person chooses in the system's dialog: the page is given nothing that was not chosen there.
      if (caller.dialogs !== null) throw unsupported('dialog');
      const places = [settings.projectsFolder(), process.cwd()];
      return browse(files, folder === null ? null : files.pathOf(folder), purpose, places);
    },
    'files.combine'({ files: chosen }) {
      const paths = chosen.map((handle) => files.pathOf(handle));
      if (paths.length > 1 && paths.some((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())) {
        throw new UserError({
          code: 'bad_input',
          message: localized('handlers.folder_cannot_taken_together_others'),
          hint: localized('handlers.take_one_folder_all_holds'),
          field: 'data_path',
        });
      }
      return files.give(patternOf(paths));
    },
    'files.paste'({ text }) {
      const bytes = Buffer.from(text);
      const name = firstWords(text.trim().replaceAll(/\s+/gu, ' '), 5)
        .slice(0, 60)
        .replaceAll(/[/\\]|[.…,;:!?]+$/gu, '');
      return uploads.receive(`${name || 'text'}.txt`, bytes.length, inOnePiece(bytes));
    },
    'files.describe': ({ handle }) => files.give(files.pathOf(handle)),
    'files.sampleText'() {
      const path = sampleTextPath();
      if (existsSync(path)) return files.give(path);
      throw new UserError({
        code: 'file_not_found',
        message: localized('handlers.sample_text_there'),
        hint: localized('handlers.npm_run_setup_fetches'),
      });
    },
    'files.reveal'({ handle }, { caller }) {
      dialogsOf(caller).reveal(files.pathOf(handle, 'any'));
      return {};
    },
  };
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}

/** @throws UserError `unsupported` in a browser */
export function dialogsOf({ dialogs }: Caller): Dialogs {
  if (dialogs !== null) return dialogs;
  throw unsupported('browser');
}

const unsupported = (where: 'dialog' | 'browser') =>
  new UserError({
    code: 'unsupported',
    message: localized(`files.unsupported.${where}`),
    hint: localized(`files.unsupported_hint.${where}`),
  });
