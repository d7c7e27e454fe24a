/** A client whose other end is the test: what it sent, and what is told to it. */
import {
  createClient,
  type ClientMessage,
  type Transport,
  type TransportEvents,
} from '../../../shared/client/index.js';

export function wire() {
  const sent: ClientMessage[] = [];
  let events: TransportEvents | undefined;
  const transport: Transport = {
    start: (told) => {
      events = told;
    },
    send: (message) => sent.push(message),
    close: () => events?.state('closed'),
  };
  const client = createClient(transport);
  if (events === undefined) throw new Error('the client did not start its transport');
  return { client, sent, ...events };
}
