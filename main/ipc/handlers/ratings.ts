/** Rating blind: what waits and what was said is in the project's files; what needs a model is called. */
import type { ratingChannels } from '../../../shared/contract/ratings.js';
import { ownRater } from '../../../shared/rating.js';
import { openDesk } from '../../jobs/rating/desk.js';
import { resolved, type Asked } from '../../jobs/rating/questions.js';
import { pairResults, studyPlan } from '../../jobs/rating/results.js';
import { singleReport } from '../../jobs/rating/single-report.js';
import { importResult, writeTask } from '../../jobs/rating/task-files.js';
import { ratingsView } from '../../jobs/rating/view.js';
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
  type Place = Asked & { readonly id: string };
  const asked = ({ id, ...place }: Place) => resolved(folderOf(id), place);
  const open = (place: Place) => openDesk(folderOf(place.id), { ...asked(place), rater: ownRater }, now);
  const view = (place: Place) => ratingsView(folderOf(place.id), asked(place), open(place));
  return {
    'ratings.get': (place) => view(place),
    async 'ratings.write'({ passages, ...place }, { signal, progress }) {
      const wanted = { folder: folderOf(place.id), ...asked(place), passages };
      await supervisor.call('ratingPassages', wanted, { signal, onProgress: progress });
      return view(place);
    },
    async 'ratings.vote'({ question, answer, seconds, ...place }) {
      await votes.with(place.id, () => open(place).vote(question, answer, seconds));
      return view(place);
    },
    async 'ratings.undo'({ vote, ...place }) {
      await votes.with(place.id, () => open(place).undo(vote));
      return view(place);
    },
    'ratings.history': (place) => ({ votes: open(place).history().toReversed() }),
    'ratings.pairs': ({ id, against }) => pairResults(folderOf(id), asked({ id, task: 'pair', against })),
    'ratings.boundaries': ({ id }, { signal }) =>
      supervisor.call('ratingBoundaries', { folder: folderOf(id) }, { signal }),
    'ratings.plan': (design) => studyPlan(design),
    'ratings.export'({ file, language, ...place }) {
      const path = files.pathOf(file, 'write');
      writeTask(folderOf(place.id), asked(place), { file: path, language });
      return { file: files.give(path, 'write') };
    },
    'ratings.import': ({ id, file }) => votes.with(id, () => importResult(folderOf(id), readText(files.pathOf(file)))),
    async 'ratings.saveReport'({ id, format, file, language }, { signal }) {
      const path = files.pathOf(file, 'write');
      const wanted = { project: folderOf(id), format, file: path, scores: true, language };
      const { judgements } = await supervisor.call('ratingReport', wanted, { signal });
      return { file: files.give(path, 'write'), judgements };
    },
    'ratings.report': ({ id }) => singleReport(folderOf(id)),
    'ratings.opinion': ({ id }, { signal }) => supervisor.call('ratingOpinion', { folder: folderOf(id) }, { signal }),
  };
}
