/** Charts as tables. */
import { expect, it } from 'vitest';
import { seriesToCsv } from '../../../renderer/series/csv.js';

it('gives one row to a step, in order, and leaves empty what was not measured', () => {
  const table = seriesToCsv([
    { name: 'loss', steps: [10, 20, 30], values: [3, 2.5, null] },
    { name: 'val_loss', steps: [20], values: [2.75] },
  ]);
  expect(table).toBe('step,loss,val_loss\r\n10,3,\r\n20,2.5,2.75\r\n30,,\r\n');
});

it('quotes names that would break the table', () => {
  expect(seriesToCsv([{ name: 'a,"b"', steps: [], values: [] }])).toBe('step,"a,""b"""\r\n');
});

it('keeps a spreadsheet from taking a name for a formula, and leaves negative numbers what they are', () => {
  const table = seriesToCsv([{ name: '=HYPERLINK("x")', steps: [-1], values: [-0.5] }]);
  expect(table).toBe(`step,"'=HYPERLINK(""x"")"\r\n-1,-0.5\r\n`);
});

it('lies on the axis that the chart is drawn over, and says which', () => {
  const series = { name: 'loss', steps: [10, 20], positions: [1.5, 3.25], values: [3, 2.5] };
  expect(seriesToCsv([series], 'compute')).toBe('compute_seconds,loss\r\n1.5,3\r\n3.25,2.5\r\n');
});
