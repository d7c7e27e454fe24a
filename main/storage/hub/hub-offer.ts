/** Describes a hub model before its download: files, sizes, licence, architecture. */
import { localized } from '../../../shared/messages/message.js';
import { posix } from 'node:path';
import type { ListFileEntry } from '@huggingface/hub';
import { writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import { UserError } from '../../../shared/errors.js';
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
/** What a model may have besides its weights, and how large each may be. */
const small: Readonly<Record<string, number>> = {
  [CONFIG]: 1 << 20,
  'tokenizer.json': 1 << 27,
  'tokenizer_config.json': 1 << 22,
  'generation_config.json': 1 << 20,
};
const MAX_INDEX = 1 << 24;
/** Files that are looked through in a repository. */
const MAX_LISTED = 10_000;

/** @throws UserError `file_not_found`, `file_not_readable`, `checkpoint`, `file_damaged`, `network`, `stopped` */
export async function hubOffer(name: HubName, options: HubOptions): Promise<HubRecord> {
  const client = await hubClient(options);
  const folder = hubModelFolder(name);
  const doing = { ...client, name, folder, signal: options.signal };
  try {
    return await offered(name, client);
  } catch (error) {
    throw hubError(error, doing);
  }
}

async function offered(name: HubName, client: HubClient): Promise<HubRecord> {
  const info = await understood(modelInfo(name, client));
  const { commit } = info;
  const listed = await understood(filesOf(name, commit, client));
  const fetchSmall = async (file: HubFile, limit: number): Promise<string> => {
    if (file.size > limit) throw new Refused(`${file.path} is ${file.size} bytes long`);
    const bytes = await client.small(fileUrl(client, name, commit, file), limit);
    if (file.hash.kind === 'git' && gitName(bytes) !== file.hash.value) {
      throw damaged(name, `its ${file.path} did not arrive as the hub describes it`);
    }
    return bytes.toString('utf8');
  };
  const about = { name: writtenHubName(name), ...info };
  if (name.file !== null) {
    const file = listed.get(posix.basename(name.file));
    if (file === undefined) throw missing(name, name.file, listed);
    return { ...about, architecture: null, files: [file] };
  }
  const config = listed.get(CONFIG);
  if (config === undefined) throw missing(name, CONFIG, listed);
  const architecture = checkArchitecture(await fetchSmall(config, small[CONFIG] ?? 0), name);
  const weights = await weightsOf(name, listed, (file) => fetchSmall(file, MAX_INDEX));
  const besides = Object.entries(small).flatMap(([wanted, limit]) => {
    const file = listed.get(wanted);
    return file === undefined || file.size > limit ? [] : [file];
  });
  return { ...about, architecture, files: [...besides, ...weights] };
}

/** An answer of another form than the hub's is as good as none. */
async function understood<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TypeError) throw new SyntaxError(error.message, { cause: error });
    throw error;
  }
}

/** Where a file of a commit is. */
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

/** As its model card states it. */
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
  const folder = name.file === null ? '' : posix.dirname(name.file);
  const entries = listFiles({
    repo: { type: 'model', name: name.repository },
    revision: commit,
    ...(folder === '' || folder === '.' ? {} : { path: folder }),
    hubUrl: client.endpoint,
    fetch: client.fetch,
  });
  const found = new Map<string, HubFile>();
  let seen = 0;
  for await (const entry of entries) {
    seen += 1;
    if (seen > MAX_LISTED) throw new Refused(`the repository lists more than ${MAX_LISTED} files`);
    const file = fileOf(entry);
    const inFolder = folder === '' || folder === '.' ? file?.name : `${folder}/${file?.name ?? ''}`;
    if (file !== null && file.path === inFolder) found.set(file.name, file);
  }
  return found;
}

/** Null for a folder, and for what could not be written under its name or could not be verified. */
function fileOf({ type, path, size, oid, lfs }: ListFileEntry): HubFile | null {
  const name = typeof path === 'string' ? posix.basename(path) : '';
  const length = lfs?.size ?? size;
  if (type !== 'file' || !isName(name) || !Number.isSafeInteger(length) || length < 0) return null;
  if (typeof lfs?.oid === 'string') {
    return /^[0-9a-f]{64}$/.test(lfs.oid)
      ? { name, path, size: length, hash: { kind: 'sha256', value: lfs.oid } }
      : null;
  }
  return /^[0-9a-f]{40}$/.test(oid ?? '')
    ? { name, path, size: length, hash: { kind: 'git', value: oid ?? '' } }
    : null;
}

/** @returns its model_type @throws UserError `checkpoint` for one that Verisim does not compute */
function checkArchitecture(configText: string, name: HubName): string {
  readHuggingFaceConfig(configText, writtenHubName(name));
  const { model_type } = JSON.parse(configText) as { readonly model_type?: unknown };
  return String(model_type);
}

/** One file, or all that the index names, and the index. */
async function weightsOf(
  name: HubName,
  listed: ReadonlyMap<string, HubFile>,
  read: (file: HubFile) => Promise<string>,
): Promise<readonly HubFile[]> {
  const whole = listed.get(WEIGHTS);
  if (whole !== undefined) return [whole];
  const index = listed.get(INDEX);
  if (index === undefined) throw missing(name, WEIGHTS, listed);
  const shards = new Set(readShardIndex(await read(index), `${writtenHubName(name)}, ${INDEX}`).values());
  const files = [...shards].sort().map((shard) => {
    const file = listed.get(shard);
    if (file === undefined) throw damaged(name, `its ${INDEX} names ${quoted(shard)}, which it does not have`);
    return file;
  });
  return [index, ...files];
}

const damaged = (name: HubName, why: string) =>
  new UserError({
    code: 'file_damaged',
    message: localized('hub.cannot_used', { writtenHubName: writtenHubName(name), why }),
    hint: localized('hub.try_again_use_another_model'),
  });

/** What is not there, and what of its kind is. */
function missing(name: HubName, file: string, listed: ReadonlyMap<string, HubFile>): UserError {
  const gguf = [...listed.keys()].filter((each) => each.toLowerCase().endsWith('.gguf'));
  const example = gguf.find((each) => /q8_0|q4_k_m/i.test(each)) ?? gguf[0];
  const hint =
    example !== undefined
      ? `It has GGUF files; name one: ${name.repository}/${example}`
      : file === WEIGHTS
        ? 'Its weights are in another form; use a model that is saved as safetensors.'
        : 'Use the repository of a model that is saved as safetensors, or name a GGUF file in one.';
  return new UserError({
    code: 'checkpoint',
    message: localized('hub.has_no', { writtenHubName: writtenHubName(name), file }),
    hint,
  });
}
