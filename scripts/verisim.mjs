#!/usr/bin/env node
// `npm run -s verisim -- <command>`: the command line. Sets up what is missing, speaking on stderr only, then runs it.
import './setup/check-node.mjs';

const { launch } = await import('./setup/launch.mjs');
await launch(process.argv.slice(2), process.stderr);
