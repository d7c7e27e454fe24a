/** Measurements of the tests, as JSON next to the screenshots: tests/artifacts/e2e/figures/<name>.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artifacts } from './app.js';

export function keepFigures(name: string, figures: Readonly<Record<string, number | string | null>>): void {
  const folder = join(artifacts, 'figures');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`);
  console.log(`${name}: ${JSON.stringify(figures)}`);
}
