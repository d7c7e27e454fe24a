/**
 * A project's store of a team: rank 0 has the project, and tells the others what is in it; what is made, rank 0 alone keeps.
 * All ranks ask the same in the same order, as they take the same way through the cycle.
 */
import type { CycleReport } from '../../../shared/reports/report.js';
import type { ProjectStop } from '../../../shared/judging.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { ProjectStore, RewardData, StoredModel } from '../../engine/cycle/cycle-types.js';
import type { Team } from '../../engine/team.js';
import type { RewardSamples } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import type { JobContext } from '../types.js';
import { compareWeights } from './same-weights.js';
import { packed, received, sharedSlot } from './shared-slot.js';

/** What rank 0 finds out, on every rank; the others do not ask. Null travels as no bytes at all. */
type Tell = <T>(
  find: () => Promise<T | null>,
  pack: (found: T) => Uint8Array,
  read: (bytes: Uint8Array) => T,
) => Promise<T | null>;

const tellBy =
  (team: Team): Tell =>
  async (find, pack, read) => {
    if (team.rank > 0) {
      const bytes = await team.share(null);
      return bytes.length === 0 ? null : read(bytes);
    }
    const found = await find();
    await team.share(found === null ? new Uint8Array() : pack(found));
    return found;
  };

const packJson = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const readJson = <T>(bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as T;

const packModel = ({ model, weights }: StoredModel) => packed({ weights, state: { model: plainJson(model) } });
function readModel(bytes: Uint8Array): StoredModel {
  const checkpoint = received(bytes);
  if (!checkpoint) throw new Error('a model of no bytes');
  return { model: checkpoint.state['model'] as unknown as GPTConfig, weights: checkpoint.weights };
}

/** @param store this process's own; only rank 0's is asked and written to, but for the text, which all have */
export function sharedStore<S extends ProjectStore>(store: S, team: Team | undefined, emit: JobContext['emit']): S {
  if (!team) return store;
  const tell = tellBy(team);
  const isFirst = team.rank === 0;
  const model = (find: () => Promise<StoredModel | null>) => tell(find, packModel, readModel);
  const kept: Partial<ProjectStore> = isFirst ? {} : keepsNothing;
  return {
    ...store,
    ...kept,
    initialModel: () => model(async () => (await store.initialModel?.()) ?? null),
    async saveModel(name, made, facts) {
      await compareWeights(team, `weights of ${name}`, made.weights, emit);
      if (isFirst) await store.saveModel(name, made, facts);
    },
    slot: (name) => sharedSlot(store.slot(name), team),
    loadModel: (name) => model(() => store.loadModel(name)),
    openRewardData: (name) => tell(() => store.openRewardData(name), packRewardData, readRewardData),
    async createRewardData(name, generator, seed) {
      const sink = isFirst ? await store.createRewardData(name, generator, seed) : null;
      const told = await tell(
        () => Promise.resolve(sink?.settled ?? null),
        packJson,
        readJson<NonNullable<typeof sink>['settled']>,
      );
      if (!told) throw new Error('rank 0 has no reward data');
      return sink ?? { settled: told, append: () => undefined, finish: nothing, close: nothing };
    },
    loadReport: (cycle) => tell<CycleReport>(() => store.loadReport(cycle), packJson, readJson),
    async peopleSay(newest, previous) {
      const said = await tell<ProjectStop>(
        async () => (await store.peopleSay?.(newest, previous)) ?? null,
        packJson,
        readJson,
      );
      return said ?? undefined;
    },
  };
}

const nothing = () => Promise.resolve();
const keepsNothing = {
  saveReport: nothing,
  savePredictions: nothing,
  keepCompletions: () => undefined,
} satisfies Partial<ProjectStore>;

/** Both splits: what they are, then all ids in 32 bits, and all targets. */
function packRewardData({ train, val }: RewardData): Uint8Array {
  const splits = [train, val];
  const words = splits.reduce((sum, { numSamples, blockSize }) => sum + numSamples * (blockSize + 2), 0);
  const all = new Uint32Array(4 + words);
  all.set(splits.flatMap(({ numSamples, blockSize }) => [numSamples, blockSize]));
  let at = 4;
  for (const { numSamples, blockSize, x, y } of splits) {
    all.set(x(0, numSamples), at);
    at += numSamples * blockSize;
    new Float32Array(all.buffer).set(y(0, numSamples), at);
    at += numSamples * 2;
  }
  return new Uint8Array(all.buffer);
}

function readRewardData(bytes: Uint8Array): RewardData {
  const all = new Uint32Array(bytes.slice().buffer);
  let at = 4;
  const next = (heading: number): RewardSamples => {
    const [numSamples = 0, blockSize = 0] = all.subarray(heading, heading + 2);
    const ids = all.subarray(at, at + numSamples * blockSize);
    const targets = new Float32Array(all.buffer).subarray(at + ids.length, at + ids.length + numSamples * 2);
    at += ids.length + targets.length;
    return {
      numSamples,
      blockSize,
      x: (first, count) => ids.subarray(first * blockSize, (first + count) * blockSize),
      y: (first, count) => targets.subarray(first * 2, (first + count) * 2),
    };
  };
  return { train: next(0), val: next(2) };
}
