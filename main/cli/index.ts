#!/usr/bin/env node
/** The command line: `npm run -s verisim -- <command>`. Prepares the process; run.ts does the work. */
import { fullDisk } from '../../shared/file-faults.js';
import { addCatalogues, languageOf } from '../../shared/messages/catalogue.js';
import { readCatalogues } from '../installation/locales.mjs';
import { localeIn, setLanguage, t } from './language.js';
import { run } from './run.js';

// Standard output belongs to answers and JSON: libraries write to standard error.
console.log = console.info = console.debug = console.error;

// Documents can be in another language than the terminal.
addCatalogues(readCatalogues());
const locale = localeIn(process.env);
setLanguage(languageOf(locale, [locale]));

/** Whether a write has failed, for example on a full disk. */
let isIncomplete = false;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has gone away (`| head`) is no failure: the work continues.
    if (error.code === 'EPIPE' || isIncomplete) return;
    isIncomplete = true;
    if (stream === process.stderr) return;
    const reason = fullDisk.has(error.code ?? '') ? t('cli.disk_full') : (error.code ?? error.message);
    process.stderr.write(`${t('cli.error')} ${t('cli.output_incomplete', { reason })}\n`);
  });
}

const drained = (stream: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.once('drain', resolve).once('error', () => resolve());
  });

const code = await run(process.argv.slice(2));
await Promise.all([drained(process.stdout), drained(process.stderr)]);
await new Promise((resolve) => setImmediate(resolve)); // a failed write is reported after it
// TensorFlow's threads would keep the process alive.
process.exit(code === 0 && isIncomplete ? 1 : code);
