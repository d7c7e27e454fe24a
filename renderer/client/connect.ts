/**
 * Connects the page to the main process: in the app through the preload script's bridge, in a browser through a
 * WebSocket. Development builds can show the demonstration instead: `?demo`, `?demo=empty`, `?demo=broken`, ….
 */
import {
  bridgeTransport,
  createClient,
  createWebSocketTransport,
  type Client,
  type Transport,
} from '../../shared/client/index.js';

declare global {
  interface Window {
    /** Set by main/preload in the app's own window. */
    readonly verisim?: {
      readonly transport: Transport;
      /** Returns handles for the files dropped last; parsed by the caller. */
      readonly takeDropped: () => Promise<unknown>;
    };
  }
}

export async function connect(): Promise<Client> {
  const demo = new URLSearchParams(location.search).get('demo');
  if (import.meta.env.DEV && demo !== null) {
    const { createDemoTransport } = await import('#demo');
    const scenario = demo === '' ? 'busy' : (demo as 'busy');
    const parameters = new URLSearchParams(location.search);
    const steps = parameters.get('steps');
    return createClient(
      createDemoTransport({ scenario, live: parameters.has('live'), ...(steps ? { steps: Number(steps) } : {}) }),
    );
  }
  if (window.verisim) return createClient(bridgeTransport(window.verisim));
  const address = new URL('/socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = '';
  address.hash = '';
  return createClient(createWebSocketTransport({ open: () => new WebSocket(address) }));
}
