/** Describes a hub model before its download: files, sizes, licence, architecture. */
import { posix } from 'node:path';
import type { ListFileEntry } from '@huggingface/hub';
import { writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { readHuggingFaceConfig } from '../../formats/huggingface.js';
import { readShardIndex } from '../../formats/safetensors-shards.js';
import { quoted, shorten } from '../../formats/shorten.js';
import { Refused } from '../../installation/http-get.mjs';
import { isName } from '../disk/names.js';
import { hubModelFolder, type HubFile, type HubRecord } from './hub-cache.js';
import { gitName, hubClient, hubLibrary, type HubClient, type HubOptions } from './hub-client.js';
import { hubError } from './hub-faults.js';

const CONFIG = 'config.json';
const WEIGHTS = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
/** Files of a model besides its weights, and how large each may be. */
const small: Readonly<Record<string, number>> = {
  [CONFIG]: 1 << 20,
  'tokenizer.json': 1 << 27,
  'tokenizer_config.json': 1 << 22,
  'generation_config.json': 1 << 20,
};
/** Older forms of a tokenizer, for models without a tokenizer.json. */
const older: Readonly<Record<string, number>> = {
  'tokenizer.model': 1 << 26,
  'vocab.json': 1 << 26,
  'merges.txt': 1 << 22,
  'added_tokens.json': 1 << 22,
};
const MAX_INDEX = 1 << 24;
const MAX_LISTED = 10_000;

/** @throws UserError `file_not_found`, `file_not_readable`, `checkpoint`, `file_damaged`, `network`, `stopped` */
export async function hubOffer(name: HubName, options: HubOptions): Promise<HubRecord> {
  const client = await hubClient(options);
  try {
    return await describeModel(name, client);
  } catch (error) {
    throw hubError(error, { ...client, name, folder: hubModelFolder(name), signal: options.signal });
  }
}

async function describeModel(name: HubName, client: HubClient): Promise<HubRecord> {
  const info = await understood(modelInfo(name, client));
  const listed = await understood(filesOf(name, info.commit, client));
  const about = { name: writtenHubName(name), ...info };
  const find = (wanted: string): HubFile => {
    const file = listed.get(wanted);
    if (file === undefined) throw missing(name, wanted, listed);
    return file;
  };
  const read = async (file: HubFile, limit: number): Promise<string> => {
    if (file.size > limit) throw new Refused(`${file.path}: ${file.size} B > ${limit} B`);
    const bytes = await client.small(fileUrl(client, name, info.commit, file), limit);
    if (file.hash.kind === 'git' && gitName(bytes) !== file.hash.value) {
      throw damaged(name, localized('hub.file_did_not_arrive', { file: file.path }));
    }
    return bytes.toString('utf8');
  };
  if (name.file !== null) {
    const file = listed.get(posix.basename(name.file));
    if (file === undefined) throw missing(name, name.file, listed);
    return { ...about, architecture: null, files: [file] };
  }
  const config = await read(find(CONFIG), small[CONFIG] ?? 0);
  readHuggingFaceConfig(config, writtenHubName(name)); // refuses architectures that Verisim does not compute
  const { model_type } = JSON.parse(config) as { readonly model_type?: unknown };
  const whole = listed.get(WEIGHTS);
  const index = whole === undefined ? listed.get(INDEX) : undefined;
  const weights = index ? [index, ...shardsIn(await read(index, MAX_INDEX), name, listed)] : [whole ?? find(WEIGHTS)];
  const wanted = listed.has('tokenizer.json') ? small : { ...small, ...older };
  const others = Object.entries(wanted).flatMap(([wanted, limit]) => {
    const file = listed.get(wanted);
    return file === undefined || file.size > limit ? [] : [file];
  });
  return { ...about, architecture: String(model_type), files: [...others, ...weights] };
}

/** Attributes an answer in another form to a server that is not the hub. */
async function understood<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TypeError) throw new SyntaxError(error.message, { cause: error });
    throw error;
  }
}

