/** The main process accepts messages only from the main frame of an admitted window that shows our page. */
import { expect, test } from 'vitest';
import { isOurPage, isPageAddress } from '../../main/app/page.js';

const windows = new Map([[7, 'ours']]);
type Frame = Parameters<typeof isOurPage>[1];
const frame = (url: string, parent: unknown = null) => ({ url, parent }) as Frame;

test('the main frame of our window is admitted, everything else is not', () => {
  const page = 'app://verisim/index.html';
  expect(isOurPage({ id: 7 }, frame(`${page}#/projects`), windows)).toBe(true);
  expect(isOurPage({ id: 8 }, frame(page), windows)).toBe(false);
  expect(isOurPage({ id: 7 }, frame(page, {}), windows)).toBe(false);
  expect(isOurPage({ id: 7 }, null, windows)).toBe(false);
  expect(isOurPage({ id: 7 }, undefined, windows)).toBe(false);
});

test('a frame that is gone is refused, not a crash', () => {
  const gone = {
    parent: null,
    get url(): string {
      throw new Error('Render frame was disposed');
    },
  };
  expect(isOurPage({ id: 7 }, gone, windows)).toBe(false);
});

test.each([
  'app://verisim.evil.example/index.html',
  'app://verisim:81/index.html',
  'app://other/index.html',
  'app:verisim/index.html',
  'http://verisim/index.html',
  'file:///app://verisim/index.html',
  'about:blank',
  'data:text/html,app://verisim/',
  '',
])('%j is not the page’s address', (address) => {
  expect(isPageAddress(address)).toBe(false);
});
