/**
 * Determines this process's rank, the number of processes and where they meet, from the flags or the launcher's environment.
 * The first of these that is present counts:
 *
 * 1. `--cluster host0:port,host1:port --rank r`
 * 2. torchrun's variables: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
 * 3. Slurm's: SLURM_PROCID, SLURM_NTASKS, SLURM_STEP_NODELIST; MASTER_ADDR and MASTER_PORT if set
 */
import { UserError } from '../../shared/errors.js';

/** Where a member listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Launch {
  /** The source of the values, for messages. */
  readonly by: string;
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

const listHint = 'Give every process the same list and its own rank: --cluster host0:port,host1:port --rank 0';

/** @returns null if this process works alone @throws UserError `bad_input` that names the wrong value */
export function launchOf(flags: LaunchFlags, variables: Variables): Launch | null {
  const launch = fromFlags(flags) ?? fromVariables(variables);
  return launch === null || launch.size === 1 ? null : launch;
}

function fromFlags({ cluster = null, rank = null }: LaunchFlags): Launch | null {
  if (cluster === null && rank === null) return null;
  if (cluster === null) throw invalid('--rank is given without --cluster', listHint, 'rank');
  if (rank === null) throw invalid('--cluster is given without --rank', listHint, 'rank');
  const members = cluster.split(',').map((each) => parseAddress(each.trim()));
  mustBeAmong('--cluster', rank, members.length, 'rank');
  const names = members.map(({ host, port }) => `${host}:${port}`);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined)
    throw invalid(`--cluster names ${repeated} twice`, 'Give every member its own port.', 'cluster');
  return { by: '--cluster', rank, size: members.length, members, meeting: members[0] as Address };
}

function fromVariables(variables: Variables): Launch | null {
  const has = (name: string) => (variables[name] ?? '') !== '';
  if (has('RANK') && has('WORLD_SIZE'))
    return meetingAt('torchrun’s variables', ['RANK', 'WORLD_SIZE'], variables, '127.0.0.1');
  // Without a step it is the batch script itself, not a task of srun.
  if (has('SLURM_PROCID') && has('SLURM_STEP_NODELIST'))
    return meetingAt(
      'Slurm',
      ['SLURM_PROCID', 'SLURM_NTASKS'],
      variables,
      firstOfNodes(variables['SLURM_STEP_NODELIST']),
    );
  return null;
}

/** @param defaultHost rank 0's host if MASTER_ADDR is not set */
function meetingAt(
  by: string,
  [rankName, sizeName]: readonly [string, string],
  variables: Variables,
  defaultHost: string,
): Launch {
  const read = (name: string, least: number, fallback?: number): number => {
    const text = variables[name] ?? '';
    if (text === '' && fallback !== undefined) return fallback;
    if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
    const problem = text === '' ? 'is not set' : `is ${JSON.stringify(text)}`;
    throw invalid(`${by}: ${name} ${problem}, not a whole number from ${least} on`, `Set ${name}, or use --cluster.`);
  };
  const [rank, size] = [read(rankName, 0), read(sizeName, 1)];
  mustBeAmong(by, rank, size);
  const port = read('MASTER_PORT', 1, MEETING_PORT);
  // torchrun's agent listens on MASTER_PORT itself when its workers are to use the agent's store.
  const own = variables['TORCHELASTIC_USE_AGENT_STORE'] === 'True' ? port + 1 : port;
  if (own > 65535) throw invalid(`${by}: MASTER_PORT is ${port}`, 'Choose a port below 65535.');
  return { by, rank, size, members: null, meeting: { host: variables['MASTER_ADDR'] || defaultHost, port: own } };
}

/** Reads the first host of Slurm's compact node list: `node[03-05,9],gpu1` begins with node03. */
export function firstOfNodes(list = ''): string {
  const [, prefix = '', , range, suffix = ''] = /^([^[,]*)(\[([^\]]*)\])?([^,[]*)/.exec(list) ?? [];
  return range === undefined ? prefix : `${prefix}${/^\d+/.exec(range)?.[0] ?? ''}${suffix}`;
}

function mustBeAmong(by: string, rank: number, size: number, field?: string): void {
  if (size > MOST_MEMBERS) throw invalid(`${by}: ${size} members, at most ${MOST_MEMBERS}`, 'Start fewer.', field);
  if (rank < size) return;
  const message = `${by}: this is rank ${rank}, and there are only ${size} members (ranks 0 to ${size - 1})`;
  throw invalid(message, 'Ranks count from 0, and every process has its own.', field);
}

/** Parses `host:port` with a name or an IPv4 address. */
function parseAddress(text: string): Address {
  const [, host, port] = /^([A-Za-z0-9._-]+):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65535) return { host, port: Number(port) };
  throw invalid(`--cluster: ${JSON.stringify(text)} is not host:port`, listHint, 'cluster');
}

const invalid = (message: string, hint: string, field?: string) =>
  new UserError({ code: 'bad_input', message, hint, ...(field === undefined ? {} : { field }) });
