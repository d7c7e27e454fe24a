/** Errors of the endpoint in the form of OpenAI's, which client libraries turn into exceptions by their status. */
import { toFault, type FaultCode } from '../../shared/errors.js';
import { localized, type Message } from '../../shared/messages/message.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';

export class EndpointError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: Message,
    readonly param: string | null = null,
  ) {
    super(plainEnglish(message));
  }
}

export const endpointErrors = {
  name: () => new EndpointError(403, 'other_host', localized('endpoint.other_host')),
  origin: () => new EndpointError(403, 'other_origin', localized('endpoint.other_origin')),
  token: () => new EndpointError(401, 'invalid_api_key', localized('endpoint.wrong_token')),
  tooMany: () => new EndpointError(429, 'rate_limit_exceeded', localized('endpoint.too_many')),
  tooLarge: () => new EndpointError(413, 'request_too_large', localized('endpoint.too_large')),
  unknown: (path: string) => new EndpointError(404, 'unknown_url', localized('endpoint.unknown', { path })),
  method: () => new EndpointError(405, 'method_not_allowed', localized('endpoint.method')),
  json: () => new EndpointError(400, 'invalid_json', localized('endpoint.no_json')),
  model: (model: string) =>
    new EndpointError(404, 'model_not_found', localized('endpoint.no_model', { model }), 'model'),
};

const statusOf: Partial<Record<FaultCode, number>> = {
  internal: 500,
  unsupported: 501,
  busy: 429,
  out_of_memory: 503,
  runtime_missing: 503,
  stopped: 503,
  file_not_found: 404,
  checkpoint: 404,
};

/** Any thrown value as a status and a body. */
export function errorReply(error: unknown) {
  const known = error instanceof EndpointError ? error : null;
  const fault = toFault(error);
  const status = known?.status ?? statusOf[fault.code] ?? 400;
  const message = known?.message ?? `${plainEnglish(fault.message)}. ${plainEnglish(fault.hint)}`;
  const type = status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error';
  const param = known?.param ?? fault.field ?? null;
  return { status, body: { error: { message, type, param, code: known?.code ?? fault.code } } };
}
