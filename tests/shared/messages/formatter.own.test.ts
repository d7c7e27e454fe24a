/** Messages on their surfaces: settings as flags or labels, numbers as typed or as read, in each language. */
import { describe, expect, it } from 'vitest';
import { readCatalogues } from '../../../main/installation/locales.mjs';
import { addCatalogues } from '../../../shared/messages/catalogue.js';
import { createFormat } from '../../../shared/messages/formatter.js';
import { bytes, count, localized, messageSchema, verbatim } from '../../../shared/messages/message.js';
import { labelSurface, terminalSurface } from '../../../shared/messages/surfaces.js';

addCatalogues(readCatalogues());
const terminal = createFormat(terminalSurface('en'));
const german = createFormat(labelSurface('window', 'de', 'de-DE'));

describe('a message', () => {
  it('names settings as flags in a terminal and by their labels in the window', () => {
    expect(terminal('setting.critic_length.help')).toContain('reward_kind critic');
    expect(german('setting.critic_length.help')).toMatch(/„[^“]+: [^“]+“/);
  });

  it('names a button and a page of the window by their present texts', () => {
    expect(german('supervisor.try_again_if_happens_again')).toContain('„Diagnosedaten kopieren“ unter „Einstellungen“');
  });

  it('shows text that has no code as it is, syntax included', () => {
    expect(terminal(verbatim('a {b} <c> d'))).toBe('a {b} <c> d');
  });

  it('holds messages, quantities and lists', () => {
    const inner = localized('text.verbatim', { text: 'inner' });
    const text = (value: Parameters<typeof localized>[1]) => german(localized('text.verbatim', value));
    expect(text({ text: inner })).toBe('inner');
    expect(text({ text: [inner, 'other'] })).toBe('inner; other');
    expect(text({ text: bytes(1_500_000) })).toBe('1,5 MB');
    expect(text({ text: count(99_833) })).toBe('99.833');
    expect(terminal(localized('text.verbatim', { text: 65_536 }))).toBe('65536');
  });

  it('takes a parameter that was lost between processes for an empty one', () => {
    const sent = localized('tokens.reason.requested', { method: 'char', path: undefined });
    const arrived = messageSchema.parse(JSON.parse(JSON.stringify(sent)));
    expect(terminal(arrived)).toBe('char, as requested');
    expect(terminal({ code: 'preview.repetitive' })).toBe(' of this text is repeated');
  });

  it('crosses a boundary as JSON, and an older record’s plain text becomes one', () => {
    const sent = localized('text.verbatim', { text: bytes(3) });
    expect(messageSchema.parse(JSON.parse(JSON.stringify(sent)))).toEqual(sent);
    expect(messageSchema.parse('Stopped.')).toEqual(verbatim('Stopped.'));
  });
});
