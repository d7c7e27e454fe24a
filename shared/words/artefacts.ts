/** What the phases make, as people call it: “the model after cycle 1” where a file is called base_model_v2. In English; de-artefacts.ts has it in German. */
import type { Locale } from '../base/formatters.js';
import { formatCount } from '../base/numbers.js';
import { parseArtefact, type ArtefactKind } from '../phases/index.js';

/** By the cycle that makes it; numbers are written already. */
export interface ArtefactWords extends Readonly<Record<ArtefactKind, (cycle: string) => string>> {
  atStep(what: string, step: string): string;
}

export const artefactWords: ArtefactWords = {
  base_model: (cycle) => (cycle === '0' ? 'base model' : `model after cycle ${cycle}`),
  reward_data: (cycle) => `reward data of cycle ${cycle}`,
  reward_model: (cycle) => `reward model of cycle ${cycle}`,
  critic_model: (cycle) => `critic of cycle ${cycle}`,
  judge_model: () => 'independent judge',
  atStep: (what, step) => `${what}, step ${step}`,
};

interface Speaker {
  readonly artefacts: ArtefactWords;
  quote(what: string): string;
}

/** As a line, or a cell of a table, begins. */
export const capitalize = (words: string, locale: Locale): string =>
  words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);

/** How files of a project are called where no file is meant. @param locale how numbers are written */
export function artefactNames({ artefacts, quote }: Speaker, locale: Locale) {
  /** In people's words; what is no such name stays. */
  const words = (name: string): string => {
    const found = parseArtefact(name);
    if (found === null) return name;
    const { kind, cycle, variant } = found;
    const said = artefacts[kind](String(cycle));
    if (variant === null) return said;
    const step = /^step_(\d+)$/.exec(variant)?.[1];
    return step === undefined ? name : artefacts.atStep(said, formatCount(Number(step), locale));
  };
  /** The same where it stands alone: "Model after cycle 1". */
  const title = (name: string): string => {
    const said = words(name);
    return said === name ? name : capitalize(said, locale);
  };
  /** The same within a sentence that says more than one thing of it, where no case or article need fit: “Model after cycle 1”. */
  const quoted = (name: string): string => {
    const said = title(name);
    return said === name ? name : quote(said);
  };
  return { words, title, quoted };
}
