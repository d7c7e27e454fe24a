/** Reads a model in several safetensors files by model.safetensors.index.json, which may name files of its folder only. */
import { localized } from '../../shared/messages/message.js';
import { z } from 'zod';
import { duplicateKey, parseBoundedJson } from './bounded-json.js';
import { damaged } from './faults.js';
import type { OpenSafetensors } from './safetensors.js';
import { quoted, shorten } from './shorten.js';

/** Several times what the largest models have. */
const MAX_SHARDS = 512;

const indexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });

type ShardIndex = ReadonlyMap<string, string>;

/** Reads model.safetensors.index.json. @throws UserError `file_damaged` */
export function readShardIndex(text: string, what: string): ShardIndex {
  let json: unknown;
  let twice: string | null;
  try {
    json = parseBoundedJson(text);
    twice = duplicateKey(text);
  } catch {
    throw damaged(what, localized('damage.json'));
  }
  if (twice !== null) throw damaged(what, localized('damage.twice', { name: quoted(twice) }));
  const parsed = indexSchema.safeParse(json);
  if (!parsed.success) throw damaged(what, localized('damage.shardMap'));
  const index = new Map(Object.entries(parsed.data.weight_map));
  const files = new Set(index.values());
  if (files.size > MAX_SHARDS)
    throw damaged(what, localized('damage.shardCount', { found: files.size, most: MAX_SHARDS }));
  for (const file of files) {
    if (!isShardName(file)) throw damaged(what, localized('damage.shardName', { file: quoted(file) }));
  }
  return index;
}

/** Nothing that leads out of the folder, or means something else to a file system. */
const isShardName = (name: string): boolean => /^[\w][\w.-]*\.safetensors$/.test(name) && name.length <= 255;

/** Presents all shards as one file; the caller closes them. @throws UserError `file_damaged` if a tensor is elsewhere */
export function joinShards(index: ShardIndex, open: (name: string) => OpenSafetensors, what: string): OpenSafetensors {
  const shards = new Map([...new Set(index.values())].map((name) => [name, open(name)]));
  const shardOf = (tensor: string) => {
    const name = index.get(tensor) ?? '';
    const shard = shards.get(name);
    const entry = shard?.tensors.get(tensor);
    if (shard && entry) return { shard, entry };
    throw damaged(what, localized('damage.shardTensor', { tensor: shorten(tensor), file: name }));
  };
  return {
    tensors: new Map([...index.keys()].map((tensor) => [tensor, shardOf(tensor).entry])),
    metadata: {},
    read: (tensor) => shardOf(tensor).shard.read(tensor),
    take: (tensor) => shardOf(tensor).shard.take(tensor),
  };
}
