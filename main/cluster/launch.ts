/**
 * Who this process is among several: its rank, how many there are, and where they meet. Read from the flags, or from what the
 * program that started it has put into the environment, in the order below. Pure.
 *
 * 1. `--cluster host0:port,host1:port --rank r`
 * 2. torchrun's variables: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT (also of Kubernetes' PyTorchJob and Ray Train)
 * 3. mpirun (Open MPI): OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE
 * 4. Slurm: SLURM_PROCID, SLURM_NTASKS, SLURM_STEP_NODELIST
 * 5. Kubernetes' Indexed Jobs: JOB_COMPLETION_INDEX, with WORLD_SIZE and MASTER_ADDR in the manifest
 * 6. SkyPilot: SKYPILOT_NODE_RANK, SKYPILOT_NUM_NODES, SKYPILOT_NODE_IPS
 * 7. TF_CONFIG, its tasks of type worker
 *
 * The first that is there counts. MASTER_ADDR and MASTER_PORT, where given, say where to meet under 3 to 6 too.
 */
import { z } from 'zod';
import { UserError } from '../../shared/errors.js';

/** Where one member listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Launch {
  /** What said so, in words. */
  readonly by: string;
  readonly rank: number;
  readonly size: number;
  /** Everybody's address by rank; null: they meet at rank 0 and tell each other. */
  readonly members: readonly Address[] | null;
  /** Rank 0's. */
  readonly meeting: Address;
}

export type Variables = Readonly<Record<string, string | undefined>>;

interface LaunchFlags {
  readonly cluster?: string | null | undefined;
  readonly rank?: number | null | undefined;
}

/** Where members meet when nothing says a port: the one that PyTorch's launcher takes. */
const MEETING_PORT = 29500;
const MOST_MEMBERS = 1024;

const asList =
  'Give every process the same list and a rank of its own: --cluster host0:port,host1:port --rank 0, and --rank 1 on the other.';

/** Null: this process works alone. @throws UserError `bad_input` that names what does not fit */
export function launchOf(flags: LaunchFlags, variables: Variables): Launch | null {
  const launch = fromFlags(flags) ?? fromVariables(variables);
  return launch === null || launch.size === 1 ? null : launch;
}

function fromFlags({ cluster, rank }: LaunchFlags): Launch | null {
  const isRanked = rank !== null && rank !== undefined;
  if (cluster === null || cluster === undefined) {
    if (!isRanked) return null;
    throw wrong('--rank is given without --cluster', asList, 'rank');
  }
  const members = cluster.split(',').map((each) => addressOf(each.trim(), '--cluster', asList, 'cluster'));
  if (!isRanked) throw wrong('--cluster does not say which of its members this process is', asList, 'rank');
  return withList('--cluster', rank, members, 'cluster');
}

function fromVariables(variables: Variables): Launch | null {
  const has = (name: string) => (variables[name] ?? '') !== '';
  if (has('RANK') && has('WORLD_SIZE')) return meetingUp('torchrun’s variables', 'RANK', 'WORLD_SIZE', variables);
  if (has('OMPI_COMM_WORLD_RANK'))
    return meetingUp('mpirun', 'OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_SIZE', variables, mpirunHost);
  // Without a step it is the batch script itself, which is no task of srun.
  if (has('SLURM_PROCID') && has('SLURM_STEP_NODELIST'))
    return meetingUp('Slurm', 'SLURM_PROCID', 'SLURM_NTASKS', variables, slurmHost);
  if (has('JOB_COMPLETION_INDEX') && has('WORLD_SIZE'))
    return meetingUp('Kubernetes', 'JOB_COMPLETION_INDEX', 'WORLD_SIZE', variables);
  if (has('SKYPILOT_NODE_RANK'))
    return meetingUp('SkyPilot', 'SKYPILOT_NODE_RANK', 'SKYPILOT_NUM_NODES', variables, skypilotHost);
  return has('TF_CONFIG') ? fromTensorflow(variables['TF_CONFIG'] ?? '') : null;
}

