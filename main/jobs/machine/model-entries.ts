/** Describes the models to start from: from the catalogue, from this disk, and their costs here from their shape. */
import { existsSync, statSync } from 'node:fs';
import { z } from 'zod';
import { parameterCount } from '../../../shared/architectures/index.js';
import { catalogue, downloadSize } from '../../../shared/models/catalogue.js';
import { parseHubName, writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import { positionsOf, type GPTConfig } from '../../../shared/config/model.js';
import { pretrainedPreset, valuesOf } from '../../../shared/config/presets.js';
import { adaptersOf, tuneShape, type TuneConfig } from '../../../shared/config/tune.js';
import type { ModelEntry } from '../../../shared/contract/models.js';
import { beginningMemory } from '../../../shared/phases/estimate.js';
import { trainingFlops } from '../../../shared/costs/network.js';
import type { Speed } from '../../../shared/costs/work.js';
import { UserError } from '../../../shared/errors.js';
import { sampleModelPath } from '../../installation/locations.mjs';
import { untilChanged } from '../../storage/disk/file-stamp.js';
import { hubModelAt, hubModels, partOf } from '../../storage/hub/hub-cache.js';
import { sizeOfModel } from '../../storage/hub/hub-fetch.js';
import { findForeignModel, foreignModelConfig } from '../../storage/projects/foreign-models.js';
import { setupModelTitle } from '../../storage/hub/initial-model-name.js';
import { speedOf } from './figures.js';
import { memoryLimit } from './memory.js';

/** The id of the set-up's model. */
export const SETUP = 'setup';
const SETUP_LANGUAGES = ['en'];

/** Lists the set-up's model, the catalogue's, and others that were downloaded. @param fetching has the names of downloads in progress */
export function listModels(speed: Speed, fetching: Pick<ReadonlyMap<string, unknown>, 'has'>): ModelEntry[] {
  const known = catalogue.flatMap(({ name }) => parseHubName(name) ?? []);
  const listed = new Set(known.map(writtenHubName));
  const others = hubModels().filter((name) => !listed.has(writtenHubName(name)));
  const entryOf = (name: HubName) => hubEntry(name, speed, fetching.has(writtenHubName(name)));
  return [...setupEntries(speed), ...[...known, ...others].map(entryOf)];
}

export function hubEntry(name: HubName, speed: Speed, isFetching: boolean): ModelEntry {
  const id = writtenHubName(name);
  const known = catalogue.find((each) => each.name === id) ?? null;
  const whole = hubModelAt(name);
  const part = whole === null ? partOf(name) : null;
  const record = (whole ?? part)?.record ?? null;
  const model = known?.model ?? (whole === null ? null : shapeAt(whole.path));
  const size = record !== null ? sizeOfModel(record) : known === null ? 0 : downloadSize(known);
  return {
    ...factsOf(model),
    id,
    title: known?.title ?? id,
    source: known === null ? 'hub' : 'catalogue',
    init_from: id,
    languages: known && [...known.languages],
    instructed: known?.instructed ?? null,
    licence: record?.licence ?? known?.licence ?? null,
    gated: record?.gated ?? known?.gated ?? false,
    state: whole ? 'present' : isFetching ? 'fetching' : part ? 'partial' : 'absent',
    size,
    here: whole ? size : (part?.here ?? 0),
    needs: needsOf(model, speed),
  };
}

/** The model that the set-up brought, if it did; `init_from` is its path. */
function setupEntries(speed: Speed): ModelEntry[] {
  const file = sampleModelPath();
  if (!existsSync(file)) return [];
  const model = shapeAt(file);
  const { size } = statSync(file);
  return [
    {
      ...factsOf(model),
      id: SETUP,
      title: setupModelTitle,
      source: 'setup',
      init_from: file,
      languages: SETUP_LANGUAGES,
      instructed: true,
      licence: 'Apache-2.0',
      gated: false,
      state: 'present',
      size,
      here: size,
      needs: needsOf(model, speed),
    },
  ];
}

/** The languages of a model that a setting names; null if unknown. */
export function languagesOf(name: string): readonly string[] | null {
  if (name === sampleModelPath()) return SETUP_LANGUAGES;
  return catalogue.find((known) => known.name === name)?.languages ?? null;
}

const needsOf = (model: GPTConfig | null, speed: Speed): ModelEntry['needs'] =>
  model === null ? [] : (['full', 'lora'] as const).map((tune) => needsTo(tune, model, speed));

const factsOf = (model: GPTConfig | null): Pick<ModelEntry, 'parameters' | 'vocabulary' | 'context'> => ({
  parameters: model === null ? null : parameterCount(model),
  vocabulary: model?.vocab_size ?? null,
  context: model === null ? null : positionsOf(model),
});

/** Null for a model that is damaged or unsupported; starting from it reports why. Cached: a GGUF file's shape is at its end. */
const shapeAt = untilChanged((path): GPTConfig | null => {
  try {
    const found = findForeignModel(path);
    return found === null ? null : foreignModelConfig(found);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
});

/** Costs at the default settings. */
function needsTo(tune: TuneConfig['tune'], model: GPTConfig, speed: Speed): ModelEntry['needs'][number] {
  const { memory, flops } = costOf(tune, model, speed);
  const { training } = speedOf(model, speed);
  const tokens_per_second = training === null ? null : training / flops;
  return { tune, memory, fits: memory <= memoryLimit(), tokens_per_second };
}

/** Bytes, and operations a token. */
interface Cost {
  readonly memory: number;
  readonly flops: number;
}
/** Counting takes five milliseconds, and the list is requested at every change; the shapes are the same objects each time. */
const costs = new WeakMap<GPTConfig, Map<string, Cost>>();

function costOf(tune: TuneConfig['tune'], model: GPTConfig, { precision }: Speed): Cost {
  const ofModel = costs.get(model) ?? new Map<string, Cost>();
  costs.set(model, ofModel);
  const key = `${tune} ${precision}`;
  const known = ofModel.get(key);
  if (known) return known;
  const { block_size } = valuesOf(pretrainedPreset, {});
  const adapters = adaptersOf(z.object(tuneShape).parse({ tune }));
  const trained = { ...model, ...adapters, block_size: Math.min(Number(block_size), model.block_size) };
  const memory = beginningMemory({ ...model, block_size: trained.block_size }, { tune, precision });
  const cost = { memory, flops: trainingFlops(trained) };
  ofModel.set(key, cost);
  return cost;
}
