/** Advice before the start follows the rule of thumb of docs/method.md. */
import { describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../shared/config/index.js';
import { adviceMessage, cycleAdvice } from '../../shared/reports/cycle-advice.js';
import { inEnglish, inGerman } from '../support/messages.js';

const config = (changes: object = {}) =>
  projectConfigSchema.parse({
    ...{ reward_kind: 'critic', max_iters: 2000, batch_size: 10, block_size: 50, max_cycles: 2 },
    ...changes,
  });
/** 2,000 steps of 500 tokens. */
const TOKENS = 1_000_000;
const adviceOf = (changes: object, passes = 1) => cycleAdvice(config(changes), TOKENS / passes);

describe('advice before the start', () => {
  it('is to train on first if the text is hardly read, for as many steps as are enough', () => {
    const given = adviceOf({});
    expect(given).toMatchObject({ advice: 'train_first', because: 'few_passes', passes: 1, enough: 15 });
    expect(given && inEnglish(adviceMessage(given))).toMatch(
      /^Train longer first: .* text 1 times, .* 30,000 steps read it 15/,
    );
    expect(given && inGerman(adviceMessage(given))).toMatch(/^Zuerst weitertrainieren: .* 30\.000 Schritte/);
    expect(adviceOf({ max_iters: given?.max_iters })?.advice).toBe('not_here');
    // Minutes become steps only when training starts.
    expect(adviceOf({ train_minutes: 5 })?.advice).toBe('not_here');
  });

  it('is for cycles only under a larger teacher', () => {
    const taught = { critic_from: '/a/larger/model' };
    expect(adviceOf(taught, 9)).toEqual({ advice: 'cycles', because: 'teacher' });
    expect(adviceOf(taught, 3)).toMatchObject({ advice: 'train_first', enough: 9 });
    expect(adviceOf({ init_from: '/a/model', ...taught })).toEqual({ advice: 'cycles', because: 'teacher' });
    expect(adviceOf({ init_from: '/a/model' })).toEqual({ advice: 'not_here', because: 'model' });
    expect(adviceOf({}, 20)).toEqual({ advice: 'not_here', because: 'alone' });
    expect(adviceOf({ reward_kind: 'head' })).toEqual({ advice: 'not_here', because: 'blind' });
  });

  it('is none without cycles', () => {
    expect(adviceOf({ max_cycles: 0 })).toBeNull();
  });
});
