/** The phases of a project in the order in which they run, and what follows from their declarations. */
import { configOfCycle } from '../config/choices.js';
import { artefactName, parseArtefact } from './artefacts.js';
import { evaluation, prepare } from './evaluation.js';
import { grpo } from './grpo.js';
import { baseTraining, critic, judge } from './language-model.js';
import type { Phase, PhaseConfig } from './phase.js';
import { rewardData, rewardModel } from './reward.js';

export * from './artefacts.js';
export { rewardsEvidence } from './grpo.js';
export * from './phase.js';

const declared = {
  prepare,
  base_training: baseTraining,
  judge,
  reward_data: rewardData,
  critic,
  reward_model: rewardModel,
  grpo,
  evaluation,
};
export type PhaseName = keyof typeof declared;
export const phases: Readonly<Record<PhaseName, Phase>> = declared;
export const phaseNames = Object.keys(declared) as [PhaseName, ...PhaseName[]];

/** Whether a phase is among those of a cycle. */
export const runsIn = ({ cycles }: Phase, cycle: number): boolean =>
  cycles === 'all' || (cycles === 'first') === (cycle === 0);

/** The phases of a cycle that a project of these settings shows, in order, each with the name of what it makes. */
export const phasesOfCycle = (settings: PhaseConfig, cycle: number, config = configOfCycle(settings, cycle)) =>
  phaseNames
    .map((name) => ({ name, phase: phases[name] }))
    .filter(({ phase }) => runsIn(phase, cycle) && !phase.perCycle && (phase.shown?.(config, cycle) ?? true))
    .map(({ name, phase: { makes } }) => ({ phase: name, makes: makes ? artefactName(makes, cycle) : null }));

/** Those that record one row a cycle. */
export const phasesPerCycle: readonly PhaseName[] = phaseNames.filter((name) => phases[name].perCycle);

/** Which cycle something belongs to, and which phase makes it: base_model_v2 is what GRPO of cycle 1 makes. */
export function placeOfArtefact(name: string): { readonly cycle: number; readonly phase: PhaseName } | null {
  const found = parseArtefact(name);
  if (found === null) return null;
  const { kind, cycle } = found;
  const phase = phaseNames.find((each) => phases[each].makes === kind && runsIn(phases[each], cycle));
  return phase === undefined ? null : { cycle, phase };
}

/** Every parameter that limits the steps of some phase. */
export const stepLimits = [...new Set(phaseNames.flatMap((name) => phases[name].limit ?? []))];
