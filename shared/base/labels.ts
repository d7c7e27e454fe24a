/** Labels projects, those of one name by their folders. Pure. */

interface NamedFolder {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
}

/** Finds, for each project whose name another one has, the end of its folder that no other of them has. */
export function placesOf(runs: readonly NamedFolder[]): ReadonlyMap<string, string> {
  const named = new Map<string, NamedFolder[]>();
  for (const run of runs) named.set(run.name, [...(named.get(run.name) ?? []), run]);
  return new Map(
    [...named.values()].flatMap((alike) =>
      alike.length < 2
        ? []
        : alike.map(({ id, folder }) => {
            const others = alike.filter((run) => run.id !== id).map((run) => run.folder);
            return [id, shortestEnd(folder, others)] as const;
          }),
    ),
  );
}

/** Labels a project by its name, and by its folder too if another one has the same name. */
export function labelIn(places: ReadonlyMap<string, string>, id: string, name: string): string {
  const place = places.get(id);
  return place === undefined ? name : `${name} (${place})`;
}

/** Returns the shortest end of a path that no other path has. */
function shortestEnd(folder: string, others: readonly string[]): string {
  const parts = folder.split(/[\\/]/);
  const endOf = (path: string, count: number) => path.split(/[\\/]/).slice(-count).join('/');
  for (let count = 1; count < parts.length; count++) {
    const end = endOf(folder, count);
    if (others.every((other) => endOf(other, count) !== end)) return end;
  }
  return folder;
}
