/**
 * How the page reaches the main process: through the preload script's bridge in the app, through a WebSocket in a
 * browser. Development builds can show the demonstration instead: `?demo`, `?demo=empty`, `?demo=broken`, ….
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
    /** Put there by main/preload in the app's own window. */
    readonly verisim?: {
      readonly transport: Transport;
      /** Handles for what was dropped last; parsed where it is used. */
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
