/** Projects as a person steers and reads them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { seriousFindings, still } from '../e2e/support/page.js';
import english from '../../resources/locales/en.json' with { type: 'json' };
import type { MessageCode } from '../../shared/messages/message.js';
import { inEnglish } from '../support/messages.js';
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());
const at = async (place: string, more: object = {}): Promise<Page> => (await screens.open({ at: place, ...more })).page;
/** By its keys, which are heard once the window is there, and until its field has the focus. */
async function openPalette(page: Page, keys = 'Control+k'): Promise<void> {
  await page.getByRole('button', { name: 'Search…' }).waitFor();
  await page.keyboard.press(keys);
  await page.getByRole('dialog').locator('input:focus').waitFor();
}

it('projects are sorted by each column, limited to a state, and found by words', async () => {
  const page = await at('/');
  const names = () => page.getByRole('main').locator('.card-link').allInnerTexts();
  const sort = (column: string) => page.getByRole('columnheader', { name: column }).getByRole('button').first().click();
  await sort('Project');
  await expect.poll(async () => (await names())[0]).toBe('Case law 1950–1970');
  await sort('Project');
  await expect.poll(async () => (await names())[0]).toBe('Tiny Shakespeare');
  await page.locator('th[aria-sort=descending]', { hasText: 'Project' }).waitFor();
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Needs attention' }).click();
  await expect.poll(names).toEqual(['Recipes']);
  expect(await seriousFindings(page)).toEqual([]);
  const search = page.getByRole('searchbox', { name: 'Search by name or text' });
  await search.fill('whales');
  await page.getByText('No results for “whales”').waitFor();
  await page.getByRole('button', { name: 'Show all projects' }).click();
  await search.fill('LAW case');
  await expect.poll(names).toEqual(['Case law 1950–1970']);
});

it('opens 200 projects at once, and shows more of them when asked', async () => {
  const page = await at('/', { scenario: 'many' });
  const rows = page.getByRole('main').locator('.card-link');
  await rows.first().waitFor();
  await expect.poll(() => rows.count()).toBe(50);
  await page.getByRole('button', { name: 'Show 50 more (150 left)' }).click();
  await expect.poll(() => rows.count()).toBe(100);
});

it('compares two projects of one name, told apart by their folders; Escape leaves choosing', async () => {
  const page = await at('/', { scenario: 'alike' });
  const other = 'Moby-Dick (Moby-Dick-2)';
  await page.getByRole('button', { name: `Actions for ${other}` }).click();
  await page.getByRole('menuitem', { name: 'Compare with…' }).click();
  const hint = page.getByText(`Choose the project to compare with “${other}”.`);
  await hint.waitFor();
  await page.keyboard.press('Escape');
  await hint.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: `Actions for ${other}` }).click();
  await page.getByRole('menuitem', { name: 'Compare with…' }).click();
  await page.getByRole('link', { name: 'Compare with Moby-Dick (Moby-Dick)' }).click();
  for (const name of ['Moby-Dick (Moby-Dick)', other]) await page.getByRole('row', { name }).first().waitFor();
  const across = page.getByRole('img', { name: /^Held-out nats per character\./ }).first();
  await across.locator('canvas').first().waitFor();
  const [label, heard] = [await across.getAttribute('aria-label'), `${other}: `];
  expect(label).toContain(heard);
  expect(label).toContain('Moby-Dick (Moby-Dick): ');
});

