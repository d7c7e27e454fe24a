/**
 * Shares rank 0's project with the other ranks: its files when a run starts, then checkpoints, models, reward data and
 * decisions. Only rank 0 stores results. All ranks make the same requests in the same order.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { GPTConfig } from '../../../shared/config/model.js';
import { onFile } from '../../../shared/file-errors.js';
import type { ProjectStop } from '../../../shared/judging.js';
import type { CycleReport } from '../../../shared/reports/report.js';
import type { ProjectStore, RewardData } from '../../engine/cycle/cycle-types.js';
import type { Team } from '../../engine/team.js';
import type { Checkpoint, CheckpointSlot, NamedArrays, RewardSamples, LanguageModel } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { ensureFolder } from '../../storage/disk/atomic.js';
import { fileSize, withFileAsync, writeAll, type OpenFile } from '../../storage/disk/file-bytes.js';
import { nodeFileOperations as ops } from '../../storage/disk/file-operations.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';

const packJson = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const unpackJson = <T>(bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as T;

interface SentFile {
  /** In the project's folder, one string per level. */
  readonly path: readonly string[];
  readonly bytes: number;
}

/** Bytes of a file to send at once. */
const PIECE = 2 ** 26;

/** Sends settings, changes, choices to learn from and prepared text. For rank 0. */
export async function sendProject(team: Team, paths: ProjectPaths): Promise<void> {
  const { folder, config, changes, data, writing } = paths;
  const written = existsSync(writing) ? readdirSync(writing) : [];
  const choices = written.filter((name) => name.startsWith('choices-')).map((name) => join(writing, name));
  const texts = readdirSync(data, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(data, entry.name)] : [],
  );
  const files = [config, ...[changes].filter(existsSync), ...choices, ...texts].map((file): SentFile => ({
    path: relative(folder, file).split(/[\\/]/),
    bytes: fileSize(file),
  }));
  await team.share(packJson(files));
  for (const { path, bytes } of files) {
    const send = async (file: OpenFile) => {
      for (let at = 0; at < bytes; at += PIECE) {
        const piece = new Uint8Array(Math.min(PIECE, bytes - at));
        file.read(at, piece);
        await team.share(piece);
      }
    };
    await withFileAsync(join(folder, ...path), send, ops);
  }
}

/** Receives the files. For the other ranks. @param folder this rank's own */
export async function receiveProject(team: Team, folder: string): Promise<void> {
  const files = unpackJson<readonly SentFile[]>(await team.share(null));
  for (const { path, bytes } of files) {
    const to = join(folder, ...path);
    ensureFolder(dirname(to));
    const file = onFile(to, 'write', () => ops.open(to, 'wx'));
    try {
      for (let at = 0; at < bytes; at += PIECE) {
        const piece = await team.share(null);
        onFile(to, 'write', () => writeAll(file, piece, ops));
      }
    } finally {
      ops.close(file);
    }
  }
}

/** Returns on every rank what rank 0 finds; the others do not look. Null is sent as no bytes. */
async function fromFirst<T>(
  team: Team,
  find: () => Promise<T | null>,
  [packed, unpacked]: readonly [pack: (found: T) => Uint8Array, unpack: (bytes: Uint8Array) => T] = [
    packJson,
    unpackJson,
  ],
): Promise<T | null> {
  if (team.rank > 0) {
    const bytes = await team.share(null);
    return bytes.length === 0 ? null : unpacked(bytes);
  }
  const found = await find();
  await team.share(found === null ? new Uint8Array() : packed(found));
  return found;
}

/** Wraps a checkpoint slot for a team. @param slot this process's own; only rank 0's is read and written */
export function sharedSlot(slot: CheckpointSlot, team: Team | undefined): CheckpointSlot {
  if (!team) return slot;
  return {
    latest: () => fromFirst(team, () => slot.latest(), [pack, unpack]),
    due: () => team.rank === 0 && (slot.due?.() ?? true),
    async save(checkpoint, step) {
      if (team.rank === 0) await slot.save(checkpoint, step);
    },
  };
}

/**
 * Wraps a project's store for a team.
 * @param store this process's own; only rank 0's is read and written, except for the text
 * @param onModel called on every rank with each finished model
 */
