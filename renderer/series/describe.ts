/** Describes a series in one sentence for screen readers, for which a picture is empty. Pure. */
import type { Series } from '../../shared/contract/projects.js';

interface SeriesFacts {
  readonly last: { readonly step: number; readonly value: number };
  readonly lowest: { readonly step: number; readonly value: number };
  readonly highest: { readonly step: number; readonly value: number };
}

/** @returns null for a series without measurements */
export function seriesFacts({ steps, values }: Series): SeriesFacts | null {
  let facts: SeriesFacts | null = null;
  values.forEach((value, at) => {
    const step = steps[at];
    if (value === null || step === undefined) return;
    const here = { step, value };
    if (facts === null) facts = { last: here, lowest: here, highest: here };
    else {
      facts = {
        last: here,
        lowest: value < facts.lowest.value ? here : facts.lowest,
        highest: value > facts.highest.value ? here : facts.highest,
      };
    }
  });
  return facts;
}
