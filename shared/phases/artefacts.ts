/**
 * What the phases make and what it is called: base_model_v1 → reward_data_v1 → reward_model_v1 → base_model_v2 → … The
 * one place that builds and reads these names.
 */
import { capitalize } from '../base/words-of.js';
import { localized, verbatim, type Message } from '../messages/message.js';
import type { Format } from '../messages/formatter.js';

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
}

/** What `cycle` makes of a kind: artefactName('base_model', 0) is base_model_v1. */
export const artefactName = (kind: ArtefactKind, cycle: number): string => `${kind}_v${cycle + versionAhead[kind]}`;

/** The model before training, where a user writes with it. No phase makes it. */
export const untrainedVersion = 'untrained';

/** Null for a name that no phase gives. */
export function parseArtefact(name: string): Artefact | null {
  const [, kind = '', digits = ''] = /^([a-z]+_[a-z]+)_v(\d+)$/.exec(name) ?? [];
  if (!isKind(kind)) return null;
  const version = Number(digits);
  return { kind, version, cycle: version - versionAhead[kind] };
}

/** Those of a kind among names, in the order of their making. */
export const artefactsAmong = (kind: ArtefactKind, names: readonly string[]): readonly string[] =>
  names
    .flatMap((name) => {
      const found = parseArtefact(name);
      return found?.kind === kind ? [{ name, version: found.version }] : [];
    })
    .sort((a, b) => a.version - b.version)
    .map(({ name }) => name);

const isKind = (kind: string): kind is ArtefactKind => Object.hasOwn(versionAhead, kind);

/** Names an artefact for users: "the model after cycle 1" for base_model_v2. Other names stay as they are. */
function artefactMessage(name: string): Message {
  if (name === untrainedVersion) return localized('artefact.name.untrained');
  const found = parseArtefact(name);
  return found === null ? verbatim(name) : localized(`artefact.name.${found.kind}`, { cycle: found.cycle });
}

/** The names of artefacts for users in a format's language. */
export function artefactNames(t: Format) {
  const words = (name: string): string => t(artefactMessage(name));
  /** "Model after cycle 1", as a heading. */
  const title = (name: string): string => (words(name) === name ? name : capitalize(words(name)));
  /** The same in quotation marks, within a sentence. */
  const quoted = (name: string): string => (words(name) === name ? name : t('text.quote', { text: title(name) }));
  return { words, title, quoted };
}
