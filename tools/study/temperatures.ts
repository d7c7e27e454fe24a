/**
 * The cheapest way to likelier writing, which trains nothing: a lower temperature. What does it give base_model_v1, what
 * is left of GRPO's gain beside it, and what does each pay in variety?
 */
import type { Judgement } from '../../shared/report.js';
import { PASSAGES, type Judgements } from './judgements.js';
import { writingFigures, type WritingFigures } from './results.js';
import type { Studied } from './studied.js';

/** Beside the project's own, at which everything else is judged. */
const LOWER = [0.9, 0.8] as const;

export interface TemperatureFigures {
  readonly temperature: number;
  readonly first: WritingFigures;
  readonly last: WritingFigures;
}

export async function compareTemperatures(
  { config, generator, judged }: Studied,
  { natural, first, last }: Judgements,
  say: (what: string) => void,
): Promise<readonly TemperatureFigures[]> {
  /** Always beside base_model_v1 at the project's own temperature. */
  const figures = (writing: Judgement) => writingFigures(writing, first.judgement, natural);
  const rows: TemperatureFigures[] = [
    { temperature: config.temperature, first: figures(first.judgement), last: figures(last.judgement) },
  ];
  for (const lower of LOWER) {
    const temperature = lower * config.temperature;
    say(`Writing at temperature ${String(temperature)}`);
    const at = async ({ name }: { readonly name: string }) =>
      figures(await judged(generator(name), PASSAGES, { temperature }));
    rows.push({ temperature, first: await at(first), last: await at(last) });
  }
  return rows;
}
