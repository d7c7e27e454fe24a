/** A screen that is not there: one Xvfb for each test process, on whichever display is free, ended with the process. */
import { spawn } from 'node:child_process';

let started: Promise<string> | null = null;

/** @returns the display's name, for DISPLAY */
export function startDisplay(): Promise<string> {
  started ??= new Promise((resolve, reject) => {
    // Xvfb chooses a free number itself and writes it to the descriptor. The shell next to it ends it when this process is
    // gone, however that ended: its standard input is closed then.
    const program = 'Xvfb -displayfd 3 -screen 0 3840x2400x24 -nolisten tcp & exec 3>&-; read -r _; kill $!';
    const server = spawn('sh', ['-c', program], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
    server.once('error', reject);
    const numbers = server.stdio[3];
    let text = '';
    numbers?.on('data', (part: Buffer) => {
      text += part.toString();
      if (text.includes('\n')) resolve(`:${text.trim()}`);
    });
    numbers?.once('end', () => reject(new Error('Xvfb does not start, or has ended')));
    server.unref();
  });
  return started;
}
