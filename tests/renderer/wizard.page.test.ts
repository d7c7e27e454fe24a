/** The wizard as a person uses it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { pictures, seriousFindings } from '../e2e/support/page.js';
import { t } from '../../renderer/messages/index.js';
import { choiceName } from '../../renderer/messages/settings.js';
import { artifacts, startScreens, type Screens } from './screens.js';

let screens: Screens;
let page: Page;
beforeAll(async () => {
  screens = await startScreens();
});
beforeEach(async () => {
  ({ page } = await screens.open({ at: '/new/draft_first/text' }));
  await page.getByText('Drop texts or a folder here').waitFor();
});
afterAll(() => screens.close());

/** Opens one of the pages that customize. */
async function step(name: string) {
  const list = page.getByRole('navigation', { name: 'New project' });
  const customize = list.getByRole('button', { name: 'Customize' });
  if ((await customize.getAttribute('aria-expanded')) === 'false') await customize.click();
  await list.getByRole('link', { name }).click();
}
const useSample = async () => {
  await page.getByRole('button', { name: 'Use the sample text' }).click();
  await page.getByText('moby-dick.txt').waitFor();
};

it('the next step is in sight on every page, and pages not visited yet have no errors', async () => {
  const errors = () => page.getByRole('navigation', { name: 'New project' }).getByText(/error/).count();
  const isSeen = (name: RegExp) =>
    page
      .getByRole('main')
      .locator('footer')
      .getByText(name)
      .evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top > 0 && bottom <= innerHeight;
      });
  await page.setViewportSize({ width: 1280, height: 700 });
  const pages = [
    ['text', 'Plan'],
    ['begin', 'Tokens'],
    ['model', 'Reward data'],
    ['grpo', 'Review'],
  ] as const;
  for (const [name, following] of pages) {
    await page.goto(page.url().replace(/#.*/, `#/new/draft_first/${name}`));
    await page.getByRole('link', { name: `Next: ${following}` }).waitFor();
    await expect.poll(() => isSeen(/^Next/)).toBe(true);
    await expect.poll(errors).toBe(name === 'text' ? 0 : 1);
    // A text is missing on the first page: going on is not what it suggests.
    const tone = () => page.getByRole('link', { name: /^Next/ }).getAttribute('class');
    await expect.poll(tone).toMatch(name === 'text' ? /^(?!.*bg-primary)/ : /bg-primary/);
  }
  await page.goto(page.url().replace(/#.*/, '#/new/draft_first/review'));
  await page.getByRole('button', { name: 'Start training' }).waitFor();
  await expect.poll(() => isSeen(/^Start training$/)).toBe(true);
});

it('starts another project from the palette', async () => {
  const name = page.getByLabel(t('wizard.name'));
  await name.fill('The first');
  await page.getByRole('button', { name: 'Search…' }).click();
  await page.getByRole('option', { name: /^New project(?! from)/ }).click();
  await page.getByRole('heading', { name: t('wizard.steps.text.title'), level: 1 }).waitFor();
  await expect.poll(() => name.inputValue()).toBe(t('wizard.title'));
  await page.goBack();
  await expect.poll(() => name.inputValue()).toBe('The first');
});

it('shows what was cleaned, before and after, and leaves it as it is on request', async () => {
  await useSample();
  const joined = t('texts.cleaned.lines', { count: 15_544 });
  await page.getByRole('button', { name: joined }).click();
  await page.getByText('having little or no money').last().waitFor();
  await page.getByText(t('list.end_held_out', { share: '10%', name: null, rest: '0%', others: 0 })).waitFor();
  const join = page.getByRole('switch', { name: t('texts.cleaning.lines') });
  await join.click();
  await page.getByText(t('texts.kept.lines')).waitFor();
  await step('Review');
  await page.getByText('--keep lines').first().waitFor();
  await step('Text');
  await join.click();
  await page.getByRole('button', { name: joined }).waitFor();
});

it.each([
  ['reviews.csv', 'Column', 'review', 'title', /Emma/],
  ['WhatsApp Chat with Ann.txt', 'Whose messages to learn from', 'Everyone', 'Ann (1,204 messages)', /Sunday/],
] as const)('%s: offers what there is to learn from, with samples', async (file, group, first, other, sample) => {
  await page.getByRole('button', { name: 'Choose files…' }).click();
  await page.getByRole('button', { name: 'Documents' }).click();
  await page.getByRole('dialog').getByText(file).click();
  const choice = page.getByRole('radiogroup', { name: group });
  const of = (name: string) => choice.getByRole('radio', { name });
  await choice.getByText(sample).waitFor();
  await expect.poll(() => of(first).getAttribute('aria-checked')).toBe('true');
  await of(other).click();
  await expect.poll(() => of(other).getAttribute('aria-checked')).toBe('true');
  await page.getByRole('button', { name: 'Use the sample text' }).click();
  await choice.waitFor({ state: 'detached' });
  expect(await page.locator('#field-text_field').count()).toBe(0);
});

it('plans what is recommended in sentences, again for another time, and starts it', async () => {
  const plan = page.getByRole('region', { name: 'Plan' });
  await page.getByRole('link', { name: 'Next: Plan' }).click();
  await page.getByText('Choose a text to see the plan.').waitFor();
  expect(await page.getByRole('button', { name: 'Start training' }).isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'Choose a text' }).click();
  await useSample();
  await page.getByRole('link', { name: 'Next: Plan' }).click();
  await plan
    .getByText(/^1,120,000 characters of English\. Start from SmolLM2 135M and read \d+% of your text: about/)
    .waitFor();
  await plan.getByText(/SmolLM2 135M is recommended, because/).waitFor();
  const text = await page.getByRole('main').innerText();
  expect(text).not.toMatch(/LoRA|\bKL\b|logarithm/i);
  const time = plan.getByRole('slider', { name: 'How long may it take?' });
  await time.press('End');
  await expect.poll(() => time.getAttribute('aria-valuetext')).toBe('8 hr');
  // A night has more room than a text of this length needs: it is read once, and followed by a cycle.
  await plan
    .getByText(/read your text once: about [^.]+\. Then one cycle that follows the voice of your text: about/)
    .waitFor();
  await page.getByText('It ends sooner than that').waitFor();
  await expect.poll(() => seriousFindings(page)).toEqual([]);
  await pictures(page, artifacts, 'wizard-plan');
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('heading', { name: 'Sonnets', level: 1 }).waitFor();
});

it('keeps in the plan what was customized, and gives a new model all of the time without cycles', async () => {
  const plan = page.getByRole('region', { name: 'Plan' });
  await step('Model');
  await page.getByLabel('Layers', { exact: true }).fill('3');
  await step('Text');
  await useSample();
  await step('Plan');
  await plan.getByText(/Train a small new model, which reads your text [\d.]+ times: about 15 min\. After/).waitFor();
  await plan.getByText('The plan keeps your settings: Layers.').waitFor();
  await plan.getByRole('button', { name: 'Use the recommendation' }).click();
  await plan.getByText(/Start from SmolLM2 135M/).waitFor();
  await plan.getByText('The plan keeps your settings').waitFor({ state: 'detached' });
  await plan.getByRole('slider').press('End');
  await step('Start from');
  await page.getByRole('radio', { name: /^From scratch A small model/ }).click();
  await step('Plan');
  await plan
    .getByText(/Train a small new model, which reads your text [\d.]+ times: about [\d.]+ (min|hr)\. After/)
    .waitFor();
});

it('says of cycles that follow the voice of the text what they do', async () => {
  ({ page } = await screens.open({ at: '/new/draft_model/text' }));
  await useSample();
  await step('Reward data');
  await page.locator('#input-reward_kind').click();
  await page.getByRole('option', { name: choiceName('reward_kind', 'voice'), exact: true }).click();
  await step('GRPO and stopping');
  await page.getByLabel('Cycles', { exact: true }).fill('2');
  await step('Plan');
  await page.getByText(/Then 2 cycles that follow the voice of your text: about \d+ (min|hr)/).waitFor();
});

it('takes a text from the clipboard, by keys and in a dialog', async () => {
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Call me Ishmael.');
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  const dialog = page.getByRole('dialog', { name: 'Paste a text' });
  await expect.poll(() => dialog.getByRole('textbox').inputValue()).toBe('Call me Ishmael.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Paste a text…' }).click();
  await dialog.getByRole('textbox').fill('x'.repeat(1_000_001));
  await dialog.getByText('longer than 1,000,000 characters').waitFor();
  expect(await dialog.getByRole('button', { name: 'Use this text' }).isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('Some years ago, never mind how long precisely');
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Use this text' }).click();
  await page.getByText('Some years a.txt').first().waitFor();
});

it('downloads the model of the plan before it starts', async () => {
  ({ page } = await screens.open({ at: '/new/draft_model/text' }));
  await useSample();
  await step('Start from');
  await page.getByRole('radio', { name: /^SmolLM2 360M/ }).click();
  await step('Plan');
  await page
    .getByText(/First, SmolLM2 360M is downloaded: [\d.]+ MB, licence Apache-2\.0\. Start from SmolLM2 360M/)
    .waitFor();
  const start = page.getByRole('button', { name: 'Download and start' });
  await start.click();
  await page.getByRole('progressbar', { name: 'Downloading…' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await start.click();
  await page.getByRole('heading', { name: 'Moby-Dick, from SmolLM2', level: 1 }).waitFor();
});

it('does not explain another choice of tokens than the one that is made', async () => {
  await step('Start from');
  await step('Text');
  await useSample();
  await step('Tokens');
  await page.getByText('Your text in tokens').waitFor();
  await page.getByRole('radio', { name: /^Characters/ }).click();
  // From the click until the text is read again.
  expect(await page.getByText('Your text in tokens').count()).toBe(0);
  await page.getByRole('main').getByText('Reading the text…').waitFor();
  await page.getByText('Your text in tokens').waitFor();
});

it('lists every problem at once; a click leads to its field; Start explains why it is disabled', async () => {
  await step('Model');
  await page.getByLabel('Dropout', { exact: true }).fill('much');
  await step('GRPO and stopping');
  await page.getByLabel('Group size', { exact: true }).fill('1');
  await step('Review');
  const start = page.getByRole('button', { name: 'Start training' });
  await page.getByText('“Dropout” must be').waitFor();
  await page.getByText('“Group size” must be').waitFor();
  await page.getByText('Text file: nothing chosen yet').waitFor();
  await expect.poll(() => start.isDisabled()).toBe(true);
  await page.getByText(/Fix these first: .*Dropout/).waitFor();

  await page.getByRole('button', { name: 'Go to Group size' }).click();
  await page.getByRole('heading', { name: 'GRPO and stopping' }).waitFor();
  await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('input-group_size');
});

it('a preset sets everything that belongs to it, and one value goes back to its default', async () => {
  await step('Model');
  await page.getByLabel('Layers', { exact: true }).fill('9');
  await page.getByRole('radio', { name: /^Small/ }).click();
  await expect.poll(() => page.getByLabel('Layers', { exact: true }).inputValue()).toBe('6');
  await page.getByLabel('Layers', { exact: true }).fill('9');
  await page.getByRole('button', { name: 'Reset Layers' }).click();
  await expect.poll(() => page.getByLabel('Layers', { exact: true }).inputValue()).toBe('6');
});

it('shows choices by their names in lists, helps and differences, with the value of the flag in lists', async () => {
  await step('GRPO');
  const shape = page.getByRole('combobox', { name: 'Reward shape' });
  await expect.poll(() => shape.textContent()).toBe('Log ratio of each token');
  await page.getByText(/“Natural share of the passage” is how natural/).waitFor();
  await page.getByText(/^Default: Log ratio of each token$/).waitFor();
  await shape.focus();
  await page.keyboard.press('Enter');
  const option = page.getByRole('option', { name: 'Natural share of the passage' });
  expect(await option.textContent()).toContain('fraction');
  // By the beginning of its name.
  await page.keyboard.type('nat');
  await page.keyboard.press('Enter');
  await expect.poll(() => shape.textContent()).toBe('Natural share of the passage');
  await step('Review');
  await page
    .getByRole('row', { name: /^Reward shape ?reward_shape Natural share.* Log ratio of each token/ })
    .waitFor();
});

it('switches between a text and prepared tokens', async () => {
  await page.getByRole('radio', { name: /^Prepared tokens/ }).click();
  await page.getByText('Drop train.bin and val.bin here').waitFor();
  // Not an error before one goes on.
  await expect.poll(() => page.getByText('not chosen yet').count()).toBe(2);
  expect(await page.getByText('nothing chosen yet').count()).toBe(0);
  await step('Review');
  await page.getByText('train.bin: nothing chosen yet').waitFor();
  await page.getByText('val.bin: nothing chosen yet').waitFor();
});

it('begins from any model of the hub, by its name', async () => {
  ({ page } = await screens.open({ at: '/new/draft_model/begin' }));
  const name = page.getByLabel('Or enter a Hugging Face model name');
  await name.fill('Fable');
  await name.press('Enter');
  await page.getByText('Enter an owner and a model').waitFor();
  await name.fill('someone/None-1B');
  await name.press('Enter');
  await page.getByText('There is no model someone/None-1B on the hub').waitFor();
  await name.fill('someone/Fable-0.1B');
  await name.press('Enter');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await expect
    .poll(() => page.getByRole('radio', { name: /^someone\/Fable/ }).getAttribute('aria-checked'))
    .toBe('true');
});

it('begins from nothing with a teacher, whose tokens it has, and goes back to none', async () => {
  ({ page } = await screens.open({ at: '/new/draft_model/begin' }));
  const way = (name: RegExp) => page.getByRole('radio', { name });
  await way(/^From scratch, with a teacher/).click();
  await page.getByRole('heading', { name: 'Teacher models' }).waitFor();
  await expect.poll(() => way(/^SmolLM2 135M/).getAttribute('aria-checked')).toBe('true');
  await step('Tokens');
  await page.getByText('shares its teacher’s tokens').waitFor();
  expect(await way(/^Characters/).count()).toBe(0);
  await step('GRPO and stopping');
  await expect.poll(() => page.getByLabel('Group size', { exact: true }).inputValue()).toBe('4');
  await step('Start from');
  // The keyboard takes the choice and the focus along.
  await way(/^From scratch, with a teacher/).press('ArrowLeft');
  await page.locator('[role="radio"][aria-checked="true"]:focus').getByText('From scratch', { exact: true }).waitFor();
  await step('Tokens');
  await way(/^Characters/).waitFor();
});

it('shows how well the model that is here predicts the text before training', async () => {
  ({ page } = await screens.open({ at: '/new/draft_model/text' }));
  await useSample();
  await step('Start from');
  await page
    .getByRole('radio', { name: /^SmolLM2 135M/ })
    .getByText('1.07 nats per character')
    .waitFor();
  expect(await page.getByText(/nats per character$/).count()).toBe(1);
  await pictures(page, artifacts, 'wizard-familiarity');
});

it('gives a model that can write a larger teacher with the same tokens, and takes it back', async () => {
  ({ page } = await screens.open({ at: '/new/draft_model/begin' }));
  const choice = page.getByRole('switch', { name: 'With a larger teacher' });
  await choice.click();
  const teachers = page.getByRole('radiogroup', { name: 'Teacher models' });
  await expect.poll(() => teachers.getByRole('radio').count()).toBe(2);
  const chosen = teachers.locator('[aria-checked="true"]');
  await chosen.getByText('SmolLM2 360M').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, artifacts, 'wizard-larger-teacher');
  const steps = page.getByLabel('GRPO steps', { exact: true });
  await step('GRPO and stopping');
  await expect.poll(() => steps.inputValue()).toBe('40');
  await step('Start from');
  await choice.click();
  await teachers.waitFor({ state: 'detached' });
  await step('GRPO and stopping');
  await expect.poll(() => steps.inputValue()).toBe('20');
});

it('trains for a number of minutes if the limit is on, and for a number of steps otherwise', async () => {
  await step('Model');
  const choice = page.getByRole('switch', { name: 'Set a time limit' });
  await choice.click();
  const slider = page.getByRole('slider', { name: 'Time for base training' });
  await slider.press('ArrowRight');
  const minutes = page.getByLabel('Minutes', { exact: true });
  await expect.poll(() => minutes.inputValue()).toBe('15');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^15 min/);
  await choice.click();
  await slider.waitFor({ state: 'detached' });
  await expect.poll(() => minutes.inputValue()).toBe('');
});
