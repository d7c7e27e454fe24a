/** Advice before the start: what was measured is told, and what was not is not guessed. */
import { describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../shared/config/index.js';
import { adviceSentence, cycleAdvice, measurements } from '../../shared/cycle-advice.js';

const config = (changes: object = {}) =>
  projectConfigSchema.parse({
    ...{ reward_kind: 'critic', max_iters: 2000, batch_size: 10, block_size: 50, max_cycles: 2 },
    ...changes,
  });
/** Of a project whose model, where it begins from one, began from nothing itself. */
const adviceFor = (config: Parameters<typeof cycleAdvice>[0], tokens: number) =>
  cycleAdvice(config, tokens, { couldWrite: false, tokensRead: 0 });
/** 2,000 steps of 500 tokens. */
const TOKENS = 1_000_000;

describe('advice before the start', () => {
  it('is to train on first where the text was hardly read', () => {
    expect(adviceFor(config(), TOKENS)).toMatchObject({ advice: 'train_first' });
    const given = adviceFor(config(), TOKENS);
    expect(given && adviceSentence(given)).toMatch(/ 1\.0 times, .* 18,000 steps /);
  });

  it('says how many steps are enough, and is content with them', () => {
    const { max_iters = 0 } = adviceFor(config(), TOKENS) ?? {};
    expect(max_iters).toBe(18_000);
    expect(adviceFor(config({ max_iters }), TOKENS)?.advice).not.toBe('train_first');
  });

  it('asks for more passes of a model that drops out what suits them', () => {
    const dropping = config({ dropout_passes: 8 });
    // As many as one of 600,000 letters was far from done after, and as one of 150,000 was.
    const early = adviceFor(dropping, TOKENS / 6.6);
    expect(early).toMatchObject({ advice: 'train_first', enough: 15, max_iters: 4600 });
    expect(early && adviceSentence(early)).toMatch(/ 6\.6 times, .* 4,600 steps go through it 15 times/);
    expect(adviceFor(dropping, TOKENS / 9)?.advice).toBe('not_here');
    expect(adviceFor(config(), TOKENS / 6.6)?.advice).toBe('not_here');
  });

  it('does not speak of a project without cycles, nor promise what was not measured', () => {
    expect(adviceFor(config({ max_cycles: 0 }), TOKENS)).toBeNull();
    expect(adviceFor(config({ critic_width: 16 }), TOKENS / 20)?.advice).toBe('unmeasured');
  });

  it('does not take a critic that could write before for one from nothing', () => {
    const passes = measurements.find(({ criticWidth }) => criticWidth === 'pretrained')?.passes ?? Number.NaN;
    expect(adviceFor(config({ critic_from: '/a/model' }), TOKENS / passes)?.advice).toBe('cycles');
    expect(adviceFor(config(), TOKENS / passes)?.advice).toBe('not_here');
    expect(adviceFor(config({ critic_from: '/a/model' }), TOKENS / passes / 3)?.advice).toBe('unmeasured');
  });

  it('tells a larger teacher from a critic that is the model itself', () => {
    const of = (changes: object) =>
      cycleAdvice(config({ init_from: '/a/model', ...changes }), TOKENS, { couldWrite: true, tokensRead: 0 });
    expect(of({})).toEqual({ advice: 'not_here', because: 'model' });
    const taught = of({ critic_from: '/a/larger/model' });
    expect(taught).toEqual({ advice: 'unmeasured', because: 'larger' });
    expect(taught && adviceSentence(taught)).toMatch(/^Cycles may pay here: .* by 0\.14 nats per token/);
  });

  it('takes a small writer that goes on in another project for what it is', () => {
    const begun = { init_from: '/a/project/checkpoints/base_model_v2' };
    for (const passes of [1, 9])
      expect(adviceFor(config(begun), TOKENS / passes)).toEqual(adviceFor(config(), TOKENS / passes));
  });

  it('counts the passes of what it begins from with its own', () => {
    const after = (passes: number, changes: object = {}) =>
      cycleAdvice(config({ init_from: '/a', ...changes }), TOKENS, { couldWrite: false, tokensRead: passes * TOKENS });
    // 4.2 and 1.0 are more than the five that are enough without dropout.
    expect(after(4.2)?.advice).toBe('not_here');
    const early = after(2.5);
    expect(early).toMatchObject({ advice: 'train_first', passes: 3.5, before: 2.5, enough: 9, max_iters: 13_000 });
    expect(early && adviceSentence(early)).toMatch(
      / went through the text 2\.5 times, .* makes that 3\.5, .* 13,000 steps make it 9\.$/,
    );
    expect(after(2.5, { max_iters: early?.max_iters })?.advice).not.toBe('train_first');
  });

  it('warns of a model whose critic is itself, and of a reward model that sees nothing', () => {
    expect(cycleAdvice(config({ init_from: '/a/model' }), TOKENS, { couldWrite: true, tokensRead: 0 })).toMatchObject({
      because: 'model',
    });
    expect(adviceFor(config({ reward_kind: 'head' }), TOKENS)?.advice).toBe('not_here');
  });

  it('agrees with the measurements that it rests on, but for one in ten', () => {
    const wrong = measurements.filter(({ passes, criticWidth, ratio }) => {
      const critic = criticWidth === 'pretrained' ? { critic_from: '/a/model' } : { critic_width: criticWidth };
      return (adviceFor(config(critic), TOKENS / passes)?.advice === 'cycles') !== ratio >= 1.5;
    });
    expect(wrong.length).toBeLessThanOrEqual(measurements.length / 10);
  });

  it('says in how many projects like this one they paid, of models that are done with their text', () => {
    for (const passes of [6, 30, 100]) {
      const given = adviceFor(config(), TOKENS / passes);
      expect(given).toMatchObject({ advice: 'not_here', because: 'measured' });
      const of = measurements.filter((one) => one.passes >= 5 && one.criticWidth !== 'pretrained');
      const paid = of.filter(({ ratio }) => ratio >= 1.5);
      expect(given && adviceSentence(given)).toContain(`in ${paid.length} of ${of.length} projects like this one`);
    }
  });
});
