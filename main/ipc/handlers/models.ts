/** Models that a project can begin from. */
import type { modelChannels } from '../../../shared/contract/models.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function modelHandlers({ models }: Services): Handlers<Named<typeof modelChannels>> {
  return {
    'models.list': () => models.list(),
    'models.describe': ({ id }, { signal }) => models.describe(id, signal),
    'models.fetch': ({ id }, { signal, progress }) => models.fetch(id, { signal, onProgress: progress }),
    async 'models.remove'({ id }) {
      await models.remove(id);
      return {};
    },
  };
}
