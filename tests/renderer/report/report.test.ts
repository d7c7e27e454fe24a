/** Reports as the dashboards read them. */
import { describe, expect, it } from 'vitest';
import { isBlind, parseReports } from '../../../renderer/report/report.js';
import { reportOf } from '../../support/demo/reports.js';

describe('reports', () => {
  it('come in the order of their cycles', () => {
    const reports = parseReports([reportOf(2, 4.4), reportOf(0, 4.6), reportOf(1, 4.5)]);
    expect(reports.map(({ cycle }) => cycle)).toEqual([0, 1, 2]);
    expect(reports[0]?.base?.best_iteration).toBe(1750);
    expect(reports[2]?.reward_model?.calibration).toHaveLength(10);
    expect(reports[2]?.reward_model?.calibration[4]?.trueInterval?.low).toBeLessThan(0.6);
    expect(reports[2]?.reward_model?.correlation_interval?.high).toBeCloseTo(0.609);
    expect(reports[0]).toMatchObject({ critic: null, reward_models: {} });
    expect(reports[2]?.critic?.lead_nats).toBeCloseTo(0.221);
    expect(Object.keys(reports[2]?.reward_models ?? {})).toEqual(['hybrid', 'critic', 'head']);
    expect(reports[2]?.judgement?.natural.unconditional.interval?.low).toBeLessThan(1.639);
  });

  it('of another version lose what is not understood, never the rest', () => {
    const [report] = parseReports([
      { ...reportOf(1, 4.5), grpo: 'new form', judgement: [], samples: 3, reward_model: { r2: 'x' } },
    ]);
    expect(report).toMatchObject({ cycle: 1, perplexity: 4.5, grpo: null, judgement: null, samples: [] });
    expect(report?.reward_model?.r2).toBeNull();
  });

  it('that are none are left out', () => {
    expect(parseReports([null, 3, {}])).toEqual([]);
  });
});

it('a reward model is blind when chance could explain it', () => {
  expect(isBlind({ r2_interval: { low: 0.1, high: 0.2 } })).toBe(false);
  expect(isBlind({ r2_interval: { low: -0.01, high: 0.2 } })).toBe(true);
  expect(isBlind({ r2_interval: null })).toBe(true);
});
