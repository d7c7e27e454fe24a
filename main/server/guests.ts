/**
 * Other people who rate, in their own browsers: one address, one page, and answers sent back to it. Their token lets in to
 * nothing else, neither files nor sockets nor any channel; whose the passages are is not in the page.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from './access.js';
import { preferredLanguages, refusalFor, wordsFor } from './words.js';

/** Where they rate; all else is not theirs. */
export const RATING_PATH = '/rate';

/** What they are shown, and what becomes of what they send. */
export interface RatingGuests {
  /** @param preferred the browser's languages, the dearest first */
  page(preferred: readonly string[]): { readonly html: string; readonly policy: string };
  /** @throws UserError where it is not to be merged */
  submit(result: string): void | Promise<void>;
  /** The longest result, in bytes. */
  readonly maxBytes: number;
}

export interface GuestDesk {
  readonly access: Access;
  respond(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    wrongTokens: { take(): boolean },
  ): Promise<void> | void;
}

export const say = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${text}\n`);
};

/**
 * A token for a cookie, and on to the plain address, so that the token stays neither in sight nor in the history.
 * @param cookie null where the token is wrong: then it is refused with these words
 */
export function exchange(
  response: ServerResponse,
  cookie: string | null,
  wrongTokens: { take(): boolean },
  place: string,
  refusal: string,
): void {
  if (cookie === null) say(response, wrongTokens.take() ? 401 : 429, refusal);
  else response.writeHead(303, { 'Set-Cookie': cookie, Location: place }).end();
}

export const createGuestDesk = (access: Access, guests: RatingGuests): GuestDesk => ({
  access,
  respond(request, response, url, wrongTokens) {
    const words = wordsFor(request);
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const token = url.searchParams.get('token');
    if (isReading && token !== null)
      return exchange(response, access.admit(token), wrongTokens, RATING_PATH, words.guestNotAdmitted);
    if (!access.isAdmitted(request)) return say(response, 401, words.guestNotAdmitted);
    if (isReading) {
      const { html, policy } = guests.page(preferredLanguages(request));
      const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy };
      response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : html);
      return;
    }
    if (request.method !== 'POST') return say(response, 405, words.notPossible);
    if (!access.isOurPage(request)) return say(response, 403, words.onlyAnswers);
    return receive(request, response, guests);
  },
});

async function receive(request: IncomingMessage, response: ServerResponse, guests: RatingGuests): Promise<void> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.byteLength;
    if (length > guests.maxBytes) return say(response, 413, wordsFor(request).tooLong);
    parts.push(part);
  }
  try {
    await guests.submit(Buffer.concat(parts).toString('utf8'));
  } catch (error) {
    return say(response, 400, refusalFor(request, error));
  }
  response.writeHead(204).end();
}
