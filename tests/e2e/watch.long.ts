/**
 * `npm run watch`: half an hour before a project that trains at full speed, through `verisim serve`: the page's memory
 * stays flat, and it answers at once. VERISIM_MINUTES changes the time. What was measured is in
 * tests/artifacts/e2e/watch.json.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { t } from '../../renderer/messages/index.js';
import { sampleTextPath } from '../../main/installation/locations.mjs';
import { artifacts } from './support/app.js';
import { growth, heldBy, type Held } from './support/memory.js';
import { interactionsSoFar, watchInteractions } from './support/responsiveness.js';
import { openServed } from './support/served.js';
import { card, dropFiles, dropZone, goToStep, startButton, typeSetting } from './support/wizard.js';

const minutes = Number(process.env['VERISIM_MINUTES'] ?? 30);
/** Series grow with the run, up to as many points as a chart has pixels: afterwards nothing may. */
const SETTLED = 1 / 3;
const FLAT_BYTES = 4 * 2 ** 20;

test(
  `memory is flat over ${minutes} minutes of live updates`,
  async () => {
    const served = await openServed();
    const { page } = served;
    try {
      const text = join(served.folder, 'book.txt');
      writeFileSync(text, readFileSync(sampleTextPath(), 'utf8').slice(30_000, 230_000));
      await page
        .getByRole('main')
        .getByRole('button', { name: t('home.own') })
        .click();
      await dropFiles(page, dropZone(page), [text]);
      await page.getByRole('heading', { name: t('wizard.text.found') }).waitFor({ timeout: 120_000 });
      await goToStep(page, 'model');
      await card(page, t('presets.nano')).click();
      for (const [name, value] of Object.entries({ max_iters: 10_000_000, eval_interval: 500, patience: 1_000_000 }))
        await typeSetting(page, 'model', name, String(value));
      await typeSetting(page, 'model', 'log_interval', '1');
      await goToStep(page, 'review');
      await startButton(page).click();
      await page.getByRole('region', { name: t('project.now') }).waitFor({ timeout: 120_000 });
      const timeline = page.getByRole('navigation', { name: t('project.timeline') });
      await timeline.getByRole('link', { name: t('project.baseModel') }).click();
      await page.getByRole('img', { name: /^Nats per character\. training: / }).waitFor({ timeout: 120_000 });

      await watchInteractions(page);
      const held: Held[] = [];
      let acts = 0;
      const ends = performance.now() + minutes * 60_000;
      while (performance.now() < ends) {
        held.push(await heldBy(page));
        for (const name of [t('project.across'), t('project.baseModel')]) {
          await timeline.getByRole('link', { name }).click();
          acts++;
        }
        await page.waitForTimeout(Math.min(20_000, Math.max(0, ends - performance.now())));
      }
      held.push(await heldBy(page));
      const settled = held.slice(Math.floor(held.length * SETTLED));
      const grown = growth(settled.map(({ bytes }) => bytes));
      const interactions = await interactionsSoFar(page, acts);
      const line = await page.getByRole('region', { name: t('project.now') }).innerText();
      mkdirSync(artifacts, { recursive: true });
      writeFileSync(
        join(artifacts, 'watch.json'),
        JSON.stringify({ minutes, grown, line, interactions, held }, null, 2),
      );
      console.log(`${(grown / 2 ** 20).toFixed(2)} MiB more at the end; ${line.replaceAll('\n', ', ')}`);
      expect(grown).toBeLessThan(FLAT_BYTES);
      expect(Math.abs(growth(settled.map(({ nodes }) => nodes)))).toBeLessThan(500);
      expect(served.watch.complaints).toEqual([]);
    } finally {
      await served.close();
    }
  },
  (minutes + 10) * 60_000,
);
