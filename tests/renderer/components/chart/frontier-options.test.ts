/** Ways of writing as curves: every point where it was measured, along the temperature, and better is up. */
import { expect, it } from 'vitest';
import { frontierOptions } from '../../../../renderer/components/chart/frontier-options.js';

const colours = new Proxy({}, { get: (_, name) => String(name) }) as Parameters<typeof frontierOptions>[0]['colours'];
const point = (temperature: number, variety: number, nats_per_character: number) => ({
  ...{ temperature, variety, nats_per_character },
});
interface Drawn {
  readonly id: string;
  readonly data: readonly (readonly number[])[];
  readonly label: { readonly show: boolean; readonly formatter: (point: { value: unknown }) => string };
}

it('draws each way along its temperature, and says that of each point', () => {
  const options = frontierOptions({
    lines: [
      { label: 'cycle', colour: 'line1', points: [point(1, 0.5, 1.9), point(1.1, 0.6, 2), point(0.9, 0.4, 1.8)] },
      { label: 'text', colour: 'natural', points: [point(1, 0.55, 1.6)] },
    ],
    colours,
    xTitle: 'variety',
    yTitle: 'nats',
    formatVariety: String,
    formatNats: String,
    formatTemperature: (value) => `t ${value}`,
  });
  expect(options.yAxis).toMatchObject({ inverse: true });
  const [cycle, text] = options.series as unknown as Drawn[];
  expect(cycle?.data).toEqual([
    [0.4, 1.8, 0.9],
    [0.5, 1.9, 1],
    [0.6, 2, 1.1],
  ]);
  expect(cycle?.data.map((value) => cycle.label.formatter({ value }))).toEqual(['t 0.9', 't 1', 't 1.1']);
  // The text has no temperature to tell.
  expect(text?.data).toEqual([[0.55, 1.6, 1]]);
  expect(text?.label.show).toBe(false);
  expect(cycle?.label.formatter({ value: null })).toBe('');
});

it('says a temperature once where lines run close, above all of them', () => {
  const options = frontierOptions({
    lines: [
      { label: 'before', colour: 'line4', points: [point(0.9, 0.4, 1.8), point(1, 0.5, 1.9)] },
      { label: 'above', colour: 'line1', points: [point(0.9, 0.401, 1.79), point(1, 0.6, 1.88)] },
    ],
    ...{ colours, xTitle: 'variety', yTitle: 'nats' },
    ...{ formatVariety: String, formatNats: String, formatTemperature: String },
  });
  const said = (options.series as unknown as Drawn[]).map(({ data, label }) =>
    data.map((value) => label.formatter({ value })),
  );
  expect(said).toEqual([
    ['', '1'],
    ['0.9', '1'],
  ]);
});
