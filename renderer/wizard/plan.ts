/** Plans a project within a time: the settings that the slider sets, and how often the text is read. Pure. */
import { plainTraining } from '../../shared/reports/cycle-control.js';
import type { FixValue } from '../../shared/config/fixes.js';

/** The slider's stops in minutes: from a first look to a night. */
export const stops = [5, 10, 15, 30, 60, 180, 480] as const;
export const USUAL_MINUTES = 15;

/** The settings that a time decides. */
export const plannedSettings: readonly string[] = ['train_minutes', 'max_iters', ...Object.keys(plainTraining)];

/** The stop nearest to some minutes, as a ratio. */
export function stopAt(minutes: number | null): number {
  const distances = stops.map((each) => Math.abs(Math.log(each / Math.max(0.1, minutes ?? USUAL_MINUTES))));
  return distances.indexOf(Math.min(...distances));
}

/** A cycle after the voice is planned where it leaves the text so much of the time: reading it comes first. */
const LEAST_READING = 0.5;

/** What a plan knows of a project, in seconds as estimated now; null: unknown. */
interface Known {
  /** Whether its cycles pay: under a teacher, or after the user's voice (shared/reports/cycle-advice.ts). */
  readonly keepsCycles: boolean;
  /** Everything but base training. */
  readonly others: number | null;
  /** What a cycle after the voice adds; null: the model could not write before. */
  readonly voice: number | null;
}

/** Returns the settings for a time, `undefined` for the preset's value. What no cycle that pays needs goes to reading the text. */
export function settingsFor(
  minutes: number,
  { keepsCycles, others, voice }: Known,
): Readonly<Record<string, FixValue | undefined>> {
  const reading = (left: number) => ({ train_minutes: Math.round(10 * left) / 10, max_iters: undefined });
  if (voice !== null) {
    const left = minutes - voice / 60;
    if (left >= LEAST_READING * minutes) return { ...reading(left), max_cycles: 1, judge_passages: undefined };
  }
  if (!keepsCycles || voice !== null) return { ...reading(minutes), ...plainTraining };
  return reading(Math.max(minutes / 4, minutes - (others ?? 0) / 60));
}

/** Rounds to three digits, which are enough to recognise one's text. */
export function threeDigits(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 2);
  return Math.round(count / unit) * unit;
}

/** How a number of readings is written: a share of the text, once, twice, or so many times. */
export function readingOf(passes: number | null): {
  readonly kind: string;
  readonly times: number;
  readonly share: number;
} {
  const times = passes === null ? 0 : passes < 3 ? Math.round(10 * passes) / 10 : Math.round(passes);
  const share = Math.max(0.01, Math.round(100 * (passes ?? 0)) / 100);
  const named: Readonly<Record<number, string>> = { 1: 'once', 2: 'twice' };
  return { kind: passes === null ? 'unknown' : times < 0.95 ? 'part' : (named[times] ?? 'times'), times, share };
}
