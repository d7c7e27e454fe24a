/** The window in German: as the system has it, as it is chosen, and numbers read as German writes them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inEnglish, inGerman } from '../support/messages.js';
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

it('is German where the system is, and never English before', async () => {
  const { page, watch } = await screens.open({ system: 'de-DE' });
  await page.getByRole('heading', { name: inGerman('home.title'), exact: true }).waitFor();
  await page.locator('html[lang=de]').waitFor();
  await expect.poll(() => page.title()).toBe('Projekte – Verisim');
  // Components that are not ours, and times in words.
  await page.locator('time', { hasText: /^vor / }).first().waitFor();
  expect(await page.getByText(inEnglish('home.newProject'), { exact: true }).count()).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('dunkel');
  await page
    .getByRole('option', { name: inGerman('palette.theme', { name: inGerman('settings.themes.dark') }) })
    .waitFor();
  await page.keyboard.press('Enter');
  await page.locator('html.dark').waitFor({ state: 'attached' });
  expect(watch.complaints).toEqual([]);
});

it('writes every figure of a verdict as German does, where the system is German and nothing was chosen', async () => {
  const { page } = await screens.open({ at: '/project/project_shakespeare?show=all', system: 'de-DE' });
  const outcome = page.getByRole('region', { name: inGerman('project.outcome.title') });
  await outcome.getByText(/Der Zyklus gewann 0,\d{3} Nats pro Token, schlichtes Training gewann 0,\d{3} /).waitFor();
  expect(await outcome.innerText()).not.toMatch(/\d\.\d/);
});

it('changes at once, there and back, and the keyboard stays on the choice', async () => {
  const { page } = await screens.open({ at: '/settings' });
  const [list, option] = [
    page.locator('#set-language'),
    (name: string) => page.getByRole('option', { name, exact: true }),
  ];
  const isFocused = () => expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('set-language');
  await list.click();
  await option('Deutsch').click();
  await page.getByRole('heading', { name: inGerman('settings.title'), exact: true }).waitFor();
  await page.getByRole('link', { name: inGerman('nav.home') }).waitFor();
  await page.locator('html[lang=de]').waitFor();
  await isFocused();
  // By keyboard alone, the list closes as it does for a click.
  for (const open of ['Enter', 'Space']) {
    const [language, title] =
      open === 'Enter' ? ['English', inEnglish('settings.title')] : ['Deutsch', inGerman('settings.title')];
    await page.keyboard.press(open);
    await option(language).waitFor();
    await page.keyboard.type(language);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    await isFocused();
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
  }
});

it('a step of the wizard shows and reads numbers as German writes them', async () => {
  const { page } = await screens.open({ at: '/new/draft_first/model', settings: { language: 'de' } });
  await page.getByRole('heading', { name: inGerman('wizard.steps.model.title'), exact: true }).waitFor();
  const rate = page.locator('#input-learning_rate');
  await rate.fill('0,002');
  await page.locator('#field-learning_rate').getByRole('button').waitFor();
  const context = page.locator('#input-block_size');
  await context.fill('1.024');
  await page
    .getByRole('navigation', { name: inGerman('wizard.title') })
    .getByRole('link', { name: inGerman('wizard.steps.review.title') })
    .click();
  const changes = page.getByRole('region', { name: inGerman('wizard.review.changes') });
  await changes.getByText('0,002').first().waitFor();
  await changes.getByText('1024').first().waitFor();
});

it('has every step of the wizard in sight in a narrow window, and a copy is called one', async () => {
  const { page } = await screens.open({ settings: { language: 'de' } });
  await page.setViewportSize({ width: 900, height: 800 });
  await page.getByRole('button', { name: inGerman('home.actions.menu', { name: 'Tiny Shakespeare' }) }).click();
  await page.getByRole('menuitem', { name: inGerman('home.actions.clone') }).click();
  await page.getByRole('navigation', { name: inGerman('wizard.title') }).waitFor();
  await expect
    .poll(() => page.getByLabel(inGerman('wizard.name')).inputValue())
    .toBe(inGerman('home.copyOf', { name: 'Tiny Shakespeare' }));
  await page.getByRole('button', { name: inGerman('wizard.customize') }).click();
  for (const step of ['text', 'plan', 'begin', 'tokens', 'model', 'reward', 'grpo', 'review'] as const) {
    const title = inGerman(`wizard.steps.${step}.title`);
    const end = async () => {
      const box = await page
        .getByRole('navigation', { name: inGerman('wizard.title') })
        .getByText(title)
        .boundingBox();
      return (box?.x ?? NaN) + (box?.width ?? NaN);
    };
    await expect.poll(end, { message: title }).toBeLessThan(900 - 16);
  }
});

it('names keys as German keyboards do, and what only a screen reader reads in German', async () => {
  const { page } = await screens.open({ settings: { language: 'de' } });
  // What is read out as it comes is there for a moment.
  await page.evaluate(() => {
    const announced: string[] = [];
    Object.assign(globalThis, { announced });
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const { textContent } of addedNodes) announced.push(textContent ?? '');
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole('button', { name: inGerman('home.actions.menu', { name: 'Tiny Shakespeare' }) }).click();
  // Apart from everything else in the menu: a slip of the mouse from its neighbour must not delete.
  const remove = page.getByRole('menuitem', { name: new RegExp(`^${inGerman('home.actions.delete')}`) });
  const groups = page.getByRole('menu').getByRole('group');
  await expect.poll(() => groups.filter({ has: remove }).getByRole('menuitem').count()).toBe(1);
  expect(await groups.count()).toBeGreaterThan(1);
  await remove.click();
  const announced = () => page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
  await expect.poll(announced).toContainEqual(expect.stringMatching(/^\s*Meldung: /));
  expect((await announced()).join('\n')).not.toContain('Notification');
  // The place where all of them are.
  await page.getByRole('region', { name: inGerman('app.messages'), exact: true }).waitFor({ state: 'attached' });
  await expect
    .poll(() => page.locator('kbd').allInnerTexts())
    .toEqual(expect.arrayContaining([expect.stringMatching(/^strg$/i)]));
  expect(await page.locator('body').innerText()).not.toMatch(/Notification|\bctrl\b/i);
});
