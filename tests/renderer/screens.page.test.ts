/** Every screen: it appears, complains of nothing, axe finds nothing serious, in both themes and at two widths. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoOptions } from '../../tools/demo/handlers.js';
import { pictures, seriousFindings } from '../e2e/support/page.js';
import { artifacts, startScreens, type Screen as Shown, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

interface Screen {
  readonly name: string;
  readonly at: string;
  /** The button that opens it. */
  readonly press?: string;
  /** A project that is deleted before. */
  readonly deletes?: string;
  /** Text that is there once the screen is. */
  readonly shows: string;
  readonly scenario?: NonNullable<DemoOptions['scenario']>;
}

const list: readonly Screen[] = [
  { name: 'home', at: '/', shows: 'Tiny Shakespeare' },
  { name: 'palette', at: '/project/project_moby', press: 'Search…', shows: 'Stop: After this phase' },
  { name: 'home-deleted', at: '/', deletes: 'Tiny Shakespeare', press: 'Deleted projects (1)', shows: 'Restore' },
  { name: 'home-empty', at: '/', shows: 'Teach a small model', scenario: 'empty' },
  { name: 'home-broken', at: '/', shows: 'projects.json is damaged', scenario: 'broken' },
  { name: 'wizard-begin', at: '/new/draft_model/begin', shows: 'Llama 3.2 1B' },
  { name: 'wizard-begin-nothing', at: '/new/draft_first/begin', shows: 'Pretrained model' },
  { name: 'wizard-begin-broken', at: '/new/draft_model/begin', shows: 'projects.json is damaged', scenario: 'broken' },
  { name: 'wizard-pretrained-tokens', at: '/new/draft_model/tokens', shows: 'uses its own tokens' },
  { name: 'wizard-pretrained-model', at: '/new/draft_model/model', shows: 'Longest context' },
  { name: 'wizard-text', at: '/new/draft_first/text', shows: 'Drop texts or a folder here' },
  { name: 'wizard-tokens', at: '/new/draft_first/tokens', shows: 'Word pieces' },
  { name: 'wizard-model', at: '/new/draft_first/model', shows: 'Attention heads' },
  { name: 'wizard-reward', at: '/new/draft_first/reward', shows: 'Training share' },
  { name: 'wizard-grpo', at: '/new/draft_first/grpo', shows: 'Group size' },
  { name: 'wizard-review', at: '/new/draft_first/review', shows: 'Start training' },
  { name: 'project-all', at: '/project/project_shakespeare', shows: 'Samples by model' },
  { name: 'project-base', at: '/project/project_moby?show=0', shows: 'Gradient norm' },
  { name: 'project-reward-data', at: '/project/project_moby?show=2', shows: 'Completions' },
  { name: 'project-waiting', at: '/project/project_moby?show=3', shows: 'not ready yet' },
  { name: 'project-failed', at: '/project/project_recipes', shows: 'The disk is full' },
  { name: 'export', at: '/project/project_shakespeare', press: 'Export', shows: 'LM Studio, Ollama' },
  { name: 'write', at: '/write', press: 'Continue', shows: 'Keep one with its number key' },
  { name: 'write-broken', at: '/write', shows: 'projects.json is damaged', scenario: 'broken' },
  { name: 'rating', at: '/project/project_shakespeare/rate', shows: 'Which continues the text better' },
  {
    name: 'rating-boundary',
    at: '/project/project_shakespeare/rate',
    press: 'Where does it stop?',
    shows: 'Where does it stop being natural',
  },
  { name: 'rating-results', at: '/project/project_shakespeare/rate', press: 'Results', shows: 'Preference' },
  { name: 'rating-broken', at: '/project/project_moby/rate', shows: 'projects.json is damaged', scenario: 'broken' },
  { name: 'settings', at: '/settings', shows: 'Default project folder' },
  { name: 'compare', at: '/compare?runs=project_moby,project_shakespeare', shows: 'Settings that differ' },
  { name: 'compare-empty', at: '/compare', shows: 'Nothing to compare yet' },
  { name: 'compare-broken', at: '/compare?runs=project_moby', shows: 'projects.json is damaged', scenario: 'broken' },
  { name: 'missing', at: '/nowhere', shows: 'Page not found' },
];

/** What the screens before were shown in, as long as nothing was pressed there. */
let shown: (Shown & { readonly scenario: Screen['scenario'] }) | null = null;

/** Where another screen of the same scenario was: by its address, as a click goes there, from a page that has nothing of either. */
async function show({ at, press, deletes, scenario }: Screen): Promise<Shown> {
  if (!shown || shown.scenario !== scenario) {
    shown = { ...(await screens.open({ at, ...(scenario ? { scenario } : {}) })), scenario };
  } else {
    await goTo(shown.page, '/nowhere');
    await shown.page.getByText('Page not found').waitFor();
    await goTo(shown.page, at);
    if (at !== '/nowhere') await shown.page.getByText('Page not found').waitFor({ state: 'detached' });
  }
  const here = shown;
  if (press !== undefined || deletes !== undefined) shown = null;
  return here;
}

const goTo = (page: Page, at: string) => page.evaluate((to) => (location.hash = to), at);

describe.each(list)('$name', (screen) => {
  it('appears without complaint and without serious findings of axe', async () => {
    const { name, press, deletes, shows } = screen;
    const { page, watch } = await show(screen);
    if (deletes !== undefined) {
      await page.getByRole('button', { name: `Actions for ${deletes}`, exact: true }).click();
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    }
    if (press !== undefined) await page.getByRole('button', { name: press, exact: true }).click();
    await page.getByText(shows).first().waitFor();
    await pictures(page, artifacts, name, async () => expect(await seriousFindings(page)).toEqual([]));
    expect(watch.complaints).toEqual([]);
  });
});
