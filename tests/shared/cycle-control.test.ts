/** Whether a cycle paid, from its control's figures. */
import { describe, expect, it } from 'vitest';
import { controlSentence, cycleVerdict, versionToTrainOn } from '../../shared/cycle-control.js';
import { languages, type Language } from '../../shared/language.js';
import type { ControlReport } from '../../shared/report.js';
import { sharedWords } from '../../shared/words/index.js';

const around = (gain: number) => ({ gain, interval: { low: gain - 0.02, high: gain + 0.02 } });
const control = (cycle: number, trained: number, share = 0.5): ControlReport => ({
  ...{ judge: 'judge_model_v1', share, cycle: around(cycle), lead: around(cycle - trained) },
  trained_on: { ...around(trained), steps: 100, val_loss: 2 },
  temperature: { temperature: 0.9, gain: 0.1, variety: 0.5 },
  variety: { before: 0.6, after: 0.55 },
});

describe('a cycle', () => {
  it('paid where it gained half as much again as training on could have, all of its work granted', () => {
    expect(cycleVerdict(control(0.2, 0.05))).toBe('paid');
    // 0.1 in half of the work is at most 0.2 in all of it.
    expect(cycleVerdict(control(0.2, 0.1))).toBe('unclear');
    expect(cycleVerdict(control(0.2, 0.1, 1))).toBe('paid');
  });

  it('did not where training on, or a lower temperature, gives as much', () => {
    expect(cycleVerdict(control(0.1, 0.3))).toBe('train');
    expect(cycleVerdict(control(-0.05, -0.05))).toBe('temperature');
    expect(controlSentence(control(0.1, 0.3))).toMatch(/^Plain training is better here: .*0\.100.*0\.300 with 50%/);
    expect(controlSentence(control(0.2, 0.05))).toMatch(/^This cycle paid/);
  });

  it('did not where leaving out unlikely tokens gives as much for nothing', () => {
    const beside = (cycle: number, free: number): ControlReport => ({
      ...control(cycle, 0),
      top_p: { top_p: 0.9, ...around(free), lead: around(cycle - free) },
    });
    // Clearly behind, and about as much.
    expect(cycleVerdict(beside(0.03, 0.06))).toBe('top_p');
    expect(cycleVerdict(beside(0.05, 0.05))).toBe('top_p');
    // More, but not half as much again; and that much.
    expect(cycleVerdict(beside(0.07, 0.05))).toBe('unclear');
    expect(cycleVerdict(beside(0.08, 0.05))).toBe('paid');
    expect(cycleVerdict(beside(0.12, 0.02))).toBe('paid');
    expect(controlSentence(beside(0.03, 0.06))).toMatch(/top-p 0\.9.*0\.060.*the cycle gained 0\.030/);
    // Reports of before top-p was measured are decided without it.
    expect(cycleVerdict(control(0.03, 0))).toBe('paid');
  });

  it('lost what it did not gain, in every verdict and language: nobody gains −0.155', () => {
    const beside = { top_p: 0.9, ...around(-0.1), lead: around(-0.02) };
    const said = (of: ControlReport, language: Language = 'en') =>
      controlSentence(of, { words: sharedWords[language].control, locale: language });
    expect(said(control(-0.155, 0.04, 0.2))).toContain('the cycle lost 0.155 nats per character');
    expect(said(control(-0.155, 0.04, 0.2))).toContain('plain training gained 0.040 with 20% of the cycle’s work');
    expect(said(control(-0.155, 0.04, 0.2), 'de')).toContain('verlor der Zyklus 0,155 Nats pro Zeichen');
    expect(said(control(-0.05, -0.05))).toContain('(it lost 0.050 nats per character)');
    expect(said(control(-0.05, -0.05), 'de')).toContain('(er verlor 0,050 Nats pro Zeichen)');
    // What is written as nothing was not lost.
    expect(said(control(0.1, -0.0002))).toContain('plain training gained 0.000');
    for (const cycle of [-0.4, -0.155, -0.0002, 0.1])
      for (const trained of [-0.3, -0.0002, 0.2])
        for (const language of languages)
          for (const of of [control(cycle, trained), { ...control(cycle, trained), top_p: beside }])
            expect(said(of, language)).not.toMatch(/[-−][0-9]/);
  });

  it('is not decided by what was never so varied', () => {
    const none = { ...control(0.1, 0.1), cycle: { gain: null, interval: null }, lead: { gain: null, interval: null } };
    expect(cycleVerdict(none)).toBe('unclear');
    expect(controlSentence(none)).toContain('–');
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
