// `npm run size`: physical lines of each part with its budget; with `-- --against REV` the difference to that revision.
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { budgets, isProduct } from '../lint/budgets.mjs';
import { sizesAt, sizesNow } from './sizes.mjs';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { against: { type: 'string' } } });

const now = sizesNow(root);
const before = values.against === undefined ? null : sizesAt(root, values.against);

const number = (/** @type {number} */ value) => value.toLocaleString('en');
const signed = (/** @type {number} */ value) => `${value > 0 ? '+' : ''}${number(value)}`;

/** @type {string[][]} */
const rows = [['', 'now', 'budget', ...(before ? ['difference'] : []), '']];
const add = (
  /** @type {string} */ name,
  /** @type {number} */ size,
  /** @type {number} */ goal,
  /** @type {number} */ was,
) => rows.push([name, number(size), number(goal), ...(before ? [signed(size - was)] : []), size > goal ? 'over' : '']);

const total = (/** @type {Readonly<Record<string, number>>} */ sizes) =>
  budgets.filter(({ name }) => isProduct(name)).reduce((sum, { name }) => sum + (sizes[name] ?? 0), 0);
for (const { name, goal, unit } of budgets) {
  add(unit ? `${name} (${unit})` : name, now[name] ?? 0, goal, before?.[name] ?? 0);
}
add('product', total(now), 59_000, before ? total(before) : 0);

const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
for (const row of rows) {
  const cells = row.map((cell, column) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
  );
  process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
}