export const fileUrl = (
  { endpoint }: Pick<HubClient, 'endpoint'>,
  { repository }: HubName,
  commit: string,
  { path }: HubFile,
): string => `${endpoint}/${repository}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;

async function modelInfo(
  { repository, revision }: HubName,
  { endpoint, fetch }: HubClient,
): Promise<Pick<HubRecord, 'commit' | 'licence' | 'gated'>> {
  const { modelInfo } = await hubLibrary();
  const { sha, cardData, tags, gated } = await modelInfo({
    name: repository,
    additionalFields: ['sha', 'cardData', 'tags'],
    hubUrl: endpoint,
    fetch,
    ...(revision === null ? {} : { revision }),
  });
  if (typeof sha !== 'string' || !/^[0-9a-f]{7,64}$/.test(sha)) throw new SyntaxError('the hub names no commit');
  return { commit: sha, licence: licenceOf(cardData, tags), gated: gated === 'auto' || gated === 'manual' };
}

function licenceOf(card: unknown, tags: unknown): string | null {
  const stated = (key: string): string | null => {
    const value = typeof card === 'object' && card !== null ? (card as Record<string, unknown>)[key] : null;
    return typeof value === 'string' && value !== '' ? shorten(value) : null;
  };
  const licence = stated('license');
  if (licence !== null && licence !== 'other') return licence;
  const tag = Array.isArray(tags) ? tags.find((each) => typeof each === 'string' && each.startsWith('license:')) : null;
  return stated('license_name') ?? (typeof tag === 'string' ? shorten(tag.slice('license:'.length)) : licence);
}

/** Lists the usable files of the model's folder by name. */
async function filesOf(name: HubName, commit: string, client: HubClient): Promise<ReadonlyMap<string, HubFile>> {
  const { listFiles } = await hubLibrary();
  const folder = name.file === null ? '.' : posix.dirname(name.file);
  const entries = listFiles({
    repo: { type: 'model', name: name.repository },
    revision: commit,
    ...(folder === '.' ? {} : { path: folder }),
    hubUrl: client.endpoint,
    fetch: client.fetch,
  });
  const found = new Map<string, HubFile>();
  let seen = 0;
  for await (const entry of entries) {
    seen += 1;
    if (seen > MAX_LISTED) throw new Refused(`${name.repository}: > ${MAX_LISTED}`);
    const file = fileOf(entry);
    if (file !== null && file.path === posix.join(folder, file.name)) found.set(file.name, file);
  }
  return found;
}

/** Returns null for a folder, for a name that could not be written, and for a file that could not be verified. */
function fileOf({ type, path, size, oid = '', lfs }: ListFileEntry): HubFile | null {
  const name = typeof path === 'string' ? posix.basename(path) : '';
  const length = lfs?.size ?? size;
  if (type !== 'file' || !isName(name) || !Number.isSafeInteger(length) || length < 0) return null;
  const hash =
    typeof lfs?.oid === 'string'
      ? ({ kind: 'sha256', value: lfs.oid } as const)
      : ({ kind: 'git', value: oid } as const);
  const isHash = hash.kind === 'sha256' ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{40}$/;
  return isHash.test(hash.value) ? { name, path, size: length, hash } : null;
}

function shardsIn(index: string, name: HubName, listed: ReadonlyMap<string, HubFile>): readonly HubFile[] {
  const shards = new Set(readShardIndex(index, `${writtenHubName(name)}, ${INDEX}`).values());
  return [...shards].sort().map((shard) => {
    const file = listed.get(shard);
    if (file !== undefined) return file;
    throw damaged(name, localized('hub.missing_shard', { index: INDEX, shard: quoted(shard) }));
  });
}

const damaged = (name: HubName, why: Message) =>
  new UserError({
    code: 'file_damaged',
    message: localized('hub.cannot_used', { model: writtenHubName(name), why }),
    hint: localized('hub.try_again_use_another_model'),
  });

function missing(name: HubName, file: string, listed: ReadonlyMap<string, HubFile>): UserError {
  const gguf = [...listed.keys()].filter((each) => each.toLowerCase().endsWith('.gguf'));
  const example = gguf.find((each) => /q8_0|q4_k_m/i.test(each)) ?? gguf[0];
  const unread = file === WEIGHTS ? 'hub.use_safetensors' : 'hub.use_repository';
  return new UserError({
    code: 'checkpoint',
    message: localized('hub.has_no', { model: writtenHubName(name), file }),
    hint:
      example === undefined ? localized(unread) : localized('hub.name_gguf', { file: `${name.repository}/${example}` }),
  });
}
