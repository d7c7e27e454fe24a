/** Lists the files that `data_path` means: a file, a folder's input or all its texts, or the matches of a pattern. */
import { localized } from '../../../../shared/messages/message.js';
import * as path from 'node:path';
import { inputNames } from '../../../../shared/config/file-kinds.js';
import { isPattern } from '../../../../shared/config/input-names.js';
import { UserError } from '../../../../shared/errors.js';
import { onFile } from '../../../../shared/file-errors.js';
import { kindAt, nodeFileOperations as ops } from '../../disk/file-operations.js';
import { type FolderTexts, textsInFolder } from './folder-texts.js';
import { filesMatching, fixedFolder } from './glob.js';

interface TextFiles {
  /** At least one, sorted. */
  readonly files: readonly string[];
  /** Folder of the data, which may hold a meta.pkl, and whose name may contain "char". */
  readonly folder: string;
  /** Set if a whole folder is read: its texts, and what was skipped. */
  readonly whole?: FolderTexts;
}

/** @throws UserError `file_not_found`, `file_not_readable` */
export function findTextFiles(dataPath: string): TextFiles {
  const kind = kindAt(dataPath);
  if (kind === 'file') return { files: [dataPath], folder: path.dirname(dataPath) };
  if (kind === 'folder') return textsOf(dataPath);
  if (kind === 'other') {
    throw new UserError({
      code: 'file_not_readable',
      message: localized('list.neither_file_nor_folder', { dataPath }),
      hint: localized('list.text_read_more_once_must'),
      field: 'data_path',
    });
  }
  const files = isPattern(dataPath) ? filesMatching(dataPath) : [];
  if (files.length > 0) return { files, folder: fixedFolder(dataPath) };
  throw new UserError({
    code: 'file_not_found',
    message: isPattern(dataPath)
      ? localized('list.no_file_matches_data_path', { dataPath })
      : localized('list.data_file_found', { dataPath }),
    hint: localized('list.check_path_may_text_file'),
    field: 'data_path',
  });
}

function textsOf(folder: string): TextFiles {
  const names = onFile(folder, 'read', () => ops.list(folder));
  const found = inputNames.find((name) => names.includes(name) && ops.kind(path.join(folder, name)) === 'file');
  if (found !== undefined) return { files: [path.join(folder, found)], folder };
  const whole = textsInFolder(folder);
  if (whole.files.length > 0) return { files: whole.files, folder, whole };
  const why = whole.skipped.slice(0, 3).map(({ name, reason }) => `${name} (${reason})`);
  throw new UserError({
    code: 'file_not_found',
    message: localized('list.folder_holds_no_text', { folder }),
    hint: localized('list.put_texts_there_such_txt', { isWhy: why.length > 0, why: why.join(', ') }),
    field: 'data_path',
  });
}
