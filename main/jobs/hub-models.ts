/**
 * Models that are named as the hub has them, wherever a job takes a model: fetched before anything is opened, once; from then
 * on they are folders like any other, and nothing is asked of a network.
 */
import type { Message } from '../../shared/messages/message.js';
import { writtenHubName, type HubName } from '../../shared/config/hub-name.js';
import { freeBytes, inWords } from '../storage/disk/disk.js';
import { createFetchMeter } from '../storage/hub/fetch-meter.js';
import {
  hubFolder,
  hubModelAt,
  hubModelFolder,
  hubNameOf,
  type HubModel,
  type HubRecord,
} from '../storage/hub/hub-cache.js';
import { fetchHubModel, missingOf, sizeOfModel } from '../storage/hub/hub-fetch.js';
import { hubOffer } from '../storage/hub/hub-offer.js';
import { interrupted, type JobContext } from './types.js';

/** A model that was fetched, by its name; null where that is none, or not here. */
export function hubModelNamed(path: string): HubModel | null {
  const name = hubNameOf(path);
  return name === null ? null : hubModelAt(name);
}

type FetchContext = Pick<JobContext, 'emit' | 'now' | 'stop' | 'confirm'>;

/**
 * Sees to it that a model that the hub's name stands for is here; nothing happens for a path, or one that is.
 * @throws UserError what `hubOffer` and `fetchHubModel` throw; `stopped`
 */
export async function fetchNamedModel(path: string | null, context: FetchContext): Promise<void> {
  const name = path === null ? null : hubNameOf(path);
  if (name === null || hubModelAt(name)) return;
  const controller = new AbortController();
  const { signal } = controller;
  const watch = setInterval(() => context.stop.requested && controller.abort(), 100);
  const say = (message: string | Message) =>
    context.emit({ event: 'notice', level: 'info', code: 'hub_model', message });
  try {
    const offer = await hubOffer(name, { signal, say });
    say(offerInWords(name, offer));
    if (context.confirm && !(await context.confirm('Download it?'))) throw interrupted();
    const detail = `downloading ${writtenHubName(name)}`;
    const progress = { event: 'progress', phase: 'prepare', unit: 'bytes', detail } as const;
    const onProgress = createFetchMeter(
      () => context.now(),
      (told) => context.emit({ ...progress, ...told }),
    );
    await fetchHubModel(name, { signal, offer, say, onProgress });
    say(`${writtenHubName(name)} is here and verified; from now on it is used without a network.`);
  } finally {
    clearInterval(watch);
  }
}

/** What is about to be fetched, under which licence, where to. */
function offerInWords(name: HubName, offer: HubRecord): string {
  const [size, missing] = [sizeOfModel(offer), missingOf(name, offer)];
  const rest = missing < size ? `, ${inWords(size - missing)} of it here already` : '';
  const free = freeBytes(hubFolder());
  const room = free === null ? '' : `; ${inWords(free)} are free there`;
  return `${offer.name}: ${inWords(missing)} to download${rest}, licence ${offer.licence ?? 'not stated'}, to ${hubModelFolder(name)}${room}.`;
}
