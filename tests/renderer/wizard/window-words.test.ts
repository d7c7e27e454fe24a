/** Flags by the names of their fields. */
import { expect, it } from 'vitest';
import { windowWords } from '../../../renderer/wizard/window-words.js';

it('calls a flag by the name of its field', () => {
  expect(windowWords('Use --n_embd 130, the nearest that is, or another --n_head: each head takes a share.')).toBe(
    'Use “Width” 130, the nearest that is, or another “Attention heads”: each head takes a share.',
  );
});

it('leaves alone what is no setting', () => {
  expect(windowWords('chmod --recursive, --not_a_setting')).toBe('chmod --recursive, --not_a_setting');
});
