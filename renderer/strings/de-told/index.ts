/**
 * What the main process says, in German. English stands where each sentence is made (main/, shared/);
 * tests/renderer/told.test.ts knows those that have no German, and those that are made no more.
 */
import type { Told } from '../../format/told.js';
import { models } from './models.js';
import { projects } from './projects.js';
import { runs } from './runs.js';
import { settings } from './settings.js';
import { texts } from './texts.js';

export const told: Told = [...texts, ...models, ...settings, ...runs, ...projects];
