/** Names of artefacts and models, figures and tokens, as the window shows them. */
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { catalogue } from '../../shared/models/catalogue.js';
import { artefactNames } from '../../shared/phases/artefacts.js';
import { versionMessage } from '../../shared/reports/outcome.js';
import type { Interval, CycleReport } from '../../shared/reports/report.js';
import { t, textOr } from '../messages/index.js';

export const { words: artefactWords, title: artefactTitle, quoted: artefactQuoted } = artefactNames(t);

/** Replaces every artefact's name in a sentence. */
export const withArtefactWords = (sentence: string): string =>
  sentence.replace(/\b[a-z]+_[a-z]+_v\d+\b/g, artefactWords);

/** A version within a sentence: "the model after cycle 1". */
export const versionWords = (name: string): string => t(versionMessage(name));

export const modelTitle = (name: string): string =>
  catalogue.find((model) => model.name === name)?.title ?? withArtefactWords(name);

/** What a project starts from: its initial model, or a new one of a size. */
export const startTitle = ({ begins_from, preset }: Pick<ProjectSummary, 'begins_from' | 'preset'>): string => {
  if (begins_from !== undefined) return modelTitle(begins_from);
  return preset === '' ? '' : t('home.newModel', { preset: textOr(`presets.${preset}`, preset) });
};

type Shown = (value: number) => string;

/** "0.1 to 0.4"; empty without an interval. */
export const rangeWords = (interval: Interval | null | undefined, shown: Shown): string =>
  interval ? t('app.range', { low: shown(interval.low), high: shown(interval.high) }) : '';

/** "95 % interval 0.1 to 0.4". */
export const intervalWords = (interval: Interval | null | undefined, shown: Shown): string | undefined =>
  interval ? t('app.interval', { range: rangeWords(interval, shown) }) : undefined;

export type LeadingTerm = 'nats_per_character' | 'perplexity';

/** Selects a project's held-out figure: nats per character, which does not depend on the tokens, or else perplexity. */
export const leadingOf = ({
  nats_per_character: values = [],
  perplexities,
}: Pick<ProjectSummary, 'nats_per_character' | 'perplexities'>) =>
  values.some((value) => value !== null)
    ? ({ term: 'nats_per_character', values } as const)
    : ({ term: 'perplexity', values: perplexities } as const);

/** Selects the figure that all reports have or will have. */
export function leadingTerm(reports: readonly Pick<CycleReport, 'nats_per_character' | 'perplexity'>[]): LeadingTerm {
  const measured = reports.filter(({ perplexity }) => perplexity !== null);
  const isKnown = measured.every((report) => report.nats_per_character !== undefined);
  return isKnown ? 'nats_per_character' : 'perplexity';
}

const signs: Readonly<Record<string, string>> = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '␍' };

/** A token with every space and control character visible. */
export const visibleToken = (text: string): string =>
  text === '' ? '∅' : text.replaceAll(/[ \n\t\r]/g, (character) => signs[character] ?? character);

/** A token as it reads within a text: only a lone line end is shown. */
export const readableToken = (text: string): string => (text === '\n' ? '↵\n' : text);

/** In place of a token that continues a character: the first of its tokens shows it. */
export const CONTINUED = '·';

/** For Nuxt UI's `UKbd`, which knows the Mac's. */
export const shortcutKey = (): string => (/Macintosh;/.test(navigator.userAgent) ? 'meta' : t('app.control'));
