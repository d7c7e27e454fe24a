/** Every channel of the contract with what answers it, noun by noun; the type says that none is missing. */
import type { Services } from '../../services/index.js';
import type { Handlers } from '../handler.js';
import { appHandlers } from './app.js';
import { draftHandlers } from './drafts.js';
import { fileHandlers } from './files.js';
import { modelHandlers } from './models.js';
import { playgroundHandlers } from './playground.js';
import { projectHandlers } from './projects.js';
import { ratingHandlers } from './ratings.js';
import { runHandlers } from './runs.js';

export const createHandlers = (services: Services): Handlers => ({
  ...appHandlers(services),
  ...fileHandlers(services),
  ...draftHandlers(services),
  ...modelHandlers(services),
  ...projectHandlers(services),
  ...runHandlers(services),
  ...playgroundHandlers(services),
  ...ratingHandlers(services),
});
