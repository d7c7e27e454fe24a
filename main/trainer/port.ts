/** Connects to the supervisor through Electron's message port or Node's channel. */
import { createRequire } from 'node:module';
import type * as timers from 'node:timers';
import { TRAINER_CHANNEL, type FromTrainer } from '../../shared/contract/trainer.js';

export interface Port {
  send(message: FromTrainer): void;
  onMessage(listener: (data: unknown) => void): void;
  onClosed(listener: () => void): void;
  /** Returns when what was sent has left this process. */
  flushed(): Promise<void>;
}

/** What Electron gives a utility process; described here so that nothing imports Electron. */
interface ElectronPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
}

/** What Electron gives a preload script. */
interface Renderer {
  on(channel: string, listener: (event: unknown, data: unknown) => void): unknown;
  send(channel: string, message: unknown): void;
}

/** Null when this process was not started by a supervisor. */
export function openPort(): Port | null {
  if ((process as { readonly type?: string }).type === 'renderer') return rendererPort();
  const electron = (process as unknown as { readonly parentPort?: ElectronPort }).parentPort;
  if (electron) return electronPort(electron);
  return process.send === undefined ? null : nodePort();
}

/** Electron hands messages over by itself; a moment is enough for them to leave. */
const HANDOVER_MILLISECONDS = 100;

const electronPort = (port: ElectronPort): Port => ({
  send: (message) => port.postMessage(message),
  onMessage: (listener) => void port.on('message', ({ data }) => listener(data)),
  onClosed: (listener) => void port.on('close', listener),
  flushed: () => new Promise((resolve) => setTimeout(resolve, HANDOVER_MILLISECONDS)),
});

function rendererPort(): Port {
  const require = createRequire(__filename);
  // A page's timers are numbers, and a hidden page's are slow.
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval } =
    require('node:timers') as typeof timers;
  Object.assign(globalThis, { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval });
  const { ipcRenderer } = require('electron') as { readonly ipcRenderer: Renderer };
  return {
    send: (message) => ipcRenderer.send(TRAINER_CHANNEL, message),
    onMessage: (listener) => void ipcRenderer.on(TRAINER_CHANNEL, (_event, data) => listener(data)),
    // A window ends with the process that opened it.
    onClosed: () => undefined,
    flushed: () => new Promise((resolve) => setTimeout(resolve, HANDOVER_MILLISECONDS)),
  };
}

function nodePort(): Port {
  let sending = Promise.resolve();
  return {
    send(message) {
      if (!process.connected) return;
      const sent = new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
      sending = sending.then(() => sent);
    },
    onMessage: (listener) => void process.on('message', listener),
    onClosed: (listener) => void process.on('disconnect', listener),
    flushed: () => sending,
  };
}
