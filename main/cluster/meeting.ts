/** Exchanges members' addresses: every rank reports to rank 0, which replies with all of them. One line of JSON each way. */
import { localized } from '../../shared/messages/message.js';
import { lookup } from 'node:dns/promises';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { UserError } from '../../shared/errors.js';
import type { Address, Launch } from './launch.js';

interface MeetingOptions {
  readonly launch: Launch;
  /** Milliseconds until the last member must have come. */
  readonly patience: number;
  /** Throws for an address that is not allowed. */
  allow(address: string): void;
}

const MOST_CHARACTERS = 2 ** 17;
const RETRY_MILLISECONDS = 200;
const GREETING_MILLISECONDS = 5000;
/** Milliseconds during which a host name may still be unknown. */
const UNKNOWN_NAME = 30_000;

/** @returns IPv4 addresses of all members by rank @throws UserError `cluster` if a member does not come in time */
export async function meet(options: MeetingOptions): Promise<readonly Address[]> {
  const { launch, allow } = options;
  if (launch.members) {
    const members = await Promise.all(launch.members.map(resolved));
    members.forEach(({ host }) => allow(host));
    return members;
  }
  return launch.rank === 0 ? receive(await meetingAddress(options), options) : call(options);
}

async function meetingAddress({ launch, allow }: MeetingOptions): Promise<Address> {
  const meeting = await resolved(launch.meeting);
  allow(meeting.host);
  return meeting;
}

/** Resolves the meeting's name again while it is unknown: Kubernetes names a pod only after it has started. */
async function meetingSoon(options: MeetingOptions, until: number): Promise<Address> {
  for (;;) {
    try {
      return await meetingAddress(options);
    } catch (error) {
      if (!isUnknownName(error) || performance.now() > until) throw error;
      await wait(RETRY_MILLISECONDS);
    }
  }
}

const isUnknownName = (error: unknown) =>
  error instanceof UserError &&
  /^(ENOTFOUND|EAI_AGAIN)$/.test((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '');

async function resolved({ host, port }: Address): Promise<Address> {
  try {
    return { host: (await lookup(host, { family: 4 })).address, port };
  } catch (cause) {
    throw new UserError(
      {
        code: 'bad_input',
        message: localized('cluster.host_name_unknown', { host }),
        hint: localized('cluster.check_give_ipv4_address'),
      },
      { cause },
    );
  }
}

async function freePort(host: string): Promise<number> {
  const server = createServer();
  await listening(server, { host, port: 0 });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const listening = (server: Server, { host, port }: Address) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });

/** Reads one line of JSON; null if the socket ends first, the line is too long or does not fit. */
function readLine<T>(socket: Socket, schema: z.ZodType<T>): Promise<T | null> {
  if (socket.destroyed) return Promise.resolve(null);
  return new Promise((resolve) => {
    let text = '';
    const end = (line: string | null) => {
      socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
      socket.on('error', () => undefined);
      resolve(line === null ? null : parsed(schema, line));
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const at = text.indexOf('\n');
      if (at >= 0) end(text.slice(0, at));
      else if (text.length > MOST_CHARACTERS) end(null);
    });
    socket.on('close', () => end(null)).on('error', () => end(null));
  });
}

function parsed<T>(schema: z.ZodType<T>, line: string): T | null {
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

const portSchema = z.int().min(1).max(65535);
const callSchema = z.object({ verisim: z.literal('rank'), rank: z.int().min(0), size: z.int(), port: portSchema });
const replySchema = z.union([
  z.object({ members: z.array(z.object({ host: z.string(), port: portSchema })) }),
  z.object({ refused: z.string() }),
]);

const reply = (socket: Socket, value: z.input<typeof replySchema>) => socket.end(`${JSON.stringify(value)}\n`);

interface Caller {
  readonly rank: number;
  readonly socket: Socket;
  readonly address: Address;
}

/** Rank 0's part: waits for every other rank and replies with all addresses. */
async function receive(meeting: Address, { launch, patience, allow }: MeetingOptions): Promise<readonly Address[]> {
  const { size } = launch;
  const callers = new Map<number, Caller>();
  const server = createServer();
  try {
    await listening(server, meeting);
  } catch (error) {
    throw cannotListen(meeting, error);
  }
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(missing(size, [0, ...callers.keys()], patience)), patience);
      server.on('connection', (socket) => {
        greet(socket, size, (rank) => callers.has(rank))
          .then((caller) => {
            if (caller === null) return;
            allow(caller.address.host);
            callers.set(caller.rank, caller);
            // A rank that dies while it waits may be started again.
            socket.once('close', () => callers.delete(caller.rank));
            if (callers.size < size - 1) return;
            clearTimeout(timer);
            resolve();
          })
          .catch((error: unknown) => {
            clearTimeout(timer);
            reject(error as Error);
          });
      });
    });
    const present = new Map(callers);
    const own = { host: meeting.host, port: await freePort(meeting.host) };
    const members = Array.from({ length: size }, (_, rank) => present.get(rank)?.address ?? own);
    for (const { socket } of present.values()) reply(socket, { members });
    return members;
  } catch (error) {
    for (const { socket } of callers.values()) reply(socket, { refused: (error as Error).message });
    throw error;
  } finally {
    server.close();
  }
}

