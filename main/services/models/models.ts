/** The models that a project can begin from: which there are, what the hub says of one, fetching and removing. */
import { localized } from '../../../shared/messages/message.js';
import { parseHubName, writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import type { FetchProgress } from '../../../shared/contract/models.js';
import type { Speed } from '../../../shared/costs/work.js';
import { UserError } from '../../../shared/errors.js';
import { memoryLimit } from '../../jobs/machine/memory.js';
import { hubEntry, listModels, SETUP } from '../../jobs/machine/model-entries.js';
import { freeBytes } from '../../storage/disk/disk.js';
import { createFetchMeter, type FetchRate } from '../../storage/hub/fetch-meter.js';
import { hubFolder, hubModelAt, hubModelFolder, partOf, removeHubModel } from '../../storage/hub/hub-cache.js';
import { fetchHubModel, missingOf, removeFetched, sizeOfModel } from '../../storage/hub/hub-fetch.js';
import { hubOffer } from '../../storage/hub/hub-offer.js';
import type { FileHandles } from '../files/file-handles.js';

export type Models = ReturnType<typeof createModels>;

export function createModels(options: {
  readonly files: FileHandles;
  speed(): Speed;
  /** Milliseconds. */
  now(): number;
  onChange(): void;
}) {
  const fetching = new Map<string, number>();
  const countFetches = (id: string, change: number) => {
    const count = (fetching.get(id) ?? 0) + change;
    if (count === 0) fetching.delete(id);
    else fetching.set(id, count);
    options.onChange();
  };
  const entryOf = (name: HubName) => hubEntry(name, options.speed(), fetching.has(writtenHubName(name)));

  return {
    list() {
      const models = listModels(options.speed(), fetching).map((entry) =>
        entry.source === 'setup' ? { ...entry, init_from: options.files.give(entry.init_from).handle } : entry,
      );
      return { models, place: hubFolder(), disk_free: freeBytes(hubFolder()), memory: memoryLimit() };
    },
    /** @throws UserError what `hubOffer` throws; `bad_input` */
    async describe(id: string, signal: AbortSignal) {
      const name = nameOf(id);
      const record = await hubOffer(name, { signal });
      const { licence, gated, architecture, commit } = record;
      return {
        id,
        licence,
        gated,
        architecture,
        commit,
        files: record.files.map(({ path, size }) => ({ name: path, size })),
        size: sizeOfModel(record),
        missing: hubModelAt(name) ? 0 : missingOf(name, record),
        disk_free: freeBytes(hubFolder()),
        place: hubModelFolder(name),
      };
    },
    /** @throws UserError what `fetchHubModel` throws; `bad_input` */
    async fetch(
      id: string,
      { signal, onProgress }: { readonly signal: AbortSignal; onProgress(progress: FetchProgress): void },
    ) {
      const name = nameOf(id);
      let latest: FetchRate = { done: 0, total: partOf(name)?.here ?? 0, rate: null, seconds_left: null };
      const meter = createFetchMeter(
        () => options.now(),
        (progress) => onProgress({ ...(latest = progress), detail: null }),
      );
      countFetches(id, 1);
      try {
        await fetchHubModel(name, { signal, onProgress: meter, say: (detail) => onProgress({ ...latest, detail }) });
      } finally {
        countFetches(id, -1);
      }
      return entryOf(name);
    },
    /** @throws UserError `bad_input`, `unsupported`, `busy` */
    async remove(id: string) {
      if (id === SETUP) throw notOurs();
      await removeFetched(nameOf(id), removeHubModel);
      options.onChange();
    },
  };
}

/** @throws UserError `bad_input` */
function nameOf(id: string): HubName {
  const name = parseHubName(id);
  if (name) return name;
  throw new UserError({
    code: 'bad_input',
    message: localized('models.name_model_hub', { id: JSON.stringify(id.slice(0, 100)) }),
    hint: localized('models.name_owner_model_huggingfacetb_smollm2'),
    field: 'id',
  });
}

const notOurs = () =>
  new UserError({
    code: 'unsupported',
    message: localized('models.model_came_set_up_removed'),
    hint: localized('models.used_sample_project'),
    field: 'id',
  });
