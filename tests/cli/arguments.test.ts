import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commands } from '../../main/cli/commands/index.js';
import { sample } from '../../main/cli/commands/models.js';
import { cycle } from '../../main/cli/commands/projects.js';
import { doctor, report } from '../../main/cli/commands/tools.js';
import { train, trainGrpo, trainRewardModel } from '../../main/cli/commands/training.js';
import { t } from '../../main/cli/language.js';
import { describeShape, typedValue, type Field } from '../../shared/config/fields.js';
import type { Command } from '../../main/cli/command.js';
import { parseArguments } from '../../main/cli/arguments.js';

const read = (command: Command, line: string) => parseArguments(command, line.split(' '));

it.each<[command: Command, line: string, values: Readonly<Record<string, unknown>>]>([
  [train, '--n_layer 4 --n-head=4 --learning-rate 1e-3', { n_layer: 4, n_head: 4, learning_rate: 0.001 }],
  [train, '--data_path - --out_dir=a=b', { data_path: '-', out_dir: 'a=b' }],
  [train, '--tensorboard', { tensorboard: true }],
  [train, '--tensorboard false', { tensorboard: false }],
  [train, '--tensorboard=False', { tensorboard: false }],
  [train, '--no-tensorboard', { tensorboard: false }],
  [train, '--no_tensorboard', { tensorboard: false }],
  [train, '--tensorboard --n_layer 2', { tensorboard: true, n_layer: 2 }],
  // The word after a boolean flag is its value only if it reads as one.
  [cycle, '--tensorboard my-book', { tensorboard: true, project: 'my-book' }],
  [train, '--train_minutes none --eval_iters=null', { train_minutes: null, eval_iters: null }],
  [train, '--n_layer none', { n_layer: 'none' }],
  [train, '--dropout -1', { dropout: -1 }],
  [sample, '--prompt -a', { prompt: '-a' }],
  // A command that has only one of a kind accepts the name without its prefix.
  [trainGrpo, '--learning_rate 1e-6 --max_steps=7', { grpo_learning_rate: 1e-6, grpo_max_steps: 7 }],
  [trainRewardModel, '--learning-rate 0.1 --max_iters 8', { reward_learning_rate: 0.1, reward_max_iters: 8 }],
  [report, 'a --projects b --format csv c', { projects: ['b', 'a', 'c'], format: 'csv' }],
  // The schema refuses what is no number.
  ...['NaN', 'Infinity', '0x10', '1,5', '', '1e', '--'].map((text): [Command, string, Record<string, unknown>] => [
    sample,
    `--temperature=${text}`,
    { temperature: text },
  ]),
])('$name: %s', (command, line, values) => {
  expect(read(command, line)).toMatchObject({ problems: [] });
  expect(read(command, line).values).toEqual(values);
});

it.each([
  [train, '--n_layers 4', 'Unknown flag --n_layers for train'],
  [train, '--data_path', '--data_path needs a value'],
  [train, '--data_path --out_dir x', '--data_path needs a value'],
  [train, '-- -h', 'Unexpected word "-h"'],
  [doctor, 'please', 'Unexpected word "please"'],
  [sample, 'model another', 'Unexpected word "another"'],
])('reports one problem for one mistake: $name %s', (command, line, message) => {
  const { problems, help } = read(command, line);
  expect([problems.map((problem) => t(problem.message)), help]).toEqual([[message], false]);
});

it('suggests the nearest flag', () => {
  const [problem] = read(train, '--n_layers 4').problems;
  expect(problem && t(problem.hint)).toContain('--n_layer');
  expect(problem?.fix).toEqual({ set: { n_layer: 4 } });
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
