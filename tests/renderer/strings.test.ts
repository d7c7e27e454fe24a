/** Every language has the same words: those that are missing or left over, and functions that want other things. */
import { describe, expect, it } from 'vitest';
import { de } from '../../renderer/strings/de.js';
import { declared } from '../../shared/words/de-declared.js';
import { parameters } from '../../renderer/strings/de-parameters.js';
import { en } from '../../renderer/strings/en.js';
import { exportFormats } from '../../shared/config/export-formats.js';
import { describeField } from '../../shared/config/fields.js';
import { projectShape } from '../../shared/config/index.js';
import { presets } from '../../shared/config/presets.js';
import { chartsOf, phases } from '../../shared/phases/index.js';
import { sentencesOf, shapeOf } from '../support/words.js';

const german = { ...de, parameters: null };

describe('the window’s words in German', () => {
  it('are those of English and no other', () => {
    expect(shapeOf(german)).toEqual(shapeOf(en));
    expect(Object.keys(shapeOf(en)).length).toBeGreaterThan(600);
  });

  it('are empty where those of English are, and end as they do', () => {
    const ending = (text: string) => /[.?…]?$/.exec(text)?.[0];
    const english = new Map(sentencesOf(en));
    const odd = sentencesOf(german).filter(
      ([path, text]) =>
        (text.trim() === '') !== (english.get(path)?.trim() === '') || ending(text) !== ending(english.get(path) ?? ''),
    );
    expect(odd).toEqual([]);
  });

  it('have German quotation marks', () => {
    const all = [...sentencesOf(de), ...Object.entries(declared)];
    expect(all.filter(([, text]) => /["”]/.test(text) || /(^|[\s(])“/.test(text))).toEqual([]);
  });
});

it('every setting is called and explained in German, and those that are not are not there', () => {
  expect(Object.keys(parameters).sort()).toEqual(Object.keys(projectShape).sort());
  const untranslated = Object.entries(projectShape).filter(
    ([key, schema]) => describeField(key, schema).help === parameters[key as keyof typeof projectShape].help,
  );
  expect(untranslated).toEqual([]);
});

it('German has what is declared in shared/phases and shared/config, and nothing that is not', () => {
  const settings = [{}, { reward_shape: 'log_ratio' }];
  const charts = Object.values(phases).flatMap((phase) =>
    settings.flatMap((given) => Object.values(chartsOf(phase, given)).flat()),
  );
  const said = new Set([
    ...Object.values(phases).flatMap(({ label, help, doing, metrics }) => [
      ...[label, help, doing],
      ...Object.values(metrics).map((metric) => metric.label),
    ]),
    ...charts.flatMap(({ title, note, lines }) => [title, note ?? title, ...lines.map(({ label }) => label)]),
    ...Object.values(presets).map(({ help }) => help),
    ...Object.values(exportFormats).flatMap(({ label, readBy, help }) => [label, readBy, help]),
  ]);
  expect([...said].filter((english) => !(english in declared))).toEqual([]);
  expect(Object.keys(declared).filter((english) => !said.has(english))).toEqual([]);
});
