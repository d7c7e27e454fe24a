/** A project's page as a person uses it, and the project's files as the test looks at them. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ProjectSummary } from '../../../shared/contract/projects.js';
import { t } from '../../../renderer/messages/index.js';

/** What TensorFlow does for the first time takes its time on a busy machine. */
export const long = 150_000;

/** Waits until the page shows that state. */
export const reaches = (page: Page, state: ProjectSummary['state'], timeout = long): Promise<void> =>
  page
    .getByRole('main')
    .locator('.chip')
    .filter({ hasText: new RegExp(`^${t(`states.${state}`)}$`) })
    .first()
    .waitFor({ timeout });

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** Chooses from a menu that a button opens. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await button(page, menu).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Reads the finished steps from the activity's line; NaN without one. */
export async function stepsShown(page: Page): Promise<number> {
  const lines = await page.getByRole('region', { name: t('project.now') }).allInnerTexts();
  return Number(/([\d,]+) of [\d,]+ steps/.exec(lines.join('\n'))?.[1]?.replaceAll(',', '') ?? NaN);
}

/** Until more steps are done than at this moment. */
export async function advances(page: Page): Promise<void> {
  let least = NaN;
  await expect
    .poll(
      async () => {
        const now = await stepsShown(page);
        if (Number.isNaN(least)) least = now;
        return now > least;
      },
      { timeout: long, interval: 100 },
    )
    .toBe(true);
}

/** Reads the process that holds a project's lock; null without one. */
export function workerOf(folder: string): number | null {
  try {
    return (JSON.parse(readFileSync(join(folder, 'lock/owner.json'), 'utf8')) as { pid: number }).pid;
  } catch {
    return null; // not there, or just being made
  }
}

/** Whether a process is there; one that has ended and is not yet waited for is not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The step of the newest checkpoint of base training; 0 when there is none. */
export function savedStep(folder: string): number {
  const progress = join(folder, 'checkpoints/base_model_v1.progress');
  if (!existsSync(progress)) return 0;
  return Math.max(0, ...readdirSync(progress).map((name) => Number(/^step-(\d+)$/.exec(name)?.[1] ?? 0)));
}

/** The report of a cycle. */
export const reportOf = (folder: string, cycle: number) =>
  JSON.parse(readFileSync(join(folder, `cycles/0${cycle}/report.json`), 'utf8')) as {
    readonly nats_per_character: number;
  };
