/** Turns the errors of requests to the hub into faults. */
import { writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import { UserError, type Fault, type FaultCode } from '../../../shared/errors.js';
import { fileError } from '../../../shared/file-errors.js';
import { fullDisk, systemCode } from '../../../shared/file-faults.js';
import { localized, type Message, seconds } from '../../../shared/messages/message.js';
import { WrongHash } from '../../installation/download.mjs';
import { Refused, Unavailable } from '../../installation/http-get.mjs';

interface HubAction {
  readonly name: HubName;
  readonly endpoint: string;
  readonly hasToken: boolean;
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/** Converts any exception of a request or a download. */
export function hubError(error: unknown, action: HubAction): unknown {
  if (error instanceof UserError) return error;
  if (action.signal?.aborted) return stopped();
  const fault = faultOf(error, action);
  return fault === null ? fileError(error, action.folder, 'write') : new UserError(fault, { cause: error });
}

const fault = (code: FaultCode, message: Message, hint: Message): Fault => ({ code, message, hint });

export const stopped = () =>
  new UserError(fault('stopped', localized('hub.stopped'), localized('hub.arrived_kept_next_download_resumes')));

function faultOf(error: unknown, action: HubAction): Fault | null {
  const model = writtenHubName(action.name);
  const { host } = new URL(action.endpoint);
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof WrongHash) {
    const message = localized('hub.did_arrive_hub_describes', { model, reason });
    return fault('file_damaged', message, localized('hub.arrived_deleted_try_again_if'));
  }
  if (error instanceof Refused) return refused(error, { ...action, model, host });
  if (error instanceof Unavailable) {
    const wait = error.retryAfter === null ? null : seconds(error.retryAfter);
    const hint = localized(error.status === 429 ? 'hub.too_many_requests' : 'hub.try_later', { wait });
    return fault('network', localized('hub.hub_cannot_answer_now', { host, reason }), hint);
  }
  if (error instanceof SyntaxError) {
    const message = localized('hub.answers_hub_sent_something_else', { host });
    return fault('network', message, localized('hub.network_asks_sign_first_proxy'));
  }
  if (isLocal(error)) return null;
  return fault('network', localized('hub.hub_could_reached', { host, reason }), localized('hub.check_network'));
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
  { headers, status, message: reason }: Refused,
  { name, host, hasToken, model }: HubAction & { readonly host: string; readonly model: string },
): Fault {
  const code = String(headers['x-error-code'] ?? '');
  if (status === 407) {
    return fault('network', localized('hub.proxy_refuses', { reason }), localized('hub.proxy_asks_who_you_give'));
  }
  if (code === 'RevisionNotFound') {
    const { repository, revision } = name;
    const message = localized('hub.no_revision', { repository, revision: revision ?? 'main' });
    return fault('file_not_found', message, localized('hub.name_branch_tag_commit_page'));
  }
  if (code === 'GatedRepo' || (status === 403 && hasToken)) {
    const hint = localized(hasToken ? 'hub.agree_terms_page_hub_account' : 'hub.agree_terms_page_hub_make');
    return fault('file_not_readable', localized('hub.given_only_those_who_agreed', { model }), hint);
  }
  if (status === 401 && hasToken) {
    return fault(
      'file_not_readable',
      localized('hub.hub_does_know_token_hf'),
      localized('hub.make_new_one_settings_your'),
    );
  }
  if (status === 401 || status === 404 || status === 403) {
    const message = localized('hub.there_no_model_hub_private', { model });
    return fault('file_not_found', message, localized('hub.check_name_there_no_file'));
  }
  return fault(
    'network',
    localized('hub.could_fetched', { model, host, reason }),
    localized('hub.try_again_if_stays_check'),
  );
}
