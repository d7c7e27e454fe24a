/** Joins the team that flags or environment describe: find the other members, start TensorFlow's server, create the team. */
import { localized } from '../../shared/messages/message.js';
import { networkInterfaces } from 'node:os';
import { UserError } from '../../shared/errors.js';
import type { Team } from '../engine/team.js';
import { mustBeAllowed } from './addresses.js';
import type { Launch } from './launch.js';
import { meet } from './meeting.js';
import { loadCollectives } from './native.js';
import { configProto, deviceOf, serverDef } from './server-def.js';
import { createTeam, type TeamOptions } from './team.js';

interface JoinOptions extends Pick<TeamOptions, 'timeout' | 'stop'> {
  readonly launch: Launch;
  readonly network: 'loopback' | 'trusted';
  /** collectives.node. */
  readonly collectivesPath: string;
}

/** Joins once per process, with TensorFlow loaded. @throws UserError `cluster` if a member does not come; `bad_input` */
export async function joinTeam(options: JoinOptions): Promise<Team> {
  const { launch, network, timeout, collectivesPath } = options;
  const { rank } = launch;
  const collectives = loadCollectives(collectivesPath);
  const found = await meet({ launch, patience: timeout * 1000, allow: (address) => mustBeAllowed(address, network) });
  const members = found.map(({ host, port }) => `${host}:${port}`);
  const own = found[rank];
  if (!own) throw new Error(`no address of rank ${rank}`);
  mustBeHere(own.host, rank);
  // gRPC would otherwise reach its peers through a proxy that the environment names.
  process.env['no_grpc_proxy'] = found.map(({ host }) => host).join();
  try {
    collectives.open(serverDef(members, rank), configProto(), deviceOf(rank), own.host, own.port);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = localized('cluster.rank_cannot_listen', { rank, host: own.host, port: own.port, error: reason });
    const hint = localized('cluster.another_program_may_listen_there');
    throw new UserError({ code: 'cluster', message, hint }, { cause: error });
  }
  return createTeam({ ...options, collectives, rank, members });
}

function mustBeHere(host: string, rank: number): void {
  if (host.startsWith('127.')) return;
  const here = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
  if (here.includes(host)) return;
  throw new UserError({
    code: 'bad_input',
    message: localized('cluster.address_rank_process_but_address', { host, rank }),
    hint: localized('cluster.machine_check_list_members_rank', { here: here.join(', ') }),
    field: 'rank',
  });
}
