// `npm start`: sets everything up, then makes or continues the sample project in the terminal
// (the command line's `start`). A window opens here instead once the desktop app is there and the machine has a display.
import './setup/check-node.mjs';

const { launch } = await import('./setup/launch.mjs');
await launch(['start', ...process.argv.slice(2)], process.stdout);
