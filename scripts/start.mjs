// `npm start`: sets everything up, then makes or continues the sample project in the terminal.
import './setup/check-node.mjs';

const { launch } = await import('./setup/launch.mjs');
await launch(['start', ...process.argv.slice(2)], process.stdout);