it('every command of a menu is in the palette, and deletes or renames from there', async () => {
  const page = await at('/project/project_shakespeare');
  await page.getByRole('button', { name: 'More actions' }).click();
  const items = page.getByRole('menuitem');
  await items.first().waitFor();
  const named = (await items.allInnerTexts()).map((text) => text.trim());
  await page.keyboard.press('Escape');
  await items.first().waitFor({ state: 'detached' });
  await openPalette(page);
  const options = (await page.getByRole('option').allInnerTexts()).map((text) => text.trim());
  const isListed = (name: string) => options.some((text) => text.startsWith(name));
  expect([...named, 'Export…', 'Blind test', 'Write with it', 'Settings'].filter((name) => !isListed(name))).toEqual(
    [],
  );
  await page.keyboard.type('rename');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Rename project' }).getByLabel('Name').fill('Sonnets');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sonnets', level: 1 }).waitFor();
  await openPalette(page);
  await page.keyboard.type('delete');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  expect(await page.getByRole('link', { name: 'Sonnets', exact: true }).count()).toBe(0);
});

it('compares any number of projects: a baseline, what differs, every chart of each phase by one set of controls', async () => {
  const page = await at('/compare?runs=project_moby,project_shakespeare');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) }).first();
  await row('Tiny Shakespeare').getByText('(+0.037)').waitFor();
  // A difference of shares is none of them: in points.
  await row('Tiny Shakespeare').getByText('(+0.0 pp)').waitFor();
  await page.getByRole('radio', { name: 'Use Tiny Shakespeare as the baseline' }).check();
  await row('Moby-Dick').getByText('(−0.037)').waitFor();
  // The address has it: the page returns with it.
  await page.waitForURL(/baseline=project_shakespeare$/);
  await page.reload();
  await row('Moby-Dick').getByText('(−0.037)').waitFor();
  // Changed while it ran, and another text: neither is a setting.
  await page.getByRole('row', { name: /Changed in Base training Step 640: .*Learning rate: (0.0003|3e-4)/ }).waitFor();
  await page.getByRole('row', { name: /Text \(train.bin\)/ }).waitFor();
  const kl = page.getByRole('region', { name: 'GRPO' }).getByRole('img', { name: /^KL from start of cycle/ });
  await expect.poll(() => kl.getAttribute('aria-label')).toMatch(/Moby-Dick, .*Tiny Shakespeare, /);
  expect(await page.getByRole('combobox', { name: 'X axis' }).count()).toBe(1);
  await page.getByRole('button', { name: 'Add a project' }).click();
  await page.getByRole('menuitem', { name: 'Recipes' }).click();
  await row('Recipes').waitFor();
  await page.getByRole('button', { name: 'Remove Moby-Dick' }).click();
  await page.waitForURL(/runs=project_shakespeare(,|%2C)project_recipes&/);
  await page.getByRole('row', { name: /Changed in/ }).waitFor({ state: 'detached' });
});

it('shows that there are more stops than fit, and scrolls to them', async () => {
  const page = await at('/project/project_moby?show=all');
  const timeline = page.getByRole('navigation', { name: 'Cycles and their phases' });
  const last = timeline.getByRole('link').last();
  await last.waitFor();
  const [earlier, later] = ['Earlier cycles', 'Later cycles'].map((name) => page.getByRole('button', { name })) as [
    Locator,
    Locator,
  ];
  // With room for all of them, no buttons appear.
  await expect.poll(() => later.count()).toBe(0);
  await page.setViewportSize({ width: 900, height: 800 });
  await later.waitFor();
  await expect.poll(() => earlier.count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  /** From its end, in pixels; the last stop is reached with a pixel left, as lengths of a page are no whole numbers. */
  const left = () => timeline.evaluate((row) => row.scrollWidth - row.clientWidth - row.scrollLeft);
  for (let time = 0; time < 3 && (await left()) > 1; time++) {
    const before = await left();
    await later.click();
    await expect.poll(left).toBeLessThan(before);
  }
  await later.waitFor({ state: 'detached' });
  await earlier.waitFor();
  const beyond = async () => {
    const [of, stop] = [await timeline.boundingBox(), await last.boundingBox()];
    return (stop?.x ?? NaN) + (stop?.width ?? NaN) - (of?.x ?? 0) - (of?.width ?? 0);
  };
  await expect.poll(beyond).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1600, height: 1024 });
});

