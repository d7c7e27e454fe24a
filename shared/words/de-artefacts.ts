/** What the phases make as people call it, in German. */
import type { ArtefactWords } from './artefacts.js';

export const artefactsInGerman: ArtefactWords = {
  base_model: (cycle) => (cycle === '0' ? 'Basismodell' : `Modell nach Zyklus ${cycle}`),
  reward_data: (cycle) => `Belohnungsdaten von Zyklus ${cycle}`,
  reward_model: (cycle) => `Belohnungsmodell von Zyklus ${cycle}`,
  critic_model: (cycle) => `Kritiker von Zyklus ${cycle}`,
  judge_model: () => 'unabhängiger Gutachter',
  atStep: (what, step) => `${what}, Schritt ${step}`,
};
