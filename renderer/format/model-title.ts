/** What a model to begin from is called: by its title in the reader's language, a project's own by what it was made in. Pure. */
import { windowWords } from '../wizard/window-words.js';
import { withArtefactWords } from './artefact-words.js';

export const modelTitle = (name: string): string => withArtefactWords(windowWords(name));
