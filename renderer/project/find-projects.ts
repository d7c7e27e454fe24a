/** Which projects are meant by what was typed. Pure. */
import type { ProjectSummary } from '../../shared/contract/projects.js';

/** Those that have every word in their name, tags or note, whatever the case of letters; all of them for no words. */
export function findProjects(projects: readonly ProjectSummary[], typed: string): readonly ProjectSummary[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  return projects.filter(({ name, notes }) => {
    const text = plain([name, ...(notes?.tags ?? []), notes?.text ?? ''].join('\n'));
    return words.every((word) => text.includes(word));
  });
}

/** As it is compared: ü however it was typed, and in capitals or not. */
const plain = (text: string): string => text.normalize('NFKC').toLocaleLowerCase();
