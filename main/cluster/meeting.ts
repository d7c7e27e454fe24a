/** Exchanges members' addresses: every rank reports to rank 0, which replies with all of them. One line of JSON each way. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { toFault, UserError } from '../../shared/errors.js';
import { localized, type Message, messageSchema } from '../../shared/messages/message.js';
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
/** Milliseconds during which a host name may be unknown: Kubernetes names a pod only after it has started. */
const UNKNOWN_NAME = 30_000;

const portSchema = z.int().min(1).max(65535);
const callSchema = z.object({ verisim: z.literal('rank'), rank: z.int().min(0), size: z.int(), port: portSchema });
const replySchema = z.union([
  z.object({ members: z.array(z.object({ host: z.string(), port: portSchema })) }),
  z.object({ refused: messageSchema }),
]);

/** @returns IPv4 addresses of all members by rank @throws UserError `cluster` if a member does not come in time */
export async function meet(options: MeetingOptions): Promise<readonly Address[]> {
  const { launch } = options;
  if (launch.members) return Promise.all(launch.members.map((member) => allowedAddress(member, options)));
  return launch.rank === 0 ? receive(await allowedAddress(launch.meeting, options), options) : call(options);
}

async function allowedAddress({ host, port }: Address, { allow }: MeetingOptions): Promise<Address> {
  const { address } = await lookup(host, { family: 4 }).catch((cause: unknown) => {
    const hint = localized('cluster.check_give_ipv4_address');
    throw new UserError(
      { code: 'bad_input', message: localized('cluster.host_name_unknown', { host }), hint },
      { cause },
    );
  });
  allow(address);
  return { host: address, port };
}

const isUnknownName = (error: unknown) =>
  error instanceof UserError &&
  /^(ENOTFOUND|EAI_AGAIN)$/.test((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '');

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Reads one line of JSON; null if the socket ends first, the line is too long or does not fit. */
async function readLine<T>(socket: Socket, schema: z.ZodType<T>): Promise<T | null> {
  let text = '';
  try {
    for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) return schema.safeParse(JSON.parse(text.slice(0, end))).data ?? null;
      if (text.length > MOST_CHARACTERS) return null;
    }
  } catch {
    // The connection broke, or the line is not JSON.
  }
  return null;
}

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
  const server = createServer().listen(meeting.port, meeting.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw cannotListen(meeting, error);
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(missing(size, callers, patience)), patience);
      const admit = async (socket: Socket) => {
        const caller = await greet(socket, size, callers);
        if (caller === null) return;
        allow(caller.address.host);
        callers.set(caller.rank, caller);
        // A rank that dies while it waits may be started again.
        socket.once('close', () => callers.delete(caller.rank));
        if (callers.size < size - 1) return;
        clearTimeout(timer);
        resolve();
      };
      server.on('connection', (socket) => {
        admit(socket).catch((error: unknown) => {
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
    for (const { socket } of callers.values()) reply(socket, { refused: toFault(error).message as Message });
    throw error;
  } finally {
    server.close();
  }
}

/** Identifies a caller; null for one that is refused or is no member. */
async function greet(socket: Socket, size: number, callers: ReadonlyMap<number, Caller>): Promise<Caller | null> {
  socket.on('error', () => undefined);
  socket.setTimeout(GREETING_MILLISECONDS, () => socket.destroy());
  const request = await readLine(socket, callSchema);
  const host = socket.remoteAddress;
  if (request === null || host === undefined) {
    socket.destroy();
    return null;
  }
  const { rank, port } = request;
  const isFree = rank >= 1 && rank < size && !callers.has(rank);
  if (request.size !== size || !isFree) {
    const sizes = localized('cluster.sizes', { size, rank, other: request.size });
    reply(socket, { refused: request.size === size ? localized('cluster.taken', { rank }) : sizes });
    return null;
  }
  socket.setTimeout(0);
  return { rank, socket, address: { host, port } };
}

/** The other ranks' part. */
async function call(options: MeetingOptions): Promise<readonly Address[]> {
  const { launch, patience, allow } = options;
  const { rank, size, meeting } = launch;
  const startedAt = performance.now();
  const until = startedAt + patience;
  const mayBeUnknown = startedAt + Math.min(patience, UNKNOWN_NAME);
  while (performance.now() < until) {
    const address = await allowedAddress(meeting, options).catch((error: unknown) => {
      if (!isUnknownName(error) || performance.now() > mayBeUnknown) throw error;
      return null;
    });
    const socket = address && (await connected(address, until));
    if (!socket) {
      await wait(RETRY_MILLISECONDS);
      continue;
    }
    // The socket's own timeout would start again with every packet. A timer may fire before the clock reaches its time.
    const expiry = AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now())));
    expiry.addEventListener('abort', () => socket.destroy());
    const port = await freePort(socket.localAddress ?? '127.0.0.1');
    socket.write(`${JSON.stringify({ verisim: 'rank', rank, size, port })}\n`);
    const answer = await readLine(socket, replySchema);
    socket.destroy();
    if (answer && 'refused' in answer) throw refused(answer.refused);
    if (answer) {
      answer.members.forEach(({ host }) => allow(host));
      return answer.members;
    }
    if (!expiry.aborted) throw refused(localized('cluster.noVerisim'));
  }
  const found = { host: meeting.host, port: meeting.port, round: Math.round(patience / 1000) };
  throw new UserError({
    code: 'cluster',
    message: localized('cluster.rank_0_there_within_s', found),
    hint: localized('cluster.start_every_rank_rank_0s'),
  });
}

/** @param until when to give up: without any reply the system itself tries for two minutes */
async function connected(meeting: Address, until: number): Promise<Socket | null> {
  const socket = connect({ ...meeting, family: 4 });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(Math.max(1, Math.round(until - performance.now()))) });
  } catch {
    socket.destroy();
    return null;
  } finally {
    socket.on('error', () => undefined);
  }
  return socket;
}

const refused = (why: Message) =>
  new UserError({
    code: 'cluster',
    message: localized('cluster.rank_0_refused_member', { why }),
    hint: localized('cluster.start_all_ranks_same_command'),
  });

function missing(size: number, callers: ReadonlyMap<number, Caller>, patience: number): UserError {
  const absent = Array.from({ length: size }, (_, rank) => rank).filter((rank) => rank > 0 && !callers.has(rank));
  const found = { absent: absent.join(', '), size, round: Math.round(patience / 1000) };
  return new UserError({
    code: 'cluster',
    message: localized('cluster.rank_did_come_within_s', found),
    hint: localized('cluster.start_every_rank_own_output'),
  });
}

function cannotListen({ host, port }: Address, cause: unknown): UserError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new UserError(
    {
      code: 'cluster',
      message: localized('cluster.rank_0_cannot_listen', { host, port, code }),
      hint: localized('cluster.master_addr_must_address_machine'),
    },
    { cause },
  );
}
