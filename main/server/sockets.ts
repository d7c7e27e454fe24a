/** One browser tab's WebSocket: frames in, frames out, neither faster than the other side can bear. */
import { parsedJson } from '../../shared/base/json.js';
import type { WebSocket } from 'ws';
import type { Dispatcher } from '../ipc/dispatcher.js';
import { createRate } from '../ipc/rate.js';
import { createSession } from '../ipc/session.js';
import type { EventBus } from '../services/event-bus.js';

/** The longest message of the contract is a draft with its settings; a page of text is far below it. */
export const MAX_MESSAGE = 4 * 1024 * 1024;
/** Far beyond what a session answers with `busy` (main/ipc/session.ts): who sends so much does not read the answers. */
const flood = { perSecond: 500, burst: 2500 };
/** Bytes that may wait to be taken before topics are held back and nothing more is read. */
const MAX_WAITING = 1024 * 1024;
const heartbeat = 20_000;

const tooFast = 1008;
const notUnderstood = 1007;

export function serveSocket(
  socket: WebSocket,
  { dispatcher, bus }: { readonly dispatcher: Dispatcher; readonly bus: EventBus },
): void {
  const isReady = () => socket.bufferedAmount < MAX_WAITING;
  const rate = createRate(flood.perSecond, flood.burst);
  let alive = true;
  const session = createSession({
    dispatcher,
    bus,
    caller: { transport: 'browser', dialogs: null },
    isReady,
    send(message) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(JSON.stringify(message), () => {
        if (!isReady()) return;
        if (socket.isPaused) socket.resume();
        session.flush();
      });
      if (!isReady()) socket.pause();
    },
  });
  // A tab whose computer sleeps or is gone says nothing any more, not even goodbye.
  const timer = setInterval(() => {
    if (!alive) socket.terminate();
    alive = false;
    socket.ping();
  }, heartbeat);

  socket.on('pong', () => {
    alive = true;
  });
  socket.on('message', (data, isBinary) => {
    alive = true;
    if (!rate.take()) socket.close(tooFast, 'too many messages');
    else if (isBinary || !session.receive(parsedJson(String(data)))) socket.close(notUnderstood, 'not understood');
  });
  // Frames that are too long or broken: ws has informed the other side already.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(timer);
    session.close();
  });
}
