/** A project whose generators have learned nothing: all that rating, listing and writing need. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMetaPickle } from '../../main/formats/pickle/meta-pickle.js';
import { initialWeights } from '../../main/engine/model/model.js';
import { saveModel } from '../../main/storage/projects/models.js';
import { openProject } from '../../main/storage/projects/project-folder.js';

/** Puts finished generators of random weights into a project of characters that was only just made. */
export function addUntrainedModels(folder: string, names: readonly string[]): void {
  const { config, paths } = openProject(folder);
  const chars = readMetaPickle(readFileSync(join(paths.data, 'meta.pkl')));
  const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
  const model = { ...config, vocab_size: chars.length, mode: 'generator' } as const;
  for (const [seed, name] of names.entries())
    saveModel(paths.model(name), { weights: initialWeights(model, seed), config: model, tokenization, provenance: {} });
}
