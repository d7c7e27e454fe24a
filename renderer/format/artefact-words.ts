/** What the phases make as people call it, in the window's language (shared/words/artefacts.ts). Pure. */
import { versionsIn } from '../../shared/reports/outcome.js';
import { artefactNames } from '../../shared/words/artefacts.js';
import { strings } from '../strings/index.js';
import { windowLocale } from './window-locale.js';

const names = () =>
  artefactNames({ artefacts: strings.project.artefacts, quote: strings.app.quote }, windowLocale.value);

export const artefactWords = (name: string): string => names().words(name);
export const artefactTitle = (name: string): string => names().title(name);
export const artefactQuoted = (name: string): string => names().quoted(name);

/** A sentence with every such name in it in people's words. */
export const withArtefactWords = (sentence: string): string =>
  sentence.replace(/\b[a-z]+_[a-z]+_v\d+(?:_\w+)?\b/g, artefactWords);

/** A version within a sentence: "the model after cycle 1". */
export const versionWords = (name: string): string => versionsIn(strings.project.outcome.wording)(name);
