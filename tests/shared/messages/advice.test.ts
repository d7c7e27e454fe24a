/** Advice can be followed where it is shown: flags exist, and the window, which has none, names settings by their labels. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { commonShape } from '../../../main/cli/command.js';
import { commandNamed, commands, commandWith } from '../../../main/cli/commands/index.js';
import { setCommandWith, setLanguage, t } from '../../../main/cli/language.js';
import { readCatalogues } from '../../../main/installation/locales.mjs';
import { projectShape } from '../../../shared/config/index.js';

const root = join(import.meta.dirname, '../../..');
const catalogues = Object.entries(readCatalogues());
const flagsOf = (command: (typeof commands)[number]): readonly string[] => [
  ...Object.keys({ ...command.shape, ...commonShape }),
  ...Object.keys(command.aliases),
];
const flags = new Set([...commands.flatMap(flagsOf), 'help', 'version', 'json']);
/** Flags of llama.cpp's llama-gguf-split, the set-up, and nanoGPT. */
const ofOthers = new Set(['merge', 'gpu', 'only', 'out_dir']);
/** What only a terminal shows. */
const inTerminal =
  /^(cli|cluster|commandAbout|help|configFile|option|projectList|rate\.next|run|server|start)\.|^exported\.|^reward\.give_critic$/;

const literalFlags = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w-])--([a-z][a-z_]*)/g)].map(([, name]) => name ?? '');
const taggedOptions = (text: string): readonly string[] =>
  [...text.matchAll(/<(?:option|setting)>(\w+)/g)].map(([, name]) => name ?? '');
/** What another surface than the terminal shows of a text. */
const elsewhere = (text: string): string => text.replace(/terminal \{(?:[^{}]|\{[^{}]*\})*\}/g, '');

describe.each(catalogues)('in %s', (_language, texts) => {
  it('every flag that a text names is one of a command', () => {
    const wrong = Object.entries(texts).flatMap(([code, text]) =>
      literalFlags(text).flatMap((name) => (flags.has(name) || ofOthers.has(name) ? [] : [`${code}: --${name}`])),
    );
    expect(wrong).toEqual([]);
  });

  it('every setting that a text names is one of a project or of a command', () => {
    // A model's own setting, which follows from its tokens.
    const known = new Set([...flags, ...Object.keys(projectShape), 'vocab_size']);
    const wrong = Object.entries(texts).flatMap(([code, text]) =>
      taggedOptions(text).flatMap((name) => (known.has(name) ? [] : [`${code}: ${name}`])),
    );
    expect(wrong).toEqual([]);
  });

  it('the window names no flags', () => {
    const wrong = Object.entries(texts).filter(
      ([code, text]) =>
        !inTerminal.test(code) &&
        literalFlags(elsewhere(text)).some((name) => !['merge', 'gpu', 'only'].includes(name)),
    );
    expect(wrong.map(([code]) => code)).toEqual([]);
  });
});

it('a command advises only its own flags', () => {
  const [, english = {}] = catalogues.find(([language]) => language === 'en') ?? [];
  const files = globSync('main/{jobs,cli}/commands/*.ts', { cwd: root });
  const checked = files.flatMap((file) => {
    const command = commandNamed(basename(file, '.ts').replaceAll('-', '_'));
    if (!command) return [];
    const codes = [...readFileSync(join(root, file), 'utf8').matchAll(/localized\('([\w.]+)'/g)].map(
      ([, code]) => code,
    );
    const named = (code = '') => [...literalFlags(english[code] ?? ''), ...taggedOptions(english[code] ?? '')];
    return codes.map((code) => ({ code, others: named(code).filter((name) => !flagsOf(command).includes(name)) }));
  });
  expect(checked.length).toBeGreaterThan(10);
  expect(checked.filter(({ others }) => others.length > 0)).toEqual([]);
});

it.each([
  ['train', 'block_size', '--block_size'],
  ['train', 'output_dir', '--output_dir'],
  ['perplexity', 'block_size', '--block_size (npm run -s verisim -- new)'],
  ['sample', 'meta_path', '--meta_path (npm run -s verisim -- new)'],
  ['train_grpo', 'critic_path', '--critic_path (npm run -s verisim -- train_reward_model)'],
  ['sample', 'json', '--json'],
])('%s names %s as %s', (name, flag, shown) => {
  const command = commandNamed(name) ?? expect.unreachable();
  setCommandWith((each) => commandWith(command, each));
  setLanguage('en');
  expect(t('config.give_another_folder', { field: flag })).toBe(`Give ${shown} another folder.`);
  setCommandWith(() => undefined);
});
