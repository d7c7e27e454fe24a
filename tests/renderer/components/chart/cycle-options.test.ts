/** One value per cycle: each point, its label and the stroke of its interval stand at the same place, and apart from other lines'. */
import { init } from 'echarts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cycleOptions, type CycleLine } from '../../../../renderer/components/chart/cycle-options.js';

const colours = new Proxy({}, { get: (_, name) => String(name) }) as Parameters<typeof cycleOptions>[0]['colours'];
type Place = readonly [number, number | null];
type Point =
  | Place
  | { readonly value: Place; readonly label: { readonly position: string; readonly offset: readonly number[] } };
interface Drawn {
  readonly id: string;
  readonly data: readonly Point[];
  readonly label?: { readonly position: string; readonly formatter: (point: { value: unknown }) => string };
}
const options = (lines: readonly CycleLine[], count = lines[0]?.values.length ?? 0) =>
  cycleOptions({
    cycles: Array.from({ length: count }, (_, cycle) => String(cycle)),
    ...{ lines, share: false, colours },
    formatValue: (value) => `<${value}>`,
    formatTick: String,
  });
const drawn = (lines: readonly CycleLine[]) => {
  const { series } = options(lines);
  return Object.fromEntries((series as unknown as Drawn[]).map((each) => [each.id, each]));
};
const placed = (point: Point): Place => ('value' in point ? point.value : point);
const value = fc.double({ min: -10, max: 10, noNaN: true });

it('draws a stroke through each point whose interval is known, and none where it is not', () => {
  const point = fc.record({ value, below: value.map(Math.abs), above: value.map(Math.abs), known: fc.boolean() });
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 3 }), (points, count) => {
      const intervals = points.map(({ value: middle, below, above, known }) =>
        known ? { low: middle - below, high: middle + above } : null,
      );
      const line = { colour: 'line1', values: points.map((each) => each.value), intervals } as const;
      const lines = Array.from({ length: count }, (_, at) => ({ ...line, label: `line ${at}` }));
      const all = drawn(lines);
      for (const { label } of lines) {
        const places = all[label]?.data.map((point) => placed(point)[0]) ?? [];
        const expected = intervals.flatMap((interval, cycle) => {
          const x = places[cycle] ?? NaN;
          return interval === null
            ? []
            : [
                [x, interval.low],
                [x, interval.high],
                [x, null],
              ];
        });
        expect(all[`${label}-intervals`]?.data ?? []).toEqual(expected);
        // Nearer to its own cycle than to any other.
        places.forEach((x, cycle) => expect(Math.abs(x - cycle)).toBeLessThan(0.5));
      }
    }),
  );
});

const places = ({ data = [] }: Partial<Drawn> = {}) => data.map((point) => placed(point)[0]);

it('puts two lines with strokes next to each other, with their labels on the outer sides', () => {
  const line = { colour: 'line1', values: [0.4], intervals: [{ low: 0.3, high: 0.5 }] } as const;
  const { before, after } = drawn([
    { ...line, label: 'before' },
    { ...line, label: 'after' },
  ]);
  expect(places(before)[0]).toBeLessThan(places(after)[0] ?? NaN);
  expect([before?.label?.position, after?.label?.position]).toEqual(['left', 'right']);
});

it('leaves lines without strokes over their cycles, with their labels on the outer sides', () => {
  const line = { colour: 'line1', values: [0.4, 0.5], intervals: [null, null] } as const;
  const { one, other } = drawn([
    { ...line, label: 'one' },
    { ...line, label: 'other' },
  ]);
  const labels = (each: Drawn | undefined) =>
    each?.data.map((point) => ('label' in point ? point.label.offset[1] : null));
  expect([labels(one), labels(other)]).toEqual([
    [null, null],
    [9, null],
  ]);
  // A sum: 0 to the left is not another place.
  for (const each of [one, other]) expect(places(each).map((x) => x + 0)).toEqual([0, 1]);
  expect([one?.label?.position, other?.label?.position]).toEqual(['left', 'right']);
});

it('puts the label of a point where its line does not go', () => {
  const { only } = drawn([{ label: 'only', colour: 'line1', values: [1, 2, 1, 2, null] }]);
  const left = { position: 'left', offset: [-1, -9] };
  const below = { position: 'right', offset: [1, 9] };
  expect(only?.data.map((point) => ('label' in point ? point.label : null))).toEqual([left, null, below, null, null]);
  expect(only?.data.slice(3).map((point) => only.label?.formatter({ value: point }))).toEqual(['<2>', '']);
});

it('starts the axis lower if a label is below its point, but not below 0 without negative values', () => {
  const gap = (values: readonly number[]) =>
    (options([{ label: 'only', colour: 'line1', values }]).yAxis as { boundaryGap: readonly unknown[] }).boundaryGap[0];
  expect(gap([0.3, 0.2, 0.3])).toBe('12%');
  expect(gap([0.3, 0.01, 0.3])).toBe(0);
  expect(gap([0.3, 0.25, 0.2])).toBe(0);
});

it('draws two lines of one label as long as their ids differ', () => {
  const line = { label: 'my novel', colour: 'line1', values: [2, 1] } as const;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 400, height: 200 });
  chart.setOption(options([line, line].map((one, at) => ({ ...one, id: `project_${at}` }))));
  expect((chart.getOption()['series'] as unknown[]).length).toBe(2);
  chart.dispose();
});
