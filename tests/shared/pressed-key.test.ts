import { expect, it } from 'vitest';
import { pressedKey } from '../../shared/rating.js';

it.each([
  ['S', 'KeyS', 's'],
  ['ы', 'KeyS', 's'],
  ['&', 'Digit1', '1'],
  ['à', 'Digit0', '0'],
  ['٩', 'Digit9', '9'],
  ['1', 'Numpad1', '1'],
  // Dvorak types o with the key that is called S.
  ['o', 'KeyS', 'o'],
  ['ArrowLeft', 'ArrowLeft', 'ArrowLeft'],
  [' ', 'Space', 'space'],
])('%j of the key %s is %j', (key, code, name) => {
  expect(pressedKey({ key, code })).toBe(name);
});
