/** Channels whose services are being built; this file goes when the last of them is there. */
import type { ChannelName } from '../../../shared/contract/index.js';
import { UserError } from '../../../shared/errors.js';
import type { Handlers } from '../handler.js';

const names = ['projects.export', 'projects.import'] as const satisfies readonly ChannelName[];

export function pendingHandlers(): Handlers<(typeof names)[number]> {
  const refuse = () => {
    throw new UserError({ code: 'unsupported', message: 'Not built yet.', hint: 'It is on its way.' });
  };
  return Object.fromEntries(names.map((name) => [name, refuse])) as unknown as Handlers<(typeof names)[number]>;
}
