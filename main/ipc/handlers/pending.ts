/** Channels whose services are being built; this file goes when the last of them is there. */
import type { ChannelName } from '../../../shared/contract/index.js';
import { UserError } from '../../../shared/errors.js';
import type { Handlers } from '../handler.js';

const names = [
  'app.diagnostics',
  'drafts.check',
  'drafts.preview',
  'drafts.measure',
  'drafts.start',
  'projects.rename',
  'projects.delete',
  'projects.restore',
  'projects.export',
  'projects.import',
  'projects.sample',
  'projects.events',
  'metrics.names',
  'metrics.window',
  'completions.page',
  'rewardData.summary',
  'rewardData.examples',
  'runs.start',
  'runs.pause',
  'runs.resume',
  'runs.stop',
  'runs.skip',
  'runs.extend',
  'runs.change',
  'queue.get',
  'queue.move',
  'queue.remove',
  'queue.continue',
  'playground.write',
  'playground.score',
] as const satisfies readonly ChannelName[];

export function pendingHandlers(): Handlers<(typeof names)[number]> {
  const refuse = () => {
    throw new UserError({ code: 'unsupported', message: 'Not built yet.', hint: 'It is on its way.' });
  };
  return Object.fromEntries(names.map((name) => [name, refuse])) as unknown as Handlers<(typeof names)[number]>;
}
