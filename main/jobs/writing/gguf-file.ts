/** Makes a version's GGUF file for llama.cpp on first use; the last few that were used stay in the project's folder. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { localized } from '../../../shared/messages/message.js';
import { bareVocabulary } from '../../formats/gguf/gguf-vocabulary.js';
import { dataBytes, encodeGguf } from '../../formats/gguf/gguf-write.js';
import { ensureFolder, isTemporary, writeFileAtomic } from '../../storage/disk/atomic.js';
import { requireSpace } from '../../storage/disk/disk.js';
import { manifestName } from '../../storage/disk/manifest.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { withoutAdapters } from '../export/export.js';
import { ggufParts } from '../export/formats.js';
import { openModel } from '../models.js';
import type { JobContext } from '../types.js';

/** A page writes with two versions at once; each file has half of a version's bytes. */
const MOST_FILES = 3;

/** @param tokens of the tokenizer. @throws UserError `checkpoint` if llama.cpp does not have the architecture; `disk_full` */
export function ggufFileOf(
  { folder, model }: Readonly<Record<'folder' | 'model', string>>,
  tokens: number,
  context: JobContext,
): string {
  const { gguf, model: modelPath } = projectPaths(folder);
  const path = modelPath(model);
  // A version that is trained again has another manifest.
  const hash = createHash('sha256')
    .update(readFileSync(join(path, manifestName)))
    .digest('hex');
  const file = join(gguf, `${model}-${hash.slice(0, 16)}.gguf`);
  if (existsSync(file)) utimesSync(file, context.now() / 1000, context.now() / 1000);
  else {
    const opened = withoutAdapters(openModel(path, 'generator', { context }));
    const vocabulary = bareVocabulary(Math.min(tokens, opened.config.vocab_size));
    // Quality first: llama.cpp writes hardly faster with 8 bits, and draws other tokens.
    const { metadata, tensors } = ggufParts(opened, vocabulary, { name: basename(path), form: 'F16' });
    ensureFolder(gguf);
    removeOldest(gguf, MOST_FILES - 1);
    requireSpace(gguf, dataBytes(tensors), localized('disk.room_for_exported_model'));
    writeFileAtomic(file, encodeGguf(metadata, tensors));
  }
  return file;
}

function removeOldest(folder: string, most: number): void {
  const files = readdirSync(folder)
    .filter((name) => !isTemporary(name))
    .map((name) => join(folder, name));
  const byUse = files.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const file of byUse.slice(most)) rmSync(file, { force: true });
}
