/** Prepares a text in a process of its own and says how much memory that took: what only a whole process can tell. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { prepareText } from '../../../main/storage/prepare-text.js';

/** Peak resident memory so far, in MB (10⁶ bytes). */
function peakMemory(): number {
  try {
    const kibibytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kibibytes !== undefined) return (Number(kibibytes) * 1024) / 1e6;
  } catch {
    // not Linux
  }
  return (process.resourceUsage().maxRSS * 1024) / 1e6;
}

const [dataPath = '', outDir = '', tokenization = ''] = process.argv.slice(2);
const started = performance.now();
const { trainTokens, valTokens } = await prepareText({
  dataPath,
  outDir,
  tokenization: tokenization === 'char' ? 'char' : 'bpe',
  trainSplit: 0.9,
});
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`${JSON.stringify({ peak: peakMemory(), seconds, tokens: trainTokens + valTokens })}\n`);
