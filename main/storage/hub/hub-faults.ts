/** What can go wrong between here and the hub, in words a person can act on. */
import { writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import { UserError, type Fault } from '../../../shared/errors.js';
import { WrongHash } from '../../installation/download.mjs';
import { Refused, Unavailable } from '../../installation/http-get.mjs';
import { fileError } from '../../../shared/file-errors.js';
import { fullDisk, systemCode } from '../../../shared/file-faults.js';

interface HubDoing {
  readonly name: HubName;
  readonly endpoint: string;
  readonly hasToken: boolean;
  /** Where it is written to, for troubles of the disk. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

const OFFLINE = 'What was fetched before works without a network.';

/** Any exception of a request or a download as one to throw on. */
export function hubError(error: unknown, doing: HubDoing): unknown {
  if (error instanceof UserError) return error;
  if (doing.signal?.aborted) return stopped();
  const fault = faultOf(error, doing);
  return fault === null ? fileError(error, doing.folder, 'write') : new UserError(fault, { cause: error });
}

export const stopped = () =>
  new UserError({
    code: 'stopped',
    message: 'Stopped.',
    hint: 'What has arrived is kept; the next download resumes there.',
  });

function faultOf(error: unknown, { name, endpoint, hasToken }: HubDoing): Fault | null {
  const model = writtenHubName(name);
  const { host } = new URL(endpoint);
  if (error instanceof WrongHash) {
    return {
      code: 'file_damaged',
      message: `${model} did not arrive as the hub describes it: ${error.message}`,
      hint: 'What arrived was deleted. Try again; if it stays so, something between here and the hub changes what it sends.',
    };
  }
  if (error instanceof Refused) return refused(error, { name, host, hasToken });
  if (error instanceof Unavailable) {
    const wait = error.retryAfter === null ? 'a while' : `${error.retryAfter} seconds`;
    return {
      code: 'network',
      message: `The hub (${host}) cannot answer now: ${error.message}`,
      hint:
        error.status === 429 ? `It asks for fewer requests; try again in ${wait}.` : `Try again in ${wait}. ${OFFLINE}`,
    };
  }
  if (error instanceof SyntaxError) {
    return {
      code: 'network',
      message: `What answers at ${host} is not the hub: it sent something else than JSON`,
      hint: 'A network that asks to sign in first, or a proxy, may answer in its place; HF_ENDPOINT names another address of the hub.',
    };
  }
  if (isLocal(error)) return null;
  const what = error instanceof Error ? error.message : String(error);
  return {
    code: 'network',
    message: `The hub (${host}) could not be reached: ${what}`,
    hint: `Check the network; behind a proxy, set HTTPS_PROXY; HF_ENDPOINT names a mirror. ${OFFLINE}`,
  };
}

const networkCalls = new Set(['connect', 'getaddrinfo', 'read', 'write', 'send']);
const diskTroubles = new Set([...fullDisk, 'EIO', 'EROFS']);

/** Whether the disk is what failed; a socket's troubles are said of reading and writing, too. */
function isLocal(error: unknown): boolean {
  const code = systemCode(error);
  if (code === null) return false;
  const { syscall } = error as NodeJS.ErrnoException;
  return diskTroubles.has(code) || !networkCalls.has(syscall ?? '');
}

function refused(
  error: Refused,
  { name, host, hasToken }: { readonly name: HubName; readonly host: string; readonly hasToken: boolean },
): Fault {
  const model = writtenHubName(name);
  const code = String(error.headers['x-error-code'] ?? '');
  const { status } = error;
  if (status === 407) {
    return {
      code: 'network',
      message: error.message,
      hint: 'The proxy asks who you are: give it a name and a password in HTTPS_PROXY, http://name:password@proxy:port.',
    };
  }
  if (code === 'RevisionNotFound') {
    return {
      code: 'file_not_found',
      message: `${name.repository} has no revision ${name.revision ?? 'main'}`,
      hint: 'Name a branch, a tag or a commit that its page on the hub lists, or leave @… out for the newest.',
    };
  }
  if (code === 'GatedRepo' || (status === 403 && hasToken)) {
    return {
      code: 'file_not_readable',
      message: `${model} is given only to those who have agreed to its terms`,
      hint: hasToken
        ? 'Agree to its terms on its page of the hub with the account of HF_TOKEN, and wait until that is confirmed.'
        : 'Agree to its terms on its page of the hub, make a token in the settings of your account there, and set HF_TOKEN to it.',
    };
  }
  if (status === 401 && hasToken) {
    return {
      code: 'file_not_readable',
      message: `The hub does not know the token in HF_TOKEN`,
      hint: 'Make a new one in the settings of your account, or unset HF_TOKEN for a public model.',
    };
  }
  if (status === 401 || status === 404 || status === 403) {
    return {
      code: 'file_not_found',
      message: `There is no model ${model} on the hub, or it is private`,
      hint: `Check its name; there is no file or folder of that name either. For a private model, set HF_TOKEN to a token of an account that may read it.`,
    };
  }
  return {
    code: 'network',
    message: `${model} could not be fetched from ${host}: ${error.message}`,
    hint: 'Try again; if it stays so, check HF_ENDPOINT and the proxy.',
  };
}
