/** Names what the phases make in the window's language. */
import { artefactNames } from '../../shared/phases/artefacts.js';
import { versionMessage } from '../../shared/reports/outcome.js';
import { t } from '../messages/index.js';

export const { words: artefactWords, title: artefactTitle, quoted: artefactQuoted } = artefactNames(t);

/** Replaces every artefact's name in a sentence. */
export const withArtefactWords = (sentence: string): string =>
  sentence.replace(/\b[a-z]+_[a-z]+_v\d+(?:_\w+)?\b/g, artefactWords);

/** A version within a sentence: "the model after cycle 1". */
export const versionWords = (name: string): string => t(versionMessage(name));
