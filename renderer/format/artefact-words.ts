/** What the phases make as people call it: "the model after cycle 1" where a file is called base_model_v2. Pure. */
import { versionsIn } from '../../shared/outcome.js';
import { parseArtefact, strongerTimes } from '../../shared/phases/index.js';
import { formatCount } from '../../shared/numbers.js';
import { strings } from '../strings/index.js';
import { windowLocale } from './window-locale.js';

/** The name of a file in people's words; what is no such name stays. */
export function artefactWords(name: string): string {
  const found = parseArtefact(name);
  if (found === null) return name;
  const { kind, cycle, variant } = found;
  const said = strings.project.artefacts[kind](String(cycle));
  if (variant === null) return said;
  const { artefacts } = strings.project;
  const step = /^step_(\d+)$/.exec(variant)?.[1];
  if (step !== undefined) return artefacts.atStep(said, formatCount(Number(step), windowLocale.value));
  const times = strongerTimes(variant);
  return artefacts.variant(said, times === null ? variant.replaceAll('_', ' ') : strings.strengthened(times));
}

/** The same where it stands alone: "Model after cycle 1". */
export const artefactTitle = (name: string): string => {
  const words = artefactWords(name);
  return words === name ? name : words.charAt(0).toLocaleUpperCase(strings.tag) + words.slice(1);
};

/** The same within a sentence that says more than one thing of it, where no case or article need fit: “Model after cycle 1”. */
export const artefactQuoted = (name: string): string => {
  const title = artefactTitle(name);
  return title === name ? name : strings.app.quote(title);
};

/** A sentence with every such name in it in people's words. */
export const withArtefactWords = (sentence: string): string =>
  sentence.replace(/\b[a-z]+_[a-z]+_v\d+(?:_\w+)?\b/g, artefactWords);

/** A version within a sentence: "the model after cycle 1". */
export const versionWords = (name: string): string => versionsIn(strings.project.outcome.said)(name);
