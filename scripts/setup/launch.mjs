// Starts the command-line program after the set-up, in this same process: signals, standard streams and the exit code are
// the program's own, with nothing between it and the terminal.
import { pathToFileURL } from 'node:url';
import { programFile } from './build.mjs';
import { orExplain, root, setUp, usual } from './index.mjs';
import { createReport } from './report.mjs';

/**
 * @param {readonly string[]} args the program's arguments
 * @param {NodeJS.WriteStream} output for the set-up's lines; stdout belongs to the command
 */
export async function launch(args, output) {
  const report = createReport(output);
  // The server shows the window in a browser; a sample without an explicit start begins from its model.
  const also = /** @type {Readonly<Record<string, readonly string[]>>} */ ({
    serve: ['window', 'model'],
    start: args.some((arg) => arg.startsWith('--init_from') || arg === '--help') ? [] : ['model'],
  });
  const only = [...usual, ...(also[args[0] ?? ''] ?? [])];
  await orExplain(report, () => setUp(report, { only }));
  process.setSourceMapsEnabled(true);
  const program = programFile(root, 'cli');
  process.argv = [process.execPath, program, ...args];
  await import(pathToFileURL(program).href);
}
