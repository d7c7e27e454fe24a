/**
 * prepareText in a process of its own, for tests of what only a process has: a limit on file sizes, permissions, memory.
 * Prints one line of JSON. `unprivileged` gives up root's right to everything after the program has been loaded.
 */
import { toFault } from '../../../shared/errors.js';
import { prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { peakMemory } from '../../../tools/support/peak-memory.js';

const [dataPath = '', outDir = '', tokenization = 'char', unprivileged] = process.argv.slice(2);
if (unprivileged !== undefined && process.getuid?.() === 0) process.seteuid?.(65534);
try {
  const { trainTokens, valTokens } = await prepareText({
    dataPath,
    outDir,
    tokenization: tokenization === 'bpe' ? 'bpe' : 'char',
    trainSplit: 0.9,
  });
  console.log(JSON.stringify({ trainTokens, valTokens, peakBytes: peakMemory() }));
} catch (error) {
  console.log(JSON.stringify(toFault(error)));
}
