/** shared/reports/report.ts: reports of this version and of others, as files and as messages. */
import { describe, expect, it } from 'vitest';
import { isUninformative, reportSchema, unfinishedReport } from '../../shared/reports/report.js';
import { reportOf } from '../../tools/demo/reports.js';

const asFile = (report: object): unknown => JSON.parse(JSON.stringify(report));

describe('a report', () => {
  it.each([0, 1, 2])('of cycle %d comes back whole from its file', (cycle) => {
    const report = reportOf(cycle, 4.5);
    expect(reportSchema.parse(asFile(report))).toEqual(report);
  });

  it('has NaN where a figure is null in the file, and comes to the same again', () => {
    const report = reportOf(1, null);
    const read = reportSchema.parse(asFile(report));
    expect(read.grpo?.perplexity_after).toBeNaN();
    expect(reportSchema.parse(read)).toEqual(read);
  });

  it('of another version loses what is not understood, never the rest', () => {
    const strange = { grpo: 'new form', judgement: [], reward_model: { r2: 'x', stopped_because: 'new reason' } };
    const read = reportSchema.parse(asFile({ ...reportOf(1, 4.5), ...strange }));
    expect(read).toMatchObject({ cycle: 1, perplexity: 4.5, grpo: null, judgement: null });
    expect(read.reward_model).toMatchObject({ r2: null, stopped_because: null, calibration: [] });
  });

  it('of the first version, with nothing but what it had, can be read', () => {
    const first = { cycle: 1, name: 'base_model_v2', val_loss: 1.2, perplexity: 3.3, samples: [] };
    expect(reportSchema.parse(first)).toMatchObject({ ...first, base: null, reward_models: {}, critic: null });
  });

  it.each([null, 3, {}, { ...reportOf(1, 4.5), cycle: -1 }])('is not %j', (value) =>
    expect(reportSchema.safeParse(value).success).toBe(false),
  );

  it('of a cycle that is not over says how well its reward model sees', () => {
    const { reward_model } = reportOf(2, 4.4);
    if (!reward_model) throw new Error('the demonstration has one');
    expect(unfinishedReport({ cycle: 2, reward_model })).toMatchObject({ cycle: 2, reward_model, grpo: null });
  });
});

it('a reward model says nothing when chance could explain it', () => {
  expect(isUninformative({ r2_interval: { low: 0.1, high: 0.2 } })).toBe(false);
  expect(isUninformative({ r2_interval: { low: -0.01, high: 0.2 } })).toBe(true);
  expect(isUninformative({ r2_interval: null })).toBe(true);
});