export function sharedStore<S extends ProjectStore>(
  store: S,
  team: Team | undefined,
  onModel: (team: Team, name: string, weights: NamedArrays) => Promise<void>,
): S {
  if (!team) return store;
  const isFirst = team.rank === 0;
  const model = (find: () => Promise<LanguageModel | null>) => fromFirst(team, find, [packModel, unpackModel]);
  const storing: Partial<ProjectStore> = isFirst
    ? {}
    : { saveReport: nothing, savePredictions: nothing, keepCompletions: () => undefined };
  return {
    ...store,
    ...storing,
    initialModel: () => model(async () => (await store.initialModel?.()) ?? null),
    async saveModel(name, made, facts) {
      await onModel(team, name, made.weights);
      if (isFirst) await store.saveModel(name, made, facts);
    },
    slot: (name) => sharedSlot(store.slot(name), team),
    loadModel: (name) => model(() => store.loadModel(name)),
    openRewardData: (name) => fromFirst(team, () => store.openRewardData(name), [packRewardData, unpackRewardData]),
    async createRewardData(name, generator, seed) {
      const sink = isFirst ? await store.createRewardData(name, generator, seed) : null;
      const settled = await fromFirst(team, async () => sink?.settled ?? null);
      if (!settled) throw new Error('rank 0 has no reward data');
      return sink ?? { settled, append: () => undefined, finish: nothing, close: nothing };
    },
    loadReport: (cycle) => fromFirst<CycleReport>(team, () => store.loadReport(cycle)),
    peopleSay: async (newest, previous) =>
      (await fromFirst<ProjectStop>(team, async () => (await store.peopleSay?.(newest, previous)) ?? null)) ??
      undefined,
  };
}

const nothing = () => Promise.resolve();

interface Header {
  readonly state: Checkpoint['state'];
  readonly weights: Shapes;
  readonly optimizer: Shapes | null;
}
type Shapes = readonly { readonly name: string; readonly shape: readonly number[]; readonly size: number }[];

const shapesOf = (arrays: NamedArrays): Shapes =>
  Object.entries(arrays).map(([name, { shape, data }]) => ({ name, shape, size: data.length }));

/** Encodes a checkpoint: the header's length, the header as JSON padded to 4 bytes, then all numbers as float32. */
export function pack({ weights, optimizer, state }: Checkpoint): Uint8Array {
  const header: Header = { state, weights: shapesOf(weights), optimizer: optimizer ? shapesOf(optimizer) : null };
  const text = packJson(header);
  const start = 4 + Math.ceil(text.length / 4) * 4;
  const arrays = [...Object.values(weights), ...Object.values(optimizer ?? {})];
  const bytes = new Uint8Array(start + 4 * arrays.reduce((sum, { data }) => sum + data.length, 0));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  const numbers = new Float32Array(bytes.buffer);
  let at = start / 4;
  for (const { data } of arrays) {
    numbers.set(data, at);
    at += data.length;
  }
  return bytes;
}

export function unpack(bytes: Uint8Array): Checkpoint {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = unpackJson<Header>(bytes.subarray(4, 4 + length));
  let at = bytes.byteOffset + 4 + Math.ceil(length / 4) * 4;
  const take = (shapes: Shapes): NamedArrays =>
    Object.fromEntries(
      shapes.map(({ name, shape, size }) => {
        const data = new Float32Array(bytes.buffer.slice(at, at + size * 4));
        at += size * 4;
        return [name, { shape, data }];
      }),
    );
  const { state } = header;
  const weights = take(header.weights);
  return header.optimizer ? { weights, optimizer: take(header.optimizer), state } : { weights, state };
}

const packModel = ({ model, weights }: LanguageModel) => pack({ weights, state: { model: plainJson(model) } });

function unpackModel(bytes: Uint8Array): LanguageModel {
  const { weights, state } = unpack(bytes);
  return { model: state['model'] as unknown as GPTConfig, weights };
}

/** Encodes both splits: samples and context of each, then the ids as uint32 and the targets as float32 of each. */
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

function unpackRewardData(bytes: Uint8Array): RewardData {
  const all = new Uint32Array(bytes.slice().buffer);
  let at = 4;
  const next = (header: number): RewardSamples => {
    const [numSamples = 0, blockSize = 0] = all.subarray(header, header + 2);
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
