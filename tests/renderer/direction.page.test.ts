/** The direction of texts that are read: each paragraph begins at the side where its script begins. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

it.each([
  ['Arabic', 'يولد جميع الناس أحرارًا.', 'right'],
  ['Hebrew', 'כל בני האדם נולדו בני חורין.', 'right'],
  ['English', 'All human beings are born free.', 'left'],
  ['English before Arabic', 'Born free.\nيولد', 'left'],
  ['a quotation mark before Arabic', '«يولد جميع الناس»', 'right'],
] as const)('%s begins at its side', async (_name, text, side) => {
  const { page } = await screens.open({ at: '/project/project_moby' });
  const found = await page.evaluate((words) => {
    const passage = document.createElement('p');
    passage.className = 'passage';
    passage.textContent = words;
    (document.querySelector('main') ?? document.body).prepend(passage);
    const first = document.createRange();
    first.setStart(passage.firstChild ?? passage, 0);
    first.setEnd(passage.firstChild ?? passage, 1);
    const [letter, whole] = [first.getBoundingClientRect(), passage.getBoundingClientRect()];
    return letter.left - whole.left < whole.right - letter.right ? 'left' : 'right';
  }, text);
  expect(found).toBe(side);
});