/** Identifies a caller; null for one that is refused or is no member. */
async function greet(socket: Socket, size: number, isTaken: (rank: number) => boolean): Promise<Caller | null> {
  socket.setTimeout(GREETING_MILLISECONDS, () => socket.destroy());
  const request = await readLine(socket, callSchema);
  const host = socket.remoteAddress;
  if (request === null || host === undefined) {
    socket.destroy();
    return null;
  }
  const { rank, port } = request;
  const refuse = (why: string) => {
    reply(socket, { refused: why });
    return null;
  };
  if (request.size !== size)
    return refuse(`rank 0 was started as one of ${size}, rank ${rank} as one of ${request.size}`);
  if (rank < 1 || rank >= size || isTaken(rank)) return refuse(`there is a rank ${rank} already`);
  socket.setTimeout(0);
  return { rank, socket, address: { host, port } };
}

/** The other ranks' part. */
async function call(options: MeetingOptions): Promise<readonly Address[]> {
  const { launch, patience, allow } = options;
  const { rank, size } = launch;
  const startedAt = performance.now();
  const until = startedAt + patience;
  while (performance.now() < until) {
    const meeting = await meetingSoon(options, startedAt + Math.min(patience, UNKNOWN_NAME));
    const socket = await connected(meeting, until);
    if (socket === null) {
      await wait(RETRY_MILLISECONDS);
      continue;
    }
    // The socket's own timeout would start again with every packet.
    const late = setTimeout(() => socket.destroy(), Math.max(1, until - performance.now()));
    const port = await freePort(socket.localAddress ?? '127.0.0.1');
    socket.write(`${JSON.stringify({ verisim: 'rank', rank, size, port })}\n`);
    const answer = await readLine(socket, replySchema);
    clearTimeout(late);
    socket.destroy();
    if (answer && 'refused' in answer) throw refused(answer.refused);
    if (answer) {
      answer.members.forEach(({ host }) => allow(host));
      return answer.members;
    }
    if (performance.now() < until) throw refused('the connection ended, or the program there is not Verisim');
  }
  throw new UserError({
    code: 'cluster',
    message: localized('cluster.rank_0_there_within_s', {
      host: launch.meeting.host,
      port: launch.meeting.port,
      round: Math.round(patience / 1000),
    }),
    hint: localized('cluster.start_every_rank_rank_0s'),
  });
}

/** @param until when to give up: without any reply the system itself tries for two minutes */
const connected = (meeting: Address, until: number) =>
  new Promise<Socket | null>((resolve) => {
    const socket = connect({ ...meeting, family: 4 });
    const end = (found: Socket | null) => {
      clearTimeout(late);
      resolve(found);
    };
    const late = setTimeout(() => (socket.destroy(), end(null)), Math.max(1, until - performance.now()));
    socket.once('connect', () => end(socket));
    socket.once('error', () => end(null));
  });

const refused = (why: string) =>
  new UserError({
    code: 'cluster',
    message: localized('cluster.rank_0_refused_member', { why }),
    hint: localized('cluster.start_all_ranks_same_command'),
  });

function missing(size: number, present: readonly number[], patience: number): UserError {
  const absent = Array.from({ length: size }, (_, rank) => rank).filter((rank) => !present.includes(rank));
  return new UserError({
    code: 'cluster',
    message: localized('cluster.rank_did_come_within_s', {
      absent: absent.join(', '),
      size,
      round: Math.round(patience / 1000),
    }),
    hint: localized('cluster.start_every_rank_own_output'),
  });
}

const cannotListen = ({ host, port }: Address, cause: unknown) =>
  new UserError(
    {
      code: 'cluster',
      message: localized('cluster.rank_0_cannot_listen', {
        host,
        port,
        code: (cause as NodeJS.ErrnoException).code ?? String(cause),
      }),
      hint: localized('cluster.master_addr_must_address_machine'),
    },
    { cause },
  );
