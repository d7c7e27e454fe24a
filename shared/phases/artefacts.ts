/**
 * What the phases make and what it is called: base_model_v1 → reward_data_v1 → reward_model_v1 → base_model_v2 → … The
 * one place that builds and reads these names.
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
  /** Such as `step_120`, a checkpoint that was stored as a model; null for what the phase ends with. */
  readonly variant: string | null;
}

/** What `cycle` makes of a kind: artefactName('base_model', 0) is base_model_v1. */
export const artefactName = (kind: ArtefactKind, cycle: number): string => `${kind}_v${cycle + versionAhead[kind]}`;

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
