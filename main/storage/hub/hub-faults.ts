/** What can go wrong between here and the hub, in words a person can act on. */
import { localized } from '../../../shared/messages/message.js';
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
    message: localized('hub.stopped'),
    hint: localized('hub.arrived_kept_next_download_resumes'),
  });

function faultOf(error: unknown, { name, endpoint, hasToken }: HubDoing): Fault | null {
  const model = writtenHubName(name);
  const { host } = new URL(endpoint);
  if (error instanceof WrongHash) {
    return {
      code: 'file_damaged',
      message: localized('hub.did_arrive_hub_describes', { model, message: error.message }),
      hint: localized('hub.arrived_deleted_try_again_if'),
    };
  }
  if (error instanceof Refused) return refused(error, { name, host, hasToken });
  if (error instanceof Unavailable) {
    const wait = error.retryAfter === null ? 'a while' : `${error.retryAfter} seconds`;
    return {
      code: 'network',
      message: localized('hub.hub_cannot_answer_now', { host, message: error.message }),
      hint:
        error.status === 429
          ? localized('hub.asks_fewer_requests_try_again', { wait })
          : localized('hub.try_again', { wait, OFFLINE }),
    };
  }
  if (error instanceof SyntaxError) {
    return {
      code: 'network',
      message: localized('hub.answers_hub_sent_something_else', { host }),
      hint: localized('hub.network_asks_sign_first_proxy'),
    };
  }
  if (isLocal(error)) return null;
  const what = error instanceof Error ? error.message : String(error);
  return {
    code: 'network',
    message: localized('hub.hub_could_reached', { host, what }),
    hint: localized('hub.check_network_behind_proxy_set', { OFFLINE }),
  };
}

const networkCalls = new Set(['connect', 'getaddrinfo', 'read', 'write', 'send']);
const diskTroubles = new Set([...fullDisk, 'EIO', 'EROFS']);

/** Distinguishes the disk's errors from a socket's. */
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
      hint: localized('hub.proxy_asks_who_you_give'),
    };
  }
  if (code === 'RevisionNotFound') {
    return {
      code: 'file_not_found',
      message: localized('hub.no_revision', { repository: name.repository, revision: name.revision ?? 'main' }),
      hint: localized('hub.name_branch_tag_commit_page'),
    };
  }
  if (code === 'GatedRepo' || (status === 403 && hasToken)) {
    return {
      code: 'file_not_readable',
      message: localized('hub.given_only_those_who_agreed', { model }),
      hint: hasToken ? localized('hub.agree_terms_page_hub_account') : localized('hub.agree_terms_page_hub_make'),
    };
  }
  if (status === 401 && hasToken) {
    return {
      code: 'file_not_readable',
      message: localized('hub.hub_does_know_token_hf'),
      hint: localized('hub.make_new_one_settings_your'),
    };
  }
  if (status === 401 || status === 404 || status === 403) {
    return {
      code: 'file_not_found',
      message: localized('hub.there_no_model_hub_private', { model }),
      hint: localized('hub.check_name_there_no_file'),
    };
  }
  return {
    code: 'network',
    message: localized('hub.could_fetched', { model, host, message: error.message }),
    hint: localized('hub.try_again_if_stays_check'),
  };
}
