/** Collects the handlers of every channel. */
import type { modelChannels } from '../../../shared/contract/models.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';
import { appHandlers } from './app.js';
import { draftHandlers } from './drafts.js';
import { fileHandlers } from './files.js';
import { projectHandlers } from './projects.js';
import { ratingHandlers } from './ratings.js';
import { runHandlers } from './runs.js';
import { writingHandlers } from './writing.js';

export const createHandlers = (services: Services): Handlers => ({
  ...appHandlers(services),
  ...fileHandlers(services),
  ...draftHandlers(services),
  ...modelHandlers(services),
  ...projectHandlers(services),
  ...runHandlers(services),
  ...ratingHandlers(services),
  ...writingHandlers(services),
});

const modelHandlers = ({ models }: Services): Handlers<Named<typeof modelChannels>> => ({
  'models.list': () => models.list(),
  'models.describe': ({ id }, { signal }) => models.describe(id, signal),
  'models.fetch': ({ id }, { signal, progress }) => models.fetch(id, { signal, onProgress: progress }),
  async 'models.remove'({ id }) {
    await models.remove(id);
    return {};
  },
});
