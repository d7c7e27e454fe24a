/** The variants of `npm run study:recipe`: each stands on another, can be trained, and is another one than that. */
import { describe, expect, it } from 'vitest';
import { generatorOf } from '../../../shared/config/model.js';
import { presets } from '../../../shared/config/presets.js';
import { readOptions } from '../../../tools/study/recipe/options.js';
import { configOf, settingsOf, variants } from '../../../tools/study/recipe/variants.js';

describe('the variants of base training', () => {
  it.each(Object.entries(variants))('%s', (name, { from, change }) => {
    const config = configOf(name, { max_iters: 10 });
    expect(() => generatorOf(config, 1024)).not.toThrow();
    if (from === null) return;
    const before = settingsOf(from) as Readonly<Record<string, unknown>>;
    for (const [key, value] of Object.entries(change)) expect(before[key]).not.toEqual(value);
    // One change: a setting, or two that make no sense apart.
    expect(Object.keys(change).length).toBeLessThanOrEqual(2);
  });

  it('begin from nanoGPT’s recipe, as the preset classic has it', () => {
    const { values } = presets.classic;
    const { tokenization: _tokenization, ...classic } = settingsOf('classic');
    expect(values).toMatchObject(classic);
  });

  it('say which one is missing', () => {
    expect(() => settingsOf('nowhere')).toThrow('there is no variant nowhere');
  });
});

describe('the options of the study', () => {
  it.each([
    ['--seconds', '0', '--seconds takes a number above 0; got 0'],
    ['--seconds', 'long', '--seconds takes a number above 0; got long'],
    ['--steps', '1.5', '--steps takes a whole number above 0; got 1.5'],
    ['--seeds', '1,x', '--seeds takes whole numbers, such as 1,2,3; got 1,x'],
    ['--only', 'modern,nowhere', 'there is no variant nowhere'],
  ])('%s %s is refused', (flag, value, said) => {
    expect(readOptions('/root', [flag, value])).toBe(said);
  });

  it('are all trials for 110 seconds where nothing is said', () => {
    expect(readOptions('/root', [])).toMatchObject({
      names: Object.keys(variants),
      seeds: [1],
      seconds: 110,
      steps: null,
    });
  });
});
