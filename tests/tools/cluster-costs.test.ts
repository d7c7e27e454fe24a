/** What several ranks are worth: the tables of docs/scaling.md are what the model says. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { exchangeSeconds, ranksThatPay, stepSeconds, type Link } from '../../tools/cluster/costs.js';

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/scaling.md'), 'utf8');
const numbers = 10_770_816;
const link = (megabits: string, delay = '0'): Link => ({
  bitsPerSecond: Number(megabits) * 1e6,
  latency: Number(delay) / 1000,
  handledPerSecond: 66e6,
});

it('says how long steps take, and where more ranks do not pay', () => {
  const rows = [...page.matchAll(/^\| ([\d.]+) s, (\d+) \| (\d+) Mbit\/s, ([\d.]+) ms \| (f32|bf16) \| (.*) \|$/gm)];
  expect(rows.length).toBe(12);
  for (const [, gradients, passages, megabits = '', delay, sums, said] of rows) {
    const step = { gradients: Number(gradients), update: 0, numbers, sums: sums as 'f32' | 'bf16' };
    const over = link(megabits, delay);
    const [exchange, ...seconds] = [
      exchangeSeconds(2, step, over),
      ...[2, 4, 8].map((n) => stepSeconds(n, step, over)),
    ];
    const share = `${((exchange / (seconds[0] ?? NaN)) * 100).toFixed(0)} %`;
    const pay = ranksThatPay(step, over, Number(passages));
    const words = [exchange.toFixed(2), share, ...seconds.map((each) => each.toFixed(2)), String(pay)];
    expect(words.join(' | ')).toBe(said);
  }
});

it('says what averages after several steps are worth', () => {
  const rows = [...page.matchAll(/^\| (\d+) Mbit\/s, ([\d.]+) ms, (f32|bf16) \| (\d+) \| (.*) \|$/gm)];
  expect(rows.length).toBe(8);
  for (const [, megabits = '', delay, sums, every, said] of rows) {
    const step = { gradients: 4, update: 0, numbers, sums: sums as 'f32' | 'bf16', every: Number(every) };
    const seconds = [2, 4, 8].map((n) => stepSeconds(n, step, link(megabits, delay)));
    const share = `${((1 - 2 / (seconds[0] ?? NaN)) * 100).toFixed(0)} %`;
    const pay = ranksThatPay(step, link(megabits, delay), 32);
    expect([share, ...seconds.map((each) => each.toFixed(2)), String(pay)].join(' | ')).toBe(said);
  }
});

it('is compared with what was measured', () => {
  const rows = [...page.matchAll(/^\| (\d), (\d+) Mbit\/s \| (f32|bf16) \| .* \| [\d.]+ \| ([\d.]+) s \|$/gm)];
  expect(rows.length).toBe(6);
  for (const [, ranks, megabits = '', sums, said] of rows) {
    const seconds = exchangeSeconds(Number(ranks), { numbers, sums: sums as 'f32' | 'bf16' }, link(megabits));
    expect(Math.abs(seconds - Number(said))).toBeLessThan(0.006);
  }
});

it('costs one rank nothing, and the update everybody', () => {
  const step = { gradients: 8, update: 1, numbers, sums: 'f32' } as const;
  expect(stepSeconds(1, step, link('100'))).toBe(9);
  expect(stepSeconds(4, step, { bitsPerSecond: Infinity, latency: 0, handledPerSecond: Infinity })).toBe(3);
});