it('a click on a point of a chart shows what was written there, and Enter does, too', async () => {
  const page = await at('/project/project_moby?show=0');
  const chart = page.getByRole('img', { name: /^Nats per character\. training: / });
  await chart.scrollIntoViewIfNeeded();
  await expect.poll(() => chart.locator('canvas').count()).toBeGreaterThan(0);
  const dialog = page.getByRole('dialog', { name: 'Sample at this point' });
  await still(page);
  const box = await chart.boundingBox();
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * 0.5, (box?.y ?? 0) + (box?.height ?? 0) * 0.6);
  await dialog.getByRole('heading', { name: /^after step (750|1,000)$/ }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Later' }).click();
  await dialog.getByRole('heading', { name: /^after step (1,000|1,250)$/ }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await chart.focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('heading', { name: 'after step 2,000' }).waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: 'Later' }).isDisabled()).toBe(true);
  const before = await dialog.getByRole('article').innerText();
  await dialog.getByRole('button', { name: 'Opening 2' }).click();
  await expect.poll(() => dialog.getByRole('article').innerText()).not.toBe(before);
});

it('of a single version what it came to is written out, not drawn as one point', async () => {
  const page = await at('/project/project_recipes?show=all');
  const judge = page.getByRole('region', { name: 'Surprise of the independent judge' });
  await judge
    .getByText(/^\d+\.\d+$/)
    .first()
    .waitFor();
  expect(await page.getByRole('img', { name: /^Surprise of the independent judge/ }).count()).toBe(0);
  // With the model before training there are two.
  await page.getByRole('img', { name: /^Held-out nats per character/ }).waitFor();
});

it('shows a paragraph as it is written, above those of earlier evaluations', async () => {
  const page = await at('/project/project_moby?show=0', { scenario: 'first', live: 100 });
  const newest = page.getByRole('region', { name: 'Samples' }).getByRole('article').first();
  await newest.getByText('Writing now').waitFor();
  const length = async () => (await newest.innerText()).length;
  const before = await length();
  await expect.poll(length).toBeGreaterThan(before);
  expect(await seriousFindings(page)).toEqual([]);
});

