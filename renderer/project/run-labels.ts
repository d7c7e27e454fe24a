/** Labels of compared projects. Pure. */

interface NamedFolder {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
}

/** Labels each project by its name, and by its folder too if another one has the same name. */
export function runLabels(runs: readonly NamedFolder[]): ReadonlyMap<string, string> {
  return new Map(
    runs.map(({ id, name, folder }) => {
      const others = runs.filter((run) => run.id !== id && run.name === name);
      if (others.length === 0) return [id, name];
      return [
        id,
        `${name} (${shortestEnd(
          folder,
          others.map((run) => run.folder),
        )})`,
      ];
    }),
  );
}

/** The last parts of a path, as many as no other path ends with. */
function shortestEnd(folder: string, others: readonly string[]): string {
  const parts = folder.split(/[\\/]/);
  const endOf = (path: string, count: number) => path.split(/[\\/]/).slice(-count).join('/');
  for (let count = 1; count < parts.length; count++) {
    const end = endOf(folder, count);
    if (others.every((other) => endOf(other, count) !== end)) return end;
  }
  return folder;
}
