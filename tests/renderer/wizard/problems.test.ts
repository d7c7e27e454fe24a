/** What is wrong with a draft while one types. */
import fc from 'fast-check';
import { verbatim } from '../../../shared/messages/message.js';
import { describe, expect, it } from 'vitest';
import { error } from '../../../shared/config/checks.js';
import { applyFixes } from '../../../shared/config/fixes.js';
import { isForPretrained, presetNames } from '../../../shared/config/presets.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import {
  effectiveSettings,
  mergedProblems,
  standardSettings,
  typedProblems,
} from '../../../renderer/wizard/problems.js';

describe('as one types', () => {
  it('no preset has a problem of its own', () => {
    for (const preset of presetNames) {
      const given: GivenSettings = isForPretrained(preset) ? { init_from: 'file_model' } : {};
      expect(typedProblems(preset, given)).toEqual([]);
    }
    expect(typedProblems('smollm2', {})).toEqual([expect.objectContaining({ field: 'init_from' })]);
  });

  it('reports every problem at once: values out of range, and rules between the others', () => {
    const fields = typedProblems('tiny', { dropout: 'abc', n_head: 5, group_size: 1 }).map(({ field }) => field);
    expect(fields.sort()).toEqual(['dropout', 'group_size', 'n_embd']);
  });

  it('mends what it offers to mend', () => {
    const given = { dropout: 'abc', n_head: 5, group_size: 1, min_lr: 1 };
    const mended = applyFixes(given, typedProblems('tiny', given)) as typeof given;
    expect(typedProblems('tiny', mended)).toEqual([]);
  });

  it('never throws, whatever was typed', () => {
    const typed = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('n_head', 'n_embd', 'dropout', 'min_lr', 'reward_kind', 'x'), typed),
        (given) => {
          expect(Array.isArray(typedProblems('tiny', given))).toBe(true);
        },
      ),
    );
  });
});

it('what counts: given over preset over default', () => {
  const settings = effectiveSettings('tiny', { n_layer: 7 });
  expect(settings['n_layer']).toBe(7);
  expect(settings['n_head']).toBe(4);
  expect(settings['patience']).toBe(10);
});

describe('the values of a preset', () => {
  const standard = (preset: string, given: GivenSettings) => standardSettings(preset, given)['max_iters'];

  it('is for the models that were chosen', () => {
    expect(standard('tiny', {})).toBe(1800);
    expect(standard('tiny', { critic_from: 'file_model' })).toBe(600);
    expect(standard('smollm2', { init_from: 'file_model' })).toBe(200);
  });

  it('is a size’s own where a project trains on from what it has learned', () => {
    expect(standardSettings('nano', { init_from: 'file_model' })).toMatchObject({ max_iters: 1000, block_size: 32 });
  });
});

describe('with what the main process answered', () => {
  const missing = error('file_not_found', 'data_path', verbatim('Data file not found'), verbatim('Choose another.'));

  it('adds what only it can know, and repeats nothing', () => {
    const here = typedProblems('tiny', { n_head: 5 });
    expect(mergedProblems(here, [...here, missing], new Set())).toEqual([...here, missing]);
  });

  it('leaves out what may be mended since', () => {
    expect(mergedProblems([], [missing], new Set(['data_path']))).toEqual([]);
  });
});