it('shows the same opening before training, now and in the text itself, above the figures', async () => {
  const page = await at('/project/project_shakespeare?show=all');
  const outcome = page.getByRole('region', { name: 'Results' });
  const samples = outcome.getByRole('article');
  await expect
    .poll(() => samples.getByRole('heading').allInnerTexts())
    .toEqual(['Before training', 'Now', 'Your text']);
  const openings = async () => new Set(await samples.locator('.text-natural').allInnerTexts()).size;
  // What the text itself continues with is natural, too.
  await expect.poll(openings).toBe(2);
  const top = async (one: Locator) => (await one.first().boundingBox())?.y ?? NaN;
  expect(await top(samples)).toBeLessThan(await top(outcome.getByText('Nats per character on unseen text')));
  await outcome.getByText('1.825 → 1.535', { exact: true }).waitFor();
  expect(await outcome.getByText('Perplexity').count()).toBe(0);
  await outcome.getByRole('button', { name: 'More measures' }).click();
  await outcome.getByText('6.200 → 4.640').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

it('shows the results of a cycle on its page, and the next step on the newest one only', async () => {
  const page = await at('/project/project_shakespeare?show=3');
  const outcome = page.getByRole('region', { name: 'Results' });
  const advises = async () => {
    const text = await outcome.innerText();
    return Object.entries(english).some(
      ([code]) => code.startsWith('outcome.another.') && text.includes(inEnglish(code as MessageCode)),
    );
  };
  await outcome.getByText('the model after cycle 3').first().waitFor();
  expect(await advises()).toBe(false);
  await page.evaluate(() => {
    location.hash = '/project/project_shakespeare?show=5';
  });
  await outcome.getByText('the model after cycle 5').first().waitFor();
  await expect.poll(advises).toBe(true);
});

it('draws over steps, tokens or time, remembers the axis, and names runs without it', async () => {
  const page = await at('/compare?runs=project_moby,project_recipes');
  const base = page.getByRole('region', { name: 'Base training' });
  const chart = base.getByRole('img', { name: /^Nats per character\./ });
  const reads = async (axis: RegExp) => {
    await expect
      .poll(async () => {
        await chart.scrollIntoViewIfNeeded();
        const box = await chart.boundingBox();
        await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.5, (box?.y ?? 0) + (box?.height ?? 0) * 0.6);
        await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.52, (box?.y ?? 0) + (box?.height ?? 0) * 0.6);
        return page.locator('.chart-tooltip:visible').first().innerText({ timeout: 1000 }).catch(String);
      })
      .toMatch(axis);
    await page.mouse.move(0, 0);
  };
  const choose = async (axis: string) => {
    await page.getByRole('combobox', { name: 'X axis' }).click();
    await page.getByRole('option', { name: axis }).click();
  };
  await chart.scrollIntoViewIfNeeded();
  await reads(/^Step \d/);
  await choose('Computing time');
  await base.getByText(/^Drawn in part, because “Computing time” was not recorded .*: Recipes\.$/).waitFor();
  await expect.poll(() => chart.getAttribute('aria-label')).not.toContain('Recipes');
  await reads(/^\d mins?( \d+ secs?)? · Step 1,/);
  await choose('Tokens');
  await base.getByText(/^Drawn in part/).waitFor({ state: 'detached' });
  await reads(/^[\d,]{7,} tokens · Step 1,/);
  // The other charts of the page follow, and so does another page.
  await page.goto(page.url().replace(/#.*/, '#/project/project_moby?show=2'));
  await page.getByRole('tab', { name: 'Reward model' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: /^Not drawn: recorded without “Tokens”/ })
    .waitFor();
});

it('everything is done by its name: Ctrl+K, a few letters, Enter', async () => {
  const page = await at('/');
  const run = async (letters: string) => {
    await openPalette(page);
    await page.keyboard.type(letters);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await run('shakesp');
  await page.getByRole('heading', { name: 'Tiny Shakespeare' }).waitFor();
  // What trains is steered from everywhere.
  await run('pause');
  await run('moby');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await run('resume');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('Control+,');
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  await page.keyboard.press('Control+Shift+N');
  await page.waitForURL(/#\/new\//);
  await openPalette(page);
  await page.keyboard.type('zzzz');
  await page.getByText('No results').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('a click on pause is answered at once, and again when it is so', async () => {
  const page = await at('/project/project_moby', { scenario: 'slow' });
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Pausing after this step…' }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
});

it('shows the samples of each evaluation side by side, opening by opening', async () => {
  const page = await at('/project/project_moby?show=0');
  const written = page.getByRole('region', { name: 'Samples' });
  await written.getByRole('heading', { name: 'Newest · after step 2,000' }).waitFor();
  await written.getByRole('heading', { name: 'after step 1,500' }).waitFor();
  // The best on held-out text is not the last.
  await written.getByRole('heading', { name: 'Best · after step 1,750' }).waitFor();
  await written.getByText('The best model is from step 1,750, where the held-out loss was lowest.').waitFor();
  const first = await written.getByRole('article').first().innerText();
  await written.getByRole('button', { name: 'Opening 2' }).click();
  await expect.poll(() => written.getByRole('article').first().innerText()).not.toBe(first);
});

it('a chart shows the values under the pointer, and no other chart does', async () => {
  const page = await at('/project/project_moby?show=0');
  const loss = page.getByRole('img', { name: /^Nats per character\. training: .* at step 2,000/ });
  await loss.scrollIntoViewIfNeeded();
  const tooltip = page.locator('.chart-tooltip:visible', { hasText: 'Step' });
  await expect
    .poll(async () => {
      const box = await loss.boundingBox();
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.5, (box?.y ?? 0) + (box?.height ?? 0) * 0.6);
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.52, (box?.y ?? 0) + (box?.height ?? 0) * 0.6);
      return tooltip.allInnerTexts();
    })
    .toEqual([expect.stringMatching(/^Step [\d,]+\s+training\s+\d\.\d+\s+smoothed \d\.\d+/)]);
});

it('loads other metrics only when "All metrics" is opened', async () => {
  const page = await at('/project/project_moby?show=2');
  await page.getByRole('img', { name: /^KL from start of cycle\. .* at step 64/ }).waitFor();
  const times = page.getByRole('img', { name: /^Time per step\. writing: .* s at step 64.*scoring: .*learning: / });
  expect(await times.count()).toBe(0);
  await page.getByRole('button', { name: 'All metrics: GRPO' }).click();
  await times.waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

it('the menu of a chart, made when it is come to, opens with one click and with the keyboard', async () => {
  const page = await at('/project/project_moby?show=0');
  const menu = page.getByRole('button', { name: 'Scale and downloads of “Learning rate”' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Save as CSV' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem', { name: 'Save as CSV' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Scale and downloads of “Gradient norm”' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Save as PNG' }).waitFor();
});

it('shows results with the votes on the newest version; a project that waits for votes can continue without them', async () => {
  const page = await at('/project/project_moby', { scenario: 'awaiting' });
  const waits = page.getByRole('region', { name: 'Is the model after cycle 1 better than the base model?' });
  await waits.getByText(/^The project is waiting for votes: about 35 more votes decide/).waitFor();
  const go = (place: string) => page.evaluate((to) => (location.hash = to), place);
  const outcome = page.getByRole('region', { name: 'Results' });
  await go('/project/project_moby?show=all');
  await outcome
    .getByText(
      /On unseen text, the model after cycle 1 .*\(1\.511 → 1\.497 nats per character.* In cycle 1 the reward .* is undecided \(44 votes\)\.$/,
    )
    .waitFor();
  const reward = outcome.locator('div', { has: page.getByText('Reward, in the last cycle') });
  await reward.getByText('55.3% → 71.2%').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await waits.getByRole('link', { name: 'Rate now' }).click();
  await page.waitForURL(/project_moby\/rate$/);
  await page.goBack();
  await waits.getByRole('button', { name: 'Continue without votes' }).click();
  await waits.waitFor({ state: 'detached' });
  await page
    .getByRole('main')
    .locator('.chip', { hasText: /^Running$/ })
    .first()
    .waitFor();
  // Votes on the second version do not count for the sixth; before the first cycle there are no results.
  await go('/project/project_shakespeare?show=all');
  await outcome.getByText(/the model after cycle 5.*\(1\.613 → 1\.535 nats per character/).waitFor();
  await outcome.getByText(/^The last cycle gained less than plain training would have/).waitFor();
  await outcome.getByText(/^Plain training is better here/).waitFor();
  expect(await outcome.getByText(/votes/).count()).toBe(0);
  await go('/project/project_letters?show=all');
  await page.getByRole('heading', { name: 'Letters of my grandmother' }).waitFor();
  await outcome.waitFor({ state: 'detached' });
});

it('where plain training was better than the newest cycle, a click sets it up', async () => {
  const page = await at('/project/project_shakespeare?show=all');
  await page.getByRole('button', { name: 'Train longer instead' }).waitFor();
  // The one thing to press there.
  const primary = page.getByRole('main').locator('.screen button.bg-primary');
  await expect.poll(() => primary.allInnerTexts()).toEqual(['Train longer instead']);
  await page.getByRole('button', { name: 'Train longer instead' }).click();
  await page.waitForURL(/review$/);
  await expect.poll(() => page.getByLabel('Project name').inputValue()).toBe('Tiny Shakespeare, trained longer');
});

it('completions are searched and sorted, and only those in sight are in the page', async () => {
  const page = await at('/project/project_shakespeare?show=2');
  const table = page.getByRole('table', { name: 'Completions' });
  await table.scrollIntoViewIfNeeded();
  await page.getByText('400 completions').waitFor();
  expect(await table.getByRole('row').count()).toBeLessThan(40);
  await page.getByRole('button', { name: 'Sort by Reward' }).click();
  const rewards = async () =>
    (await table.locator('.column-reward').allTextContents())
      .slice(1, 6)
      .map((text) => Number(/^\s*([\d.]+)%\s*$/.exec(text)?.[1]) / 100);
  await expect
    .poll(async () => {
      const [first = 0, ...others] = await rewards();
      return first > 0.8 && others.every((reward) => reward <= first);
    })
    .toBe(true);
  await page.getByLabel('Search prompts and completions').fill('no such words anywhere');
  await page.getByText('No results').waitFor();
});

it('a click on a step of GRPO shows the completions of that step', async () => {
  const page = await at('/project/project_shakespeare?show=2');
  await page.getByText('400 completions').waitFor();
  const grpo = page.getByRole('img', { name: /^Reward\. Reward: / });
  await grpo.scrollIntoViewIfNeeded();
  await expect.poll(() => grpo.locator('canvas').count()).toBeGreaterThan(0);
  await grpo.click();
  const only = page.getByRole('status').filter({ hasText: /^Only step \d+/ });
  await only.waitFor();
  await page.getByText('4 completions').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await only.getByRole('button', { name: 'Show all' }).click();
  await page.getByText('400 completions').waitFor();
});

it('every term is explained on keyboard focus', async () => {
  const page = await at('/project/project_moby?show=2');
  await page.getByRole('button', { name: 'KL from start of cycle', exact: true }).focus();
  await page.getByText('How far the model has moved from where this cycle started').first().waitFor();
});

it('shows that the window waits for a connection', async () => {
  const page = await at('/', { scenario: 'disconnected' });
  await page.getByText('Connecting to Verisim').waitFor();
});

it('a card shows the place of its project and the next phase', async () => {
  const page = await at('/');
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row('Letters of my grandmother').getByText('Cycle 1 of 3 · Critic').waitFor();
  await row('Tiny Shakespeare').getByText('5 of 5 cycles done').waitFor();
});

it('a phase that was skipped shows that it ends until another runs', async () => {
  const page = await at('/project/project_moby');
  const now = page.getByRole('region', { name: 'Now' });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Skip the rest of this phase' }).click();
  await now.getByText('Ending here, after this step').waitFor();
  expect(await now.getByText(/ left/).count()).toBe(0);
});

it('the form for more training explains invalid numbers', async () => {
  const page = await at('/project/project_moby');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Train longer…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Train longer' });
  const add = dialog.getByRole('button', { name: 'Add', exact: true });
  for (const typed of ['-5', 'abc', '0.5', '99999999999999']) {
    await dialog.getByLabel('More cycles').fill(typed);
    await dialog.getByText(/^A whole number from 0 to/).waitFor();
    await expect.poll(() => add.isDisabled()).toBe(true);
  }
  await dialog.getByLabel('More cycles').fill('2');
  await expect.poll(() => add.isEnabled()).toBe(true);
});

it('a project that has ended is given a cycle and trains it, and its model is exported in what there is of it', async () => {
  const page = await at('/project/project_shakespeare?show=all');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Train longer…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Train longer' });
  await dialog.getByRole('button', { name: 'Add and train' }).waitFor();
  await expect.poll(() => dialog.getByRole('textbox').count()).toBe(1);
  // Nothing is added that was not asked for.
  expect(await dialog.getByLabel('More cycles').inputValue()).toBe('0');
  await dialog.getByLabel('More cycles').fill('1');
  await dialog.getByRole('button', { name: 'Add and train' }).click();
  await page.getByRole('main').locator('.chip', { hasText: 'Waiting' }).first().waitFor();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('button', { name: 'Export GGUF' }).waitFor();
  // None of its weights are adapters: it began from scratch.
  expect(await page.getByRole('button', { name: 'Export Adapters' }).count()).toBe(0);
  const running = await at('/project/project_moby?show=all');
  await running.getByRole('button', { name: 'Export', exact: true }).click();
  const whole = running.getByRole('button', { name: 'Save as… Whole project' });
  await expect.poll(() => whole.isDisabled()).toBe(true);
  await running.getByText('Stop the project first: its folder changes during training.').waitFor();
});

it('an error stays until it is dismissed, and appears once', async () => {
  const page = await at('/', { scenario: 'broken' });
  await page.clock.install();
  const press = () => page.getByRole('button', { name: 'New project' }).click();
  const notices = page.getByRole('region', { name: /Notifications/ }).locator('li');
  await press();
  await expect.poll(() => notices.count()).toBe(1);
  await press();
  await page.clock.fastForward(120_000);
  expect(await notices.count()).toBe(1);
  // Its clock stays with it.
  await page.close();
});

it.each([
  [
    'a full disk pauses',
    'project_moby',
    'Paused: the disk of /media/usb has only 12 MB free, and the next checkpoint may need 80 MB.',
  ],
  [
    'a read-only disk ended',
    'project_recipes',
    'The disk is read-only; choose a folder on another disk, or mount it for writing.',
  ],
])('a run that %s says why, and what helps', async (_, id, sentence) => {
  const page = await at(`/project/${id}`, { scenario: 'disk' });
  await page.getByText(sentence).first().waitFor();
});

it('from a project that diverged leads a suggestion that is set up with a click, and never only the same again', async () => {
  const page = await at('/project/project_recipes', { scenario: 'diverged' });
  const out = page.getByRole('region', { name: 'What you can do' });
  await out.getByText(/ instead of 1e-5, from step 0$/).waitFor();
  await out.getByText('fails at the same step').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  // One button is primary, and not the one that would fail again.
  const main = page.getByRole('main').locator('button.bg-primary');
  await expect.poll(() => main.allInnerTexts()).toEqual(['Use this setting']);
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await out.getByRole('button', { name: 'Use this setting' }).click();
  await page.getByRole('heading', { name: 'Review' }).waitFor();
  await page.getByText('GRPO learning rate').first().waitFor();
});

it('goes on with the processor where a graphics card failed', async () => {
  const page = await at('/project/project_recipes', { scenario: 'card' });
  await page.getByText('The device was lost').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The device was lost').first().waitFor();
  await page.getByRole('button', { name: 'Go on with the processor' }).click();
  await page.getByText('The device was lost').first().waitFor({ state: 'detached' });
});

it('a project in use by another process names it and offers nothing that cannot be done here', async () => {
  const page = await at('/project/project_moby', { scenario: 'elsewhere' });
  await page.getByText('In use by process 4711 on atlas (verisim cycle).').waitFor();
  expect(await page.getByRole('button', { name: /^(Pause|Stop|Start|Resume)$/ }).count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  // A computer that has given no sign may be gone.
  await page.getByText(/It has given no sign since/).waitFor();
  await page.getByRole('button', { name: 'Take over' }).click();
  await page
    .getByRole('button', { name: /^(Resume|Start)$/ })
    .first()
    .waitFor();
  expect(await page.getByText('In use by process').count()).toBe(0);
});

it('opens the palette by the place of its key where the layout types another letter', async () => {
  const page = await at('/');
  await page.getByRole('button', { name: 'Search…' }).waitFor();
  const press = (key: string, code: string) =>
    page.evaluate(
      (init) => window.dispatchEvent(new KeyboardEvent('keydown', { ...init, ctrlKey: true, cancelable: true })),
      { key, code },
    );
  await press('л', 'KeyK');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // On Dvorak the K is elsewhere, and its place has a T.
  await press('t', 'KeyK');
  await press('б', 'Comma');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});
