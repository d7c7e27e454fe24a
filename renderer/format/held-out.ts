/**
 * The held-out figure that leads: nats per character, which models of different tokenizers can be compared by; perplexity
 * where a project's earlier version did not measure it.
 */
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { CycleReport } from '../../shared/reports/report.js';

type LeadingTerm = 'nats_per_character' | 'perplexity';

/** What each kind of figure of a project is, after each of its cycles, and the best of them. */
export function leadingOf({
  nats_per_character,
  best_nats_per_character,
  perplexities,
  best_perplexity,
}: Pick<ProjectSummary, 'nats_per_character' | 'best_nats_per_character' | 'perplexities' | 'best_perplexity'>): {
  readonly term: LeadingTerm;
  readonly values: readonly (number | null)[];
  readonly best: number | null;
} {
  return best_nats_per_character === undefined || best_nats_per_character === null
    ? { term: 'perplexity', values: perplexities, best: best_perplexity }
    : { term: 'nats_per_character', values: nats_per_character ?? [], best: best_nats_per_character };
}

/** One kind for several reports: the figure that all of them have, or will have. */
export function leadingTerm(reports: readonly Pick<CycleReport, 'nats_per_character' | 'perplexity'>[]): LeadingTerm {
  const measured = reports.filter(({ perplexity }) => perplexity !== null);
  const isKnown = measured.every((report) => report.nats_per_character !== undefined);
  return isKnown ? 'nats_per_character' : 'perplexity';
}
