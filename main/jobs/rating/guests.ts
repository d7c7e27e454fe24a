/**
 * What people rate over the network: the exported task as a page that sends its answers back, merged as the files are. An
 * answer that has come before is no fault: the page sends all it has each time.
 */
import { languageOf } from '../../../shared/language.js';
import { MAX_RESULT_BYTES } from '../../../shared/rating-task.js';
import { resolved } from './questions.js';
import { exportTask, mergeResult } from './task-files.js';
import { taskPage } from './task-page.js';

/** @throws UserError when `folder` is no project, or has no passages of pairs yet */
export function ratingGuests(folder: string) {
  const task = exportTask(folder, resolved(folder, { task: 'pair', against: null }));
  return {
    /** @param preferred the guest's languages, the dearest first */
    page: (preferred: readonly string[]) => taskPage(task, { language: languageOf('system', preferred), sends: true }),
    submit(result: string) {
      mergeResult(folder, result);
    },
    maxBytes: MAX_RESULT_BYTES,
  };
}
