/** Requests from the hub with our HTTP client. `HF_ENDPOINT` names another hub, `HF_TOKEN` the user's token. */
import { localized, type Message } from '../../../shared/messages/message.js';
import { createHash } from 'node:crypto';
import { UserError } from '../../../shared/errors.js';
import { get, refusal, bodyOf } from '../../installation/http-get.mjs';
import { retrying } from '../../installation/download.mjs';

export interface HubOptions {
  readonly signal?: AbortSignal | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  /** Patience, in seconds and tries; for tests. */
  readonly patience?: { readonly attempts?: number; readonly pauseSeconds?: number; readonly stallSeconds?: number };
  say?(message: Message): void;
}

export interface HubClient {
  /** Where it is, without a slash at its end. */
  readonly endpoint: string;
  readonly hasToken: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** A small file, whole. @throws Refused where it is larger than `limit` bytes */
  small(url: string, limit: number): Promise<Buffer>;
}

const STALL_SECONDS = 30;
/** Of an answer of the hub's interface: a thousand files take some hundred kilobytes. */
const MAX_ANSWER = 1 << 24;

/** The modules of the hub's library, loaded when they are wanted: nothing else needs them. */
export const hubLibrary = () => import('@huggingface/hub');

/** @throws UserError `bad_input` for an HF_ENDPOINT that is no address */
export async function hubClient({
  signal,
  environment = process.env,
  patience = {},
  say,
}: HubOptions): Promise<HubClient> {
  const own = environment['HF_ENDPOINT']?.trim() ?? '';
  const endpoint = (own === '' ? (await hubLibrary()).HUB_URL : own).replace(/\/+$/, '');
  const token = environment['HF_TOKEN']?.trim() ?? '';
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  const stallSeconds = patience.stallSeconds ?? STALL_SECONDS;
  const { origin } = addressOf(endpoint);
  const ask = (address: string, accept: string, limit: number) =>
    retrying(
      async () => {
        const url = new URL(address);
        // The next page of a list may be said to be anywhere.
        const own = url.origin === origin ? headers : {};
        const response = await get(url, { headers: { ...own, accept }, stallSeconds, signal });
        if (response.statusCode !== 200) throw refusal(response);
        return { response, body: await bodyOf(response, limit) };
      },
      {
        ...patience,
        signal,
        onRetry: ({ message }) => say?.(localized('download.retries', { file: address, why: message })),
      },
    );
  return {
    endpoint,
    hasToken: token !== '',
    headers,
    async fetch(input) {
      const url = input instanceof Request ? input.url : String(input);
      const { response, body } = await ask(url, 'application/json', MAX_ANSWER);
      const { link, 'content-type': type } = response.headers;
      return new Response(new Uint8Array(body), {
        headers: {
          ...(typeof link === 'string' ? { link } : {}),
          ...(type === undefined ? {} : { 'content-type': type }),
        },
      });
    },
    small: async (url, limit) => (await ask(url, '*/*', limit)).body,
  };
}

function addressOf(endpoint: string): URL {
  try {
    return new URL(endpoint);
  } catch (error) {
    const message = `HF_ENDPOINT is not an address: ${endpoint}`;
    throw new UserError({ code: 'bad_input', message, hint: localized('hub.begin_https_unset') }, { cause: error });
  }
}

/** Git's name of a file's contents. */
export const gitName = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
