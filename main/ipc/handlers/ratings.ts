/** Rating blind: what waits and what was said is in the project's files; what needs a model is called. */
import type { ratingChannels, RatingsView } from '../../../shared/contract/ratings.js';
import { openRatings, passageCounts } from '../../jobs/rating/ratings.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function ratingHandlers({ projects, supervisor, now }: Services): Handlers<Named<typeof ratingChannels>> {
  const { folderOf } = projects;
  const open = (id: string) => openRatings(folderOf(id), now);
  const view = (id: string): RatingsView => {
    const ratings = open(id);
    return { waiting: ratings.waiting(), rated: ratings.rated(), ...passageCounts(folderOf(id)) };
  };
  return {
    'ratings.get': ({ id }) => view(id),
    async 'ratings.write'({ id, passages }, { signal, progress }) {
      await supervisor.call('ratingPassages', { folder: folderOf(id), passages }, { signal, onProgress: progress });
      return view(id);
    },
    'ratings.rate'({ id, passage, verdict }) {
      open(id).rate(passage, verdict);
      return {};
    },
    'ratings.withdraw'({ id, passage }) {
      open(id).withdraw(passage);
      return {};
    },
    'ratings.report': ({ id }) => open(id).report(),
    'ratings.opinion': ({ id }, { signal }) => supervisor.call('ratingOpinion', { folder: folderOf(id) }, { signal }),
  };
}
