/** Whether a cycle paid, from its control's figures. */
import { describe, expect, it } from 'vitest';
import { controlMessage, cycleVerdict, versionToTrainOn } from '../../shared/reports/cycle-control.js';
import type { ControlReport } from '../../shared/reports/report.js';
import { inEnglish, inGerman } from '../support/messages.js';

const around = (gain: number) => ({ gain, interval: { low: gain - 0.02, high: gain + 0.02 } });
const control = (cycle: number, trained: number, share = 0.5): ControlReport => ({
  ...{ judge: 'judge_model_v1', share, cycle: around(cycle), lead: around(cycle - trained) },
  trained_on: { ...around(trained), steps: 100, val_loss: 2 },
  variety: { before: 0.6, after: 0.59 },
});

const sentence = (of: ControlReport) => inEnglish(controlMessage(of));

describe('a cycle', () => {
  it('paid where it gained half as much again as training on could have, all of its work granted', () => {
    expect(cycleVerdict(control(0.2, 0.05))).toBe('paid');
    // 0.1 in half of the work is at most 0.2 in all of it.
    expect(cycleVerdict(control(0.2, 0.1))).toBe('unclear');
    expect(cycleVerdict(control(0.2, 0.1, 1))).toBe('paid');
  });

  it('did not if training on gives as much, or if nothing was gained', () => {
    expect(cycleVerdict(control(0.1, 0.3))).toBe('train');
    expect(cycleVerdict(control(-0.05, -0.05))).toBe('nothing');
    expect(sentence(control(0.1, 0.3))).toMatch(
      /^Plain training is better here: .*0\.100.*0\.300 nats per token with 50%/,
    );
    expect(sentence(control(0.2, 0.05))).toMatch(/^This cycle paid off/);
  });

  it('did not if its writing is less varied', () => {
    const narrower = { ...control(0.2, 0.05), variety: { before: 0.6, after: 0.5 } };
    expect(cycleVerdict(narrower)).toBe('narrower');
    expect(sentence(narrower)).toMatch(/less varied/);
    // Training on that beats it counts first.
    expect(cycleVerdict({ ...control(0.1, 0.3), variety: narrower.variety })).toBe('train');
  });

  it('lost what it did not gain, in every verdict and language: no text says that −0.155 was gained', () => {
    expect(sentence(control(-0.155, 0.04, 0.2))).toContain('the cycle lost 0.155 nats per token');
    expect(sentence(control(-0.155, 0.04, 0.2))).toContain(
      'plain training gained 0.040 nats per token with 20% of the cycle’s work',
    );
    expect(inGerman(controlMessage(control(-0.155, 0.04, 0.2)))).toContain('Der Zyklus verlor 0,155 Nats pro Token');
    // A change that rounds to nothing is no loss.
    expect(sentence(control(0.1, -0.0002))).toContain('plain training gained 0.000');
    for (const cycle of [-0.4, -0.155, -0.0002, 0.1])
      for (const trained of [-0.3, -0.0002, 0.2])
        for (const format of [inEnglish, inGerman])
          expect(format(controlMessage(control(cycle, trained)))).not.toMatch(/[-−][0-9]/);
  });

  it('is not decided by what was not measured', () => {
    const none = { ...control(0.1, 0.1), cycle: { gain: null, interval: null }, lead: { gain: null, interval: null } };
    expect(cycleVerdict(none)).toBe('unclear');
    expect(sentence(none)).toContain('was not measured');
  });

  it('that plain training beats names the version to train on: its own where it gained, else the one before', () => {
    const made = (name: string, of?: ControlReport) => ({ name, control: of });
    const after = (of?: ControlReport) => versionToTrainOn([made('v1'), made('v2', of)]);
    expect(after(control(0.1, 0.3))).toBe('v2');
    expect(after(control(-0.1, 0.3))).toBe('v1');
    expect(after(control(0.2, 0.05))).toBeNull();
    expect(after()).toBeNull();
    expect(versionToTrainOn([made('v1')])).toBeNull();
  });
});
