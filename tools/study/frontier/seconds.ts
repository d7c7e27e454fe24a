/**
 * What the cycles cost: processor seconds of their phases, by which the rivals are given as much. They are added up along
 * the way, in a file of the project's, so that a study that was stopped knows what was spent before.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { JobEvent } from '../../../shared/events.js';
import { writeFileAtomic } from '../../../main/storage/disk/atomic.js';

const schema = z.record(z.string(), z.number());
/** By phase, over all cycles but base training. */
export type PhaseSeconds = Readonly<Record<string, number>>;

/** Not the judge's: it judges, and is no part of what makes the writing better. */
const counted = ['critic', 'reward_data', 'reward_model', 'grpo'];

const fileOf = (folder: string) => join(folder, 'cycle-seconds.json');

export const secondsOf = (folder: string): PhaseSeconds =>
  existsSync(fileOf(folder)) ? schema.parse(JSON.parse(readFileSync(fileOf(folder), 'utf8'))) : {};

export const secondsOfAll = (seconds: PhaseSeconds): number =>
  Object.values(seconds).reduce((sum, one) => sum + one, 0);

/** Between two writes of the file, in seconds of the processor. */
const OFTEN = 2;

/** Takes the project's events. @param now milliseconds of the processor */
export function createPhaseClock(folder: string, now: () => number): (event: JobEvent) => void {
  let running: { readonly phase: string; since: number } | null = null;
  const add = () => {
    if (running === null) return;
    const seconds = secondsOf(folder);
    const sum = (seconds[running.phase] ?? 0) + (now() - running.since) / 1000;
    writeFileAtomic(fileOf(folder), `${JSON.stringify({ ...seconds, [running.phase]: sum }, null, 2)}\n`);
    running.since = now();
  };
  return (event) => {
    if (event.event === 'phase') {
      add();
      running =
        event.state === 'started' && counted.includes(event.phase) ? { phase: event.phase, since: now() } : null;
    } else if (running !== null && now() - running.since > OFTEN * 1000) add();
  };
}
