/**
 * `npm run points`: fifty runs of a million logged steps each, over each other in the comparison, through `verisim serve` and a
 * Chromium that draws in software: how long it takes until they are drawn, and how many frames a second there are while one pans.
 * VERISIM_RUNS and VERISIM_POINTS change the numbers. What was measured is in tests/artifacts/e2e/figures/points.json.
 */
import { inEnglish } from '../support/messages.js';
import { closeSync, linkSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectPaths } from '../../main/storage/projects/project-paths.js';
import { phases } from '../../shared/phases/index.js';
import { writeText } from '../cli/program.js';
import { makeReportedProject } from '../support/reported-project.js';
import { keepFigures } from './support/figures.js';
import { watchFrames } from './support/frames.js';
import { openServed } from './support/served.js';

const [runs, points] = [Number(process.env['VERISIM_RUNS'] ?? 50), Number(process.env['VERISIM_POINTS'] ?? 1_000_000)];
/** Logs that differ; the others are the same file under another name, as the disk need not hold 14 GB. */
const LOGS = 5;
const patient = 30 * 60_000;

/** A log as training writes it, a row for every step. */
function writeLog(file: string, seed: number): void {
  const log = openSync(file, 'w');
  for (let from = 0; from < points; from += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, points - from) }, (_, at) => {
      const step = from + at + 1;
      const loss = 1 + 2 * Math.exp(-step / (points / 5)) + 0.2 * Math.sin(step * (1 + seed)) + 0.1 * seed;
      const values = {
        loss,
        nats_per_character: loss,
        grad_norm: 1 + Math.cos(step),
        learning_rate: 1e-3,
        num_tokens: 64 * step,
      };
      const time = new Date(1.76e12 + 5 * step).toISOString();
      return JSON.stringify({
        at: time,
        event: 'metrics',
        phase: 'base_training',
        step,
        seconds_computed: 0.005,
        values,
      });
    });
    writeSync(log, `${rows.join('\n')}\n`);
  }
  closeSync(log);
}

test(
  `${runs} runs of ${points} points each open, and are panned at 30 frames a second`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'verisim-points-'));
    mkdirSync(join(folder, 'projects'));
    const text = writeText(folder);
    const logs = Array.from({ length: Math.min(LOGS, runs) }, (_, at) => join(folder, `log-${at}.jsonl`));
    logs.forEach(writeLog);
    for (let run = 0; run < runs; run++) {
      const project = join(folder, 'projects', `run-${run}`);
      await makeReportedProject(project, { text, cycles: 0, settings: { seed: run } });
      const { metrics } = projectPaths(project).cycle(0);
      rmSync(metrics);
      linkSync(logs[run % logs.length] ?? '', metrics);
    }
    const served = await openServed(folder);
    const { page } = served;
    try {
      const cards = page.locator('a.card-link');
      await expect.poll(() => cards.count(), { timeout: patient }).toBe(runs);
      const ids = await cards.evaluateAll((all) => all.map((one) => one.getAttribute('href')?.split('/').at(-1) ?? ''));
      const began = performance.now();
      await page.evaluate((to) => {
        location.hash = to;
      }, `/compare?runs=${ids.join()}`);
      const chart = page
        .getByRole('region', { name: inEnglish(phases.base_training.label) })
        .getByRole('img', { name: /^Nats per character\./ });
      await chart.waitFor({ timeout: patient });
      await chart.scrollIntoViewIfNeeded();
      await expect.poll(() => chart.locator('canvas').count(), { timeout: patient }).toBeGreaterThan(0);
      const openedSeconds = (performance.now() - began) / 1000;
      const framesSince = await watchFrames(page);
      await chart.focus();
      for (const key of ['+', '+', '+']) await page.keyboard.press(key);
      for (let turn = 0; turn < 40; turn++) {
        await page.keyboard.press(turn < 20 ? 'ArrowRight' : 'ArrowLeft');
        await page.waitForTimeout(50);
      }
      const frames = await framesSince();
      const perSecond = frames.count / frames.seconds;
      const at = (share: number) => Math.round(frames.at(share));
      keepFigures('points', {
        ...{ runs, points, openedSeconds: Math.round(openedSeconds), frames: frames.count },
        ...{
          framesPerSecond: Math.round(perSecond),
          medianMs: at(0.5),
          lateMs: at(0.95),
          slowestMs: at(1),
        },
        load: Math.round(loadavg()[0] ?? 0),
      });
      expect(perSecond).toBeGreaterThanOrEqual(30);
      expect(served.watch.complaints).toEqual([]);
    } finally {
      await served.close();
    }
  },
  2 * patient,
);
