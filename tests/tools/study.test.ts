/** The study's table is made of reports of cycles. */
import { expect, it } from 'vitest';
import { formatTable, rowOf, summarise } from '../../tools/study/table.mjs';

const base = { nats_per_character: 1.5, val_loss: 3 };
const cycle = (nats: number, trained: number) => ({
  nats_per_character: nats,
  reward_model: { r2: 0.7 },
  judgement: { gain: { unconditional: 0.1, prompted: 0.2 } },
  control: { trained_on: { val_loss: trained, gain: 0.4 } },
});

it('holds what cycles gained against what training on did', () => {
  const row = rowOf('critic', 1, [base, cycle(1.4, 2.6), cycle(1.3, 2.4)]);
  expect(row).toMatchObject({ r2: 0.7, before: 1.5, after: 1.3, trained_gain: 0.4 });
  expect(row.gain).toBeCloseTo(0.15, 12);
  // Twice as many nats per token as per character.
  expect(row.trained_on).toBeCloseTo(1.25, 12);
  const other = { ...row, seed: 2, after: 1.2 };
  const [mean] = summarise([row, other]);
  expect(mean).toMatchObject({ kind: 'critic', seed: 'mean' });
  expect(mean?.after).toBeCloseTo(1.25, 12);
  expect(formatTable([row, ...summarise([row, other])]).split('\n')[2]).toBe(
    '| critic | 1 | 0.700 | 1.500 | 1.300 | 1.250 | 0.150 | 0.400 |',
  );
});

it('leaves out what a project without cycles does not have', () => {
  expect(rowOf('head', 3, [base])).toMatchObject({ r2: null, after: null, trained_on: null, gain: null });
  expect(summarise([rowOf('head', 3, [base])])).toEqual([]);
});
