/** A screen that is not there: one Xvfb for each test process, on whichever display is free, ended with the process. */
import { spawn } from 'node:child_process';

let started: Promise<string> | null = null;

/** @returns the display's name, for DISPLAY */
export function startDisplay(): Promise<string> {
  started ??= new Promise((resolve, reject) => {
    // Xvfb chooses a free number itself and writes it to the descriptor.
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1920x1200x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    process.once('exit', () => server.kill());
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`Xvfb ended with ${String(code)}`)));
    const numbers = server.stdio[3];
    let text = '';
    numbers?.on('data', (part: Buffer) => {
      text += part.toString();
      if (text.includes('\n')) resolve(`:${text.trim()}`);
    });
    server.unref();
  });
  return started;
}
