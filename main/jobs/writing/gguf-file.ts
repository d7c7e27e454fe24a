/** Makes a version's GGUF file for llama.cpp on first use; the last few that were used stay in the project's folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { localized } from '../../../shared/messages/message.js';
import { bareVocabulary } from '../../formats/gguf/gguf-vocabulary.js';
import { dataBytes, encodeGguf } from '../../formats/gguf/gguf-write.js';
import { ensureFolder, isTemporary, recover, writeFolderSlowly } from '../../storage/disk/atomic.js';
import { requireSpace } from '../../storage/disk/disk.js';
import { manifestName, verifyFolder } from '../../storage/disk/manifest.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { withoutAdapters } from '../export/export.js';
import { ggufParts } from '../export/formats.js';
import type { JobContext } from '../types.js';
import { openVersion, type Version, versionFolder } from './version.js';

/** A page writes with two versions at once; each file has half of a version's bytes. */
const MOST_FILES = 3;
const FILE = 'model.gguf';

/**
 * @param tokens of the tokenizer
 * @returns a file with the bytes that were written: llama.cpp writes nonsense with some damaged ones, and ends the process with others
 * @throws UserError `checkpoint` if llama.cpp does not have the architecture; `disk_full`
 */
export async function ggufFileOf(version: Version, tokens: number, context: JobContext): Promise<string> {
  const { model } = version;
  const { gguf } = projectPaths(version.folder);
  // A version that is trained again has another manifest.
  const hash = createHash('sha256')
    .update(readFileSync(join(versionFolder(version), manifestName)))
    .digest('hex');
  const made = join(gguf, `${model}-${hash.slice(0, 16)}`);
  if (isWhole(made)) utimesSync(made, context.now() / 1000, context.now() / 1000);
  else {
    const opened = withoutAdapters(openVersion(version, context));
    const vocabulary = bareVocabulary(Math.min(tokens, opened.config.vocab_size));
    // Quality first: llama.cpp writes hardly faster with 8 bits, and draws other tokens.
    const { metadata, tensors } = ggufParts(opened, vocabulary, { name: model, form: 'F16' });
    ensureFolder(gguf);
    recover(gguf);
    rmSync(made, { recursive: true, force: true });
    removeOldest(gguf, MOST_FILES - 1);
    requireSpace(gguf, dataBytes(tensors), localized('disk.room_for_exported_model'));
    const files = { [FILE]: encodeGguf(metadata, tensors) };
    await writeFolderSlowly(made, files, () => context.yieldToEventLoop(), { replace: 'anything' });
  }
  return join(made, FILE);
}

function isWhole(folder: string): boolean {
  try {
    return verifyFolder(folder).includes(FILE);
  } catch {
    return false;
  }
}

function removeOldest(folder: string, most: number): void {
  const made = readdirSync(folder)
    .filter((name) => !isTemporary(name))
    .map((name) => join(folder, name));
  const byUse = made.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of byUse.slice(most)) rmSync(old, { recursive: true, force: true });
}
