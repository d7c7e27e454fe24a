/**
 * The client of the contract: `createClient(createWebSocketTransport({ open: () => new WebSocket(address) }))` in a
 * browser; the preload script's transport in Electron.
 */
import { z } from 'zod';

// zod compiles its checks with `new Function`, which a page's content security policy rightly refuses.
z.config({ jitless: true });

export { bridgeTransport } from './bridge.js';
export { createClient, type CallOptions, type Client } from './client.js';
export * from './messages.js';
export type { ConnectionState, Transport, TransportEvents } from './transport.js';
export { createWebSocketTransport } from './web-socket.js';
