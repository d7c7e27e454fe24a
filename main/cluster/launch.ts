/**
 * Determines this process's rank, the number of processes and where they meet, from the flags or the launcher's environment.
 * The first of these that is present counts:
 *
 * 1. `--cluster host0:port,host1:port --rank r`
 * 2. torchrun's variables: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
 * 3. Slurm's: SLURM_PROCID, SLURM_NTASKS, SLURM_STEP_NODELIST; MASTER_ADDR and MASTER_PORT if set
 */
import { UserError } from '../../shared/errors.js';
import { localized, type Message } from '../../shared/messages/message.js';

/** Where a member listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Launch {
  /** The source of the values, for messages. */
  readonly by: '--cluster' | 'torchrun' | 'Slurm';
  readonly rank: number;
  readonly size: number;
  /** Every member's address by rank; null if members exchange their addresses at rank 0. */
  readonly members: readonly Address[] | null;
  /** Rank 0's address. */
  readonly meeting: Address;
}

export type Variables = Readonly<Record<string, string | undefined>>;

interface LaunchFlags {
  readonly cluster?: string | null | undefined;
  readonly rank?: number | null | undefined;
}

/** The default port of PyTorch's launcher. */
const MEETING_PORT = 29500;
const MOST_MEMBERS = 1024;

/** @returns null if this process works alone @throws UserError `bad_input` that names the wrong value */
export function launchOf(flags: LaunchFlags, variables: Variables): Launch | null {
  const launch = fromFlags(flags) ?? fromVariables(variables);
  if (launch === null) return null;
  const { by, rank, size } = launch;
  if (size > MOST_MEMBERS)
    throw invalid(localized('cluster.tooMany', { by, size, most: MOST_MEMBERS }), localized('cluster.tooMany.hint'));
  if (rank >= size)
    throw invalid(localized('cluster.noRank', { by, rank, size, last: size - 1 }), localized('cluster.noRank.hint'));
  return size === 1 ? null : launch;
}

function fromFlags({ cluster = null, rank = null }: LaunchFlags): Launch | null {
  if (cluster === null && rank === null) return null;
  const hint = localized('cluster.list.hint');
  if (cluster === null) throw invalid(localized('cluster.rankAlone'), hint, 'rank');
  if (rank === null) throw invalid(localized('cluster.listAlone'), hint, 'rank');
  const members = cluster.split(',').map((each) => parseAddress(each.trim()));
  const names = members.map(({ host, port }) => `${host}:${port}`);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined)
    throw invalid(localized('cluster.repeated', { name: repeated }), localized('cluster.repeated.hint'), 'cluster');
  return { by: '--cluster', rank, size: members.length, members, meeting: members[0] as Address };
}

function fromVariables(variables: Variables): Launch | null {
  const has = (name: string) => (variables[name] ?? '') !== '';
  if (has('RANK') && has('WORLD_SIZE')) return meetingAt('torchrun', ['RANK', 'WORLD_SIZE'], variables, '127.0.0.1');
  // Without a step it is the batch script itself, not a task of srun.
  if (!has('SLURM_PROCID') || !has('SLURM_STEP_NODELIST')) return null;
  return meetingAt(
    'Slurm',
    ['SLURM_PROCID', 'SLURM_NTASKS'],
    variables,
    firstOfNodes(variables['SLURM_STEP_NODELIST']),
  );
}

/** @param defaultHost rank 0's host if MASTER_ADDR is not set */
function meetingAt(
  by: Launch['by'],
  [rankName, sizeName]: readonly [string, string],
  variables: Variables,
  defaultHost: string,
): Launch {
  const read = (name: string, least: number, fallback?: number): number => {
    const text = variables[name] ?? '';
    if (text === '' && fallback !== undefined) return fallback;
    if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
    const message =
      text === ''
        ? localized('cluster.variableUnset', { by, name })
        : localized('cluster.variable', { by, name, value: JSON.stringify(text), least });
    throw invalid(message, localized('cluster.variable.hint', { name }));
  };
  const [rank, size, port] = [read(rankName, 0), read(sizeName, 1), read('MASTER_PORT', 1, MEETING_PORT)];
  // torchrun's agent listens on MASTER_PORT itself if its workers are to use the agent's store.
  const own = variables['TORCHELASTIC_USE_AGENT_STORE'] === 'True' ? port + 1 : port;
  if (own > 65535) throw invalid(localized('cluster.port', { by, port }), localized('cluster.port.hint'));
  return { by, rank, size, members: null, meeting: { host: variables['MASTER_ADDR'] || defaultHost, port: own } };
}

/** Reads the first host of Slurm's compact node list: `node[03-05,9],gpu1` begins with node03. */
export function firstOfNodes(list = ''): string {
  const [, prefix = '', , range, suffix = ''] = /^([^[,]*)(\[([^\]]*)\])?([^,[]*)/.exec(list) ?? [];
  return range === undefined ? prefix : `${prefix}${/^\d+/.exec(range)?.[0] ?? ''}${suffix}`;
}

/** Parses `host:port` with a name or an IPv4 address. */
function parseAddress(text: string): Address {
  const [, host, port] = /^([A-Za-z0-9._-]+):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65535) return { host, port: Number(port) };
  const message = localized('cluster.notAddress', { text: JSON.stringify(text) });
  throw invalid(message, localized('cluster.list.hint'), 'cluster');
}

const invalid = (message: Message, hint: Message, field?: string) =>
  new UserError({ code: 'bad_input', message, hint, ...(field === undefined ? {} : { field }) });
