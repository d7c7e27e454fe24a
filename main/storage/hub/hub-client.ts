/** Requests from the hub with our HTTP client. `HF_ENDPOINT` names another hub, `HF_TOKEN` or `hf auth login` the user's token. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { homeFolder } from '../../installation/environment.mjs';
import { retrying } from '../../installation/download.mjs';
import { bodyOf, get, refusal } from '../../installation/http-get.mjs';

export interface HubOptions {
  readonly signal?: AbortSignal | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  /** Patience, in seconds and tries; for tests. */
  readonly patience?: { readonly attempts?: number; readonly pauseSeconds?: number; readonly stallSeconds?: number };
  say?(message: Message): void;
}

export interface HubClient {
  readonly endpoint: string;
  readonly hasToken: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Reads a small file. @throws Refused if it is larger than `limit` bytes */
  small(url: string, limit: number): Promise<Buffer>;
}

const STALL_SECONDS = 30;
/** Limit of an answer: a thousand files take some hundred kilobytes. */
const MAX_ANSWER = 1 << 24;

/** Loads the hub's library on first use: nothing else needs it. */
export const hubLibrary = () => import('@huggingface/hub');

/** @throws UserError `bad_input` for an HF_ENDPOINT that is no address */
export async function hubClient(options: HubOptions): Promise<HubClient> {
  const { signal, environment = process.env, patience = {}, say } = options;
  const own = environment['HF_ENDPOINT']?.trim() ?? '';
  const endpoint = (own === '' ? (await hubLibrary()).HUB_URL : own).replace(/\/+$/, '');
  const token = tokenOf(environment);
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  const stallSeconds = patience.stallSeconds ?? STALL_SECONDS;
  const { origin } = addressOf(endpoint);
  const request = (address: string, accept: string, limit: number) =>
    retrying(
      async () => {
        const url = new URL(address);
        // The next page of a list may be on any server.
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
      const { response, body } = await request(url, 'application/json', MAX_ANSWER);
      const { link, 'content-type': type } = response.headers;
      const answer = new Headers();
      if (typeof link === 'string') answer.set('link', link);
      if (type !== undefined) answer.set('content-type', type);
      return new Response(new Uint8Array(body), { headers: answer });
    },
    small: async (url, limit) => (await request(url, '*/*', limit)).body,
  };
}

/** The token of the environment, else that of `hf auth login`. (huggingface_hub, constants.py and utils/_auth.py) */
function tokenOf(environment: NodeJS.ProcessEnv): string {
  const own = environment['HF_TOKEN']?.trim();
  if (own) return own;
  const cache = environment['XDG_CACHE_HOME'] ?? join(environment['HOME'] ?? homeFolder(), '.cache');
  const file = environment['HF_TOKEN_PATH'] ?? join(environment['HF_HOME'] ?? join(cache, 'huggingface'), 'token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

function addressOf(endpoint: string): URL {
  try {
    return new URL(endpoint);
  } catch (error) {
    const message = localized('hub.endpoint_is_no_address', { endpoint });
    throw new UserError({ code: 'bad_input', message, hint: localized('hub.begin_https_unset') }, { cause: error });
  }
}

export const gitName = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
