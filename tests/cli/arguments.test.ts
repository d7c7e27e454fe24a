import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commands } from '../../main/cli/commands/index.js';
import { sample } from '../../main/cli/commands/models.js';
import { cycle } from '../../main/cli/commands/projects.js';
import { doctor, report } from '../../main/cli/commands/tools.js';
import { train, trainGrpo, trainRewardModel } from '../../main/cli/commands/training.js';
import { inLanguage } from '../../main/cli/language.js';
import { describeShape, typedValue, type Field } from '../../shared/config/fields.js';
import { parseArguments } from '../../main/cli/arguments.js';

describe('parseArguments', () => {
  it('reads the spellings of nanoGPT and the specification, dashes too', () => {
    const { values, problems } = parseArguments(train, [
      ...['--n_layer', '4', '--n-head=4', '--learning-rate', '1e-3', '--data_path', '-', '--out_dir=a=b'],
    ]);
    expect(problems).toEqual([]);
    expect(values).toEqual({ n_layer: 4, n_head: 4, learning_rate: 0.001, data_path: '-', out_dir: 'a=b' });
  });

  it('reads booleans with a value, without one, and negated', () => {
    const tensorboard = (...argv: string[]) => parseArguments(train, argv).values['tensorboard'];
    expect(tensorboard('--tensorboard')).toBe(true);
    expect(tensorboard('--tensorboard', 'false')).toBe(false);
    expect(tensorboard('--tensorboard=False')).toBe(false);
    expect(tensorboard('--no-tensorboard')).toBe(false);
    expect(tensorboard('--no_tensorboard')).toBe(false);
    expect(tensorboard('--tensorboard', '--n_layer', '2')).toBe(true);
  });

  it('leaves the word after a boolean flag alone unless it reads as its value', () => {
    const { values, problems } = parseArguments(cycle, ['--tensorboard', 'my-book']);
    expect(problems).toEqual([]);
    expect(values).toEqual({ tensorboard: true, project: 'my-book' });
  });

  it('reads none as unset where that is allowed, and only there', () => {
    expect(parseArguments(train, ['--train_minutes', 'none', '--eval_iters=null']).values).toEqual({
      train_minutes: null,
      eval_iters: null,
    });
    expect(parseArguments(train, ['--n_layer', 'none']).values).toEqual({ n_layer: 'none' });
  });

  it('keeps numbers that are none for the schema to refuse', () => {
    for (const text of ['NaN', 'Infinity', '0x10', '1,5', '', '1e', '--']) {
      const { values, problems } = parseArguments(sample, [`--temperature=${text}`]);
      expect(values).toEqual({ temperature: text });
      expect(problems).toEqual([]);
    }
  });

  it('takes every word after -- for what it is', () => {
    const { values, help, problems } = parseArguments(train, ['--', '-h', '--help']);
    expect([values, help]).toEqual([{}, false]);
    expect(problems.map(({ message }) => inLanguage(message))).toEqual([
      'Unexpected word "-h"',
      'Unexpected word "--help"',
    ]);
    expect(parseArguments(train, ['-h']).help).toBe(true);
  });

  it('takes negative numbers and prompts that begin with a dash as values', () => {
    expect(parseArguments(train, ['--dropout', '-1']).values).toEqual({ dropout: -1 });
    expect(parseArguments(sample, ['--prompt', '- a list']).values).toEqual({ prompt: '- a list' });
  });

  it('suggests the nearest flag, and reports one problem for one mistake', () => {
    const { problems } = parseArguments(train, ['--n_layers', '4']);
    expect(problems).toHaveLength(1);
    expect(problems[0] && inLanguage(problems[0].message)).toBe('Unknown flag --n_layers for train');
    expect(problems[0] && inLanguage(problems[0].hint)).toContain('--n_layer');
  });

  it('accepts the unprefixed name where a command has only one of its kind', () => {
    expect(parseArguments(trainGrpo, ['--learning_rate', '1e-6', '--max_steps=7', '--patience', '3']).values).toEqual({
      grpo_learning_rate: 1e-6,
      grpo_max_steps: 7,
      grpo_patience: 3,
    });
    expect(parseArguments(trainRewardModel, ['--learning-rate', '0.1', '--max_iters', '8']).values).toEqual({
      reward_learning_rate: 0.1,
      reward_max_iters: 8,
    });
  });

  it('names a flag without its value and a word too many', () => {
    const firstMessage = (command: typeof train | typeof doctor, ...words: string[]) =>
      inLanguage(parseArguments(command, words).problems[0]?.message ?? '');
    expect(firstMessage(train, '--data_path')).toBe('--data_path needs a value');
    expect(parseArguments(train, ['--data_path', '--out_dir', 'x']).problems).toHaveLength(1);
    expect(firstMessage(doctor, 'please')).toBe('Unexpected word "please"');
    expect(parseArguments(sample, ['model', 'another']).problems).toHaveLength(1);
  });

  it('takes every word of a list, those with its flag first', () => {
    const { values, problems } = parseArguments(report, ['a', '--projects', 'b', '--format', 'csv', 'c']);
    expect(problems).toEqual([]);
    expect(values).toEqual({ projects: ['b', 'a', 'c'], format: 'csv' });
  });

  it('reads back every value of every flag, in every spelling', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !text.startsWith('--'));
    const valueOf = (field: Field): fc.Arbitrary<unknown> => {
      const low = field.min ?? -1000;
      const high = Math.min(field.max ?? low + 1e6, low + 1e6);
      switch (field.kind) {
        case 'boolean':
          return fc.boolean();
        case 'choice':
          return fc.constantFrom(...field.options);
        case 'text':
          return word;
        case 'list':
          return fc.tuple(word);
        case 'whole':
          return fc.integer({ min: Math.ceil(low), max: Math.floor(high) });
        case 'real':
          return fc.double({ min: low, max: high, noNaN: true }).filter((value) => !Object.is(value, -0));
      }
    };
    const cases = commands.flatMap((spec) => describeShape(spec.shape).map((field) => ({ spec, field })));
    const anyCase = fc
      .constantFrom(...cases)
      .chain((one) =>
        fc.record({ one: fc.constant(one), value: valueOf(one.field), form: fc.integer({ min: 0, max: 2 }) }),
      );
    fc.assert(
      fc.property(anyCase, ({ one: { spec, field }, value, form }) => {
        const name = form === 1 ? field.key.replaceAll('_', '-') : field.key;
        const written = typedValue(value);
        const argv = form === 2 ? [`--${name}=${written}`] : [`--${name}`, written];
        const { values, problems } = parseArguments(spec, argv);
        expect(problems).toEqual([]);
        expect(values).toEqual({ [field.key]: value });
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever is typed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commands), fc.array(fc.string()), (command, argv) => {
        parseArguments(command, argv);
      }),
    );
  });
});
