/** Runs the trainer process: messages in and out, jobs between. Without its supervisor it saves a checkpoint and ends. */
import { addCatalogues } from '../shared/messages/catalogue.js';
import { readCatalogues } from './installation/locales.mjs';
import { openPort } from './trainer/port.js';
import { serve } from './trainer/serve.js';

// Libraries write to standard error.
console.log = console.info = console.debug = console.error;

// Pages and reports are written in the user's language.
addCatalogues(readCatalogues());

const port = openPort();
if (port === null) {
  console.error('The trainer is started by Verisim itself: use `verisim cycle <folder>` in a terminal.');
  process.exitCode = 2;
} else {
  // A signal meant for a whole group of processes (Ctrl-C in a terminal) is the supervisor's to answer.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // TensorFlow's threads would keep a process alive that has nothing left to do.
  void serve(port).then(() => process.exit(0));
}
