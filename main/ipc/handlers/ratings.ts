/** Handlers of blind rating: the project's files hold the queue and the answers; only writing passages needs the trainer. */
import type { ratingChannels } from '../../../shared/contract/ratings.js';
import { ownRater } from '../../../shared/rating.js';
import { openDesk } from '../../jobs/rating/desk.js';
import { resolved, type Queue } from '../../jobs/rating/questions.js';
import { ratingReport, writeRatingReport } from '../../jobs/rating/report.js';
import { importResult, writeTask } from '../../jobs/rating/task-files.js';
import { readText } from '../../storage/disk/file-bytes.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function ratingHandlers({
  projects,
  supervisor,
  files,
  now,
  votes,
}: Services): Handlers<Named<typeof ratingChannels>> {
  const { folderOf } = projects;
  type Place = Queue & { readonly id: string };
  const queueOf = ({ id, ...queue }: Place) => resolved(folderOf(id), queue);
  const open = (place: Place) => openDesk(folderOf(place.id), { ...queueOf(place), rater: ownRater }, now);
  return {
    'ratings.get': (place) => open(place).view(),
    async 'ratings.write'({ passages, ...place }, { signal, progress }) {
      const wanted = { folder: folderOf(place.id), ...queueOf(place), passages };
      await supervisor.call('ratingPassages', wanted, { signal, onProgress: progress });
      return open(place).view();
    },
    async 'ratings.vote'({ question, answer, seconds, ...place }) {
      await votes.with(place.id, () => open(place).vote(question, answer, seconds));
      return open(place).view();
    },
    async 'ratings.undo'(place) {
      await votes.with(place.id, () => open(place).undo());
      return open(place).view();
    },
    'ratings.results': ({ id }) => ratingReport(folderOf(id), now),
    'ratings.export'({ file, language, ...place }) {
      const path = files.pathOf(file, 'write');
      writeTask(folderOf(place.id), queueOf(place), { file: path, language });
      return { file: files.give(path, 'write') };
    },
    'ratings.import': ({ id, file }) => votes.with(id, () => importResult(folderOf(id), readText(files.pathOf(file)))),
    async 'ratings.saveReport'({ id, file, ...wanted }) {
      const path = files.pathOf(file, 'write');
      const settings = { project: folderOf(id), file: path, ...wanted };
      const { judgements } = await writeRatingReport(settings, { now, emit: () => undefined });
      return { file: files.give(path, 'write'), judgements };
    },
  };
}
