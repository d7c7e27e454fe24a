/** What a model to begin from is called: by its title in the reader's language, one of the hub as in the list of models, a project's own by what it was made in. Pure. */
import { catalogue } from '../../shared/models/catalogue.js';
import { windowWords } from '../wizard/window-words.js';
import { withArtefactWords } from './artefact-words.js';

export const modelTitle = (name: string): string =>
  catalogue.find((model) => model.name === name)?.title ?? withArtefactWords(windowWords(name));
