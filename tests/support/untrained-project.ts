/** A project whose generators have learned nothing: all that rating, listing and writing need. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMetaPickle } from '../../main/formats/pickle/meta-pickle.js';
import { initialWeights } from '../../main/engine/model/model.js';
import { saveModel } from '../../main/storage/projects/models.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { openProject } from '../../main/storage/projects/project-folder.js';

/** Fixed, because the questions to people, their order and repeats follow from a project's key. */
export function fixRatingKey(ratings: string): void {
  mkdirSync(ratings, { recursive: true });
  writeFileSync(join(ratings, 'key.json'), JSON.stringify({ key: '5eed'.repeat(16) }));
}

/** Puts finished generators of random weights into a project of characters that was only just made. */
export const addUntrainedModels = (folder: string, names: readonly string[]): void =>
  addUntrained(folder, names, { mode: 'generator' });

/** The same with reward models of the kind `head`. */
export const addUntrainedRewardModels = (folder: string, names: readonly string[]): void =>
  addUntrained(folder, names, { mode: 'reward', reward_kind: 'head' });

function addUntrained(folder: string, names: readonly string[], purpose: Pick<GPTConfig, 'mode'> & Partial<GPTConfig>) {
  const { config, paths } = openProject(folder);
  const chars = readMetaPickle(readFileSync(join(paths.data, 'meta.pkl')));
  const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
  const model = { ...config, vocab_size: chars.length, ...purpose };
  fixRatingKey(paths.ratings);
  for (const [seed, name] of names.entries())
    saveModel(paths.model(name), { weights: initialWeights(model, seed), config: model, tokenization, provenance: {} });
}
