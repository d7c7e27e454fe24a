/**
 * What the phases make and what it is called: base_model_v1 → reward_data_v1 → reward_model_v1 → base_model_v2 → … The
 * one place that builds and reads these names. A variant is a further one of its kind in the same cycle.
 */

/** How far the version of each kind is ahead of the cycle that makes it. */
const versionAhead = {
  /** Cycle 0 ends with base_model_v1, cycle 1 with base_model_v2. */
  base_model: 1,
  reward_data: 0,
  reward_model: 0,
  critic_model: 0,
  /** One for the whole project, made in cycle 0. */
  judge_model: 1,
} as const;

export type ArtefactKind = keyof typeof versionAhead;

interface Artefact {
  readonly kind: ArtefactKind;
  /** The cycle that makes it. */
  readonly cycle: number;
  /** In the name: 1 and more. */
  readonly version: number;
  /** Such as `stronger_1` or the kind of a reward model that is only compared; null for the one that is used. */
  readonly variant: string | null;
}

/** What `cycle` makes of a kind: artefactName('base_model', 0) is base_model_v1. */
export const artefactName = (kind: ArtefactKind, cycle: number, variant?: string): string =>
  `${kind}_v${cycle + versionAhead[kind]}${variant === undefined ? '' : `_${variant}`}`;

/** A critic that was trained on for the nth time in its cycle: critic_model_v2_stronger_1. */
export const strongerVariant = (time: number): string => `stronger_${time}`;
/** How often; null for another variant. */
export function strongerTimes(variant: string): number | null {
  const [, digits] = /^stronger_(\d+)$/.exec(variant) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Null for a name that no phase gives. */
export function parseArtefact(name: string): Artefact | null {
  const [, kind = '', digits = '', variant = null] = /^([a-z]+_[a-z]+)_v(\d+)(?:_(\w+))?$/.exec(name) ?? [];
  if (!isKind(kind)) return null;
  const version = Number(digits);
  return { kind, version, cycle: version - versionAhead[kind], variant };
}

/** Those of a kind among names, in the order of their making; no variants. */
export const artefactsAmong = (kind: ArtefactKind, names: readonly string[]): readonly string[] =>
  names
    .flatMap((name) => {
      const found = parseArtefact(name);
      return found?.kind === kind && found.variant === null ? [{ name, version: found.version }] : [];
    })
    .sort((a, b) => a.version - b.version)
    .map(({ name }) => name);

const isKind = (kind: string): kind is ArtefactKind => Object.hasOwn(versionAhead, kind);
