/** A long list, page by page: answers for another list are dropped, and what did not arrive is requested again. */
import { nextTick, ref } from 'vue';
import { expect, it } from 'vitest';
import { usePages } from '../../../renderer/composables/useLoaded.js';
import { inScope } from './used.js';

function list() {
  const key = ref('a');
  const requests: { readonly key: string; readonly offset: number; answer(rows: readonly string[] | null): void }[] =
    [];
  const pages = inScope(() =>
    usePages<string>({
      key: () => key.value,
      fetch: (offset) =>
        new Promise((done) =>
          requests.push({ key: key.value, offset, answer: (rows) => done(rows && { total: 300, rows }) }),
        ),
    }),
  );
  const answer = async (question: number, rows: readonly string[] | null) => {
    requests[question]?.answer(rows);
    await nextTick();
    await nextTick();
  };
  return { key, requests, pages, answer };
}

it('ignores the answer of the previous list', async () => {
  const { key, requests, pages, answer } = list();
  key.value = 'b';
  await nextTick();
  expect(requests.map((one) => one.key)).toEqual(['a', 'b']);
  await answer(1, ['of b']);
  await answer(0, ['of a']);
  expect([...pages.rows]).toEqual([[0, 'of b']]);
});

it('requests each page once, and again if it did not arrive', async () => {
  const { requests, pages, answer } = list();
  pages.need(0, 250);
  pages.need(100, 150);
  expect(requests.map(({ offset }) => offset)).toEqual([0, 100, 200]);
  await answer(1, null);
  await answer(2, ['row 200']);
  pages.need(100, 250);
  expect(requests.map(({ offset }) => offset)).toEqual([0, 100, 200, 100]);
  expect(pages.rows.get(200)).toBe('row 200');
});

it('keeps rows of a page requested before a refresh out of the new ones', async () => {
  const { pages, answer } = list();
  await answer(0, ['old']);
  pages.need(100, 101);
  const refreshed = pages.refresh(() => false);
  await answer(2, ['new']);
  expect(await refreshed).toBe(true);
  await answer(1, ['old 100']);
  expect([...pages.rows]).toEqual([[0, 'new']]);
});

it('new rows wait while the list is read', async () => {
  const { pages, answer } = list();
  await answer(0, ['one']);
  let isRead = false;
  const refreshed = pages.refresh(() => isRead);
  isRead = true;
  await answer(1, ['two']);
  expect([await refreshed, pages.rows.get(0)]).toEqual([false, 'one']);
  isRead = false;
  const again = pages.refresh(() => isRead);
  await answer(2, ['three']);
  expect([await again, pages.rows.get(0)]).toEqual([true, 'three']);
});
