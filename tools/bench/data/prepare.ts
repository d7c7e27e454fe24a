/** Prepares a text in a process of its own and says how much memory that took: what only a whole process can tell. */
import process from 'node:process';
import { prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { peakMemory } from '../../support/peak-memory.js';

const [dataPath = '', outDir = '', tokenization = ''] = process.argv.slice(2);
const started = performance.now();
const { trainTokens, valTokens } = await prepareText({
  dataPath,
  outDir,
  tokenization: tokenization === 'char' ? 'char' : 'bpe',
  trainSplit: 0.9,
});
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`${JSON.stringify({ peak: peakMemory() / 1e6, seconds, tokens: trainTokens + valTokens })}\n`);