/** @param usualHost where rank 0 is, when MASTER_ADDR does not say it; left out or undefined: on this machine */
function meetingUp(
  by: string,
  rankName: string,
  sizeName: string,
  variables: Variables,
  usualHost: (variables: Variables, size: number) => string | undefined = () => undefined,
): Launch {
  const read = (name: string, least: number, fallback?: number): number => {
    const written = variables[name] ?? '';
    if (written === '' && fallback !== undefined) return fallback;
    const value = Number(written);
    if (/^\d+$/.test(written) && value >= least) return value;
    const what = written === '' ? 'is not set' : `is ${JSON.stringify(written)}`;
    throw wrong(`${by}: ${name} ${what}, and not a whole number from ${least} on`, `Set ${name}, or ${lower(asList)}`);
  };
  const rank = read(rankName, 0);
  const size = read(sizeName, 1);
  mustBeAmong(by, rank, size);
  const host = variables['MASTER_ADDR'] || usualHost(variables, size) || '127.0.0.1';
  const given = read('MASTER_PORT', 1, MEETING_PORT);
  // torchrun's agent listens on the port itself then, and its workers are to talk to it.
  const port = variables['TORCHELASTIC_USE_AGENT_STORE'] === 'True' ? given + 1 : given;
  if (port > 65535) throw wrong(`${by}: MASTER_PORT is ${given}`, 'Choose a port below 65535.');
  return { by, rank, size, members: null, meeting: { host, port } };
}

/** mpirun says who is how many, and nothing of where, but whether all are on one machine. */
function mpirunHost(variables: Variables, size: number): undefined {
  const here = Number(variables['OMPI_COMM_WORLD_LOCAL_SIZE'] ?? size);
  if (here === size) return undefined;
  throw wrong(
    `mpirun: ${here} of ${size} ranks are on this machine, and nothing says where rank 0 is`,
    'Say it with mpirun -x MASTER_ADDR=<address of the first machine> …',
  );
}

const slurmHost = (variables: Variables): string | undefined => firstOfNodes(variables['SLURM_STEP_NODELIST'] ?? '');

/** The first host of Slurm's short form: `node[03-05,9],gpu1` is node03, node04, … */
export function firstOfNodes(list: string): string | undefined {
  const [, prefix = '', , range, suffix = ''] = /^([^[,]*)(\[([^\]]*)\])?([^,[]*)/.exec(list) ?? [];
  if (prefix === '' && range === undefined) return undefined;
  return range === undefined ? prefix : `${prefix}${/^\d+/.exec(range)?.[0] ?? ''}${suffix}`;
}

const skypilotHost = (variables: Variables): string | undefined =>
  (variables['SKYPILOT_NODE_IPS'] ?? '').split(/\s+/).find((each) => each !== '');

const tensorflowSchema = z.object({
  cluster: z.object({ worker: z.array(z.string()).min(1), chief: z.array(z.string()).length(1).optional() }),
  task: z.object({ type: z.enum(['worker', 'chief']), index: z.union([z.int(), z.string().regex(/^\d+$/)]) }),
});

function fromTensorflow(written: string): Launch {
  const hint =
    'TF_CONFIG is JSON: {"cluster": {"worker": ["host0:port", "host1:port"]}, "task": {"type": "worker", "index": 0}}';
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    throw wrong('TF_CONFIG is not JSON', hint);
  }
  const { data } = tensorflowSchema.safeParse(value);
  if (!data) throw wrong('TF_CONFIG does not list workers and say which of them this is', hint);
  const { worker, chief = [] } = data.cluster;
  const members = [...chief, ...worker].map((each) => addressOf(each, 'TF_CONFIG', hint));
  const { type, index } = data.task;
  return withList('TF_CONFIG', Number(index) + (type === 'worker' ? chief.length : 0), members);
}

function withList(by: string, rank: number, members: readonly Address[], field?: string): Launch {
  mustBeAmong(by, rank, members.length, field && 'rank');
  const names = members.map(({ host, port }) => `${host}:${port}`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw wrong(`${by} names ${twice} twice`, 'Give every member a port of its own.', field);
  return { by, rank, size: members.length, members, meeting: members[0] as Address };
}

function mustBeAmong(by: string, rank: number, size: number, field?: string): void {
  if (size > MOST_MEMBERS)
    throw wrong(`${by}: ${size} members, at most ${MOST_MEMBERS} can work together`, 'Start fewer.', field);
  if (rank < size) return;
  throw wrong(
    `${by}: this is rank ${rank}, and there are only ${size} members (ranks 0 to ${size - 1})`,
    'Ranks count from 0, and every process has another one.',
    field,
  );
}

/** `host:port`, of names and IPv4 addresses. */
function addressOf(written: string, by: string, hint: string, field?: string): Address {
  const [, host, port] = /^([A-Za-z0-9._-]+):(\d{1,5})$/.exec(written) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65535) return { host, port: Number(port) };
  throw wrong(`${by}: ${JSON.stringify(written)} is not host:port`, hint, field);
}

const lower = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1);

const wrong = (message: string, hint: string, field?: string) =>
  new UserError({ code: 'bad_input', message, hint, ...(field === undefined ? {} : { field }) });
