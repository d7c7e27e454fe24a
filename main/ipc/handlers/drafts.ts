/** The wizard. */
import type { draftChannels } from '../../../shared/contract/drafts.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

type Later = 'drafts.check' | 'drafts.preview' | 'drafts.measure' | 'drafts.start';

export function draftHandlers({ drafts }: Services): Handlers<Exclude<Named<typeof draftChannels>, Later>> {
  return {
    'drafts.list': () => ({ drafts: [...drafts.list()] }),
    'drafts.create': ({ name = 'New project' }) => drafts.create({ name }),
    'drafts.get': ({ id }) => drafts.get(id),
    'drafts.save': ({ id, ...change }) => drafts.save(id, change),
    'drafts.discard'({ id }) {
      drafts.discard(id);
      return {};
    },
  };
}
