/** English durations as they are shown, read back: "2 hrs 5 mins" is 7,500 seconds, to the minute. */
const SECONDS = { sec: 1, min: 60, hr: 3600, day: 86_400 } as const;

/** @returns seconds, and those of the smallest unit in which a duration of this size is shown */
export function durationShown(text: string): { readonly seconds: number; readonly unit: number } {
  const parts = [...text.replaceAll(',', '').matchAll(/(\d+) (sec|min|hr|day)s?/g)];
  if (parts.length === 0) throw new Error(`no duration: ${text}`);
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS],
    0,
  );
  return { seconds, unit: seconds >= 2 * SECONDS.day ? SECONDS.hr : seconds >= 600 ? SECONDS.min : SECONDS.sec };
}
