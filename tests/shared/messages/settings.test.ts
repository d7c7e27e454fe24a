/** The texts of settings and options: every language has them, and none is left of a removed one. */
import { describe, expect, it } from 'vitest';
import { commands } from '../../../main/cli/commands/index.js';
import { commonShape } from '../../../main/cli/command.js';
import { readCatalogues } from '../../../main/installation/locales.mjs';
import { describeShape, type Field } from '../../../shared/config/fields.js';
import { projectShape } from '../../../shared/config/index.js';
import { exportFormatNames } from '../../../shared/config/export-formats.js';
import { createFormat } from '../../../shared/messages/formatter.js';
import { terminalSurface } from '../../../shared/messages/surfaces.js';
import { inEnglish, inGerman } from '../../support/messages.js';

const catalogues = readCatalogues();
const settings = describeShape(projectShape);
const everyField: readonly Field[] = [
  ...settings,
  ...describeShape(commonShape),
  ...commands.flatMap(({ shape }) => describeShape(shape)),
];
const choicesOf = (fields: readonly Field[]) =>
  fields
    .filter(({ kind, label }) => kind === 'choice' && label.startsWith('setting.'))
    .flatMap(({ key, options }) => options.map((value) => `setting.${key}.choices.${value}`));

describe.each(Object.entries(catalogues))('in %s', (_language, texts) => {
  it('every setting and option has a label and a help, every choice of a setting a name', () => {
    const codes = [...everyField.flatMap(({ label, help }) => [label, help]), ...choicesOf(everyField)];
    expect(codes.filter((code) => !texts[code])).toEqual([]);
  });

  it('no text is left of a removed setting or option', () => {
    const codes = new Set<string>([
      ...everyField.flatMap(({ label, help }) => [label, help]),
      ...choicesOf(everyField),
    ]);
    expect(Object.keys(texts).filter((code) => /^(setting|option)\./.test(code) && !codes.has(code))).toEqual([]);
  });

  it('the names of a setting’s choices differ', () => {
    const fields = settings.filter(({ kind }) => kind === 'choice');
    expect(fields.length).toBeGreaterThan(8);
    for (const field of fields) {
      const names = choicesOf([field]).map((code) => texts[code] ?? '');
      expect([field.key, new Set(names).size]).toEqual([field.key, field.options.length]);
      expect(names.filter((name) => /_|^[a-z]/.test(name))).toEqual([]);
    }
  });
});

it('German explains every setting in its own words', () => {
  expect(settings.filter(({ help }) => catalogues['de']?.[help] === catalogues['en']?.[help])).toEqual([]);
});

it('the help of a setting names choices as the form does, and as flags in the terminal', () => {
  for (const format of [inEnglish, inGerman]) {
    const helps = settings.map(({ help }) => format(help));
    expect(helps.filter((help) => /[{}<>]|“[a-z0-9_]+”|\b[a-z]+_(?!from\b)[a-z_]+\b/.test(help))).toEqual([]);
  }
  const inTerminal = createFormat(terminalSurface('en'));
  expect(inGerman('setting.device.help')).toMatch(/^„Automatisch“ nimmt/);
  expect(inEnglish('setting.critic_length.help')).toMatch(/Used with “Reward model: Critic \(stronger model\)”\.$/);
  expect(inTerminal('setting.critic_length.help')).toMatch(/Used with reward_kind critic\.$/);
});

it('the help of export explains every format', () => {
  for (const name of exportFormatNames) expect(inEnglish('option.export.format.help')).toContain(`${name}: `);
});
