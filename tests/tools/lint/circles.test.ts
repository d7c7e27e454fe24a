/** No more than two files import each other in a circle, types included: a larger one has no order to be read in. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

const files = ['main', 'renderer', 'shared'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|vue)$/.test(name) && !name.includes('node_modules'))
    .map((name) => normalize(join(folder, name))),
);

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) => specifier);
  return specifiers.flatMap((specifier) => {
    const path = normalize(join(dirname(file), specifier));
    const found = [path.replace(/\.js$/, '.ts'), `${path}.ts`, path].find((name) => existsSync(join(root, name)));
    return found === undefined ? [] : [found];
  });
}

/** Groups of more than one file that reach each other (Tarjan 1972). */
function circlesAmong(names: readonly string[], next: (name: string) => readonly string[]): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (name: string): void => {
    order.set(name, order.size);
    lowest.set(name, order.get(name) ?? 0);
    open.push(name);
    for (const other of next(name)) {
      if (!order.has(other)) visit(other);
      else if (!open.includes(other)) continue;
      lowest.set(name, Math.min(lowest.get(name) ?? 0, lowest.get(other) ?? 0));
    }
    if (lowest.get(name) !== order.get(name)) return;
    const circle = open.splice(open.indexOf(name));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const name of names) if (!order.has(name)) visit(name);
  return circles;
}

it('finds circles', () => {
  const imports: Record<string, readonly string[]> = {
    a: ['b'],
    b: ['c'],
    c: ['a', 'd'],
    d: ['e'],
    e: ['d'],
    f: ['a'],
  };
  const found = circlesAmong(Object.keys(imports), (name) => imports[name] ?? []);
  expect(found.sort()).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
});

it('no more than two files import each other', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(circlesAmong(files, importsOf).filter((circle) => circle.length > 2)).toEqual([]);
});
