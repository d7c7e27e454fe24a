/**
 * How members find each other when only rank 0's place is known: everybody calls there, says which rank it is and where
 * it will listen, and is told where all others do. Both sides prove that they know the key (HMAC-SHA256 of what the other
 * has chosen), so that a stranger neither joins nor is joined. One line of JSON each way.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { UserError } from '../../shared/errors.js';
import type { Address, Launch } from './launch.js';

interface MeetingOptions {
  readonly launch: Launch;
  readonly key: Uint8Array;
  /** Milliseconds until the last one has to be there. */
  readonly patience: number;
  /** Refuses addresses. */
  allow(address: string): void;
}

const LINE = 2 ** 17;
const RETRY_MILLISECONDS = 200;
/** Milliseconds that a name may be unknown. */
const UNKNOWN_NAME = 30_000;

/** IPv4 addresses of all members by rank. @throws UserError `cluster` when somebody does not come in time */
export async function meet(options: MeetingOptions): Promise<readonly Address[]> {
  const { launch, allow } = options;
  if (launch.members) {
    const members = await Promise.all(launch.members.map(resolved));
    members.forEach(({ host }) => allow(host));
    return members;
  }
  return launch.rank === 0 ? receive(await meetingOf(options), options) : call(options);
}

/** Where to meet, by number. */
async function meetingOf({ launch, allow }: MeetingOptions): Promise<Address> {
  const meeting = await resolved(launch.meeting);
  allow(meeting.host);
  return meeting;
}

/** As above, of a machine that may have no name yet, or another number since: Kubernetes gives both when a pod begins. */
async function meetingSoon(options: MeetingOptions, until: number): Promise<Address> {
  for (;;) {
    try {
      return await meetingOf(options);
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
  } catch (error) {
    throw new UserError(
      {
        code: 'bad_input',
        message: `No address is known of ${host}`,
        hint: 'Check the name, or give its IPv4 address.',
      },
      { cause: error },
    );
  }
}

/** A port that is free there now. */
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

const proofOf = (key: Uint8Array, ...parts: readonly string[]) =>
  createHmac('sha256', key).update(parts.join('\n')).digest('hex');

const isProof = (given: string, wanted: string) =>
  given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));

/** The next line of a socket; null when it ends, or says too much. */
function nextLine(socket: Socket): Promise<string | null> {
  // Its end was told already, and is not told again.
  if (socket.destroyed) return Promise.resolve(null);
  return new Promise((resolve) => {
    let said = '';
    const end = (line: string | null) => {
      socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
      socket.on('error', () => undefined);
      resolve(line);
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      said += chunk;
      const at = said.indexOf('\n');
      if (at >= 0) end(said.slice(0, at));
      else if (said.length > LINE) end(null);
    });
    socket.on('close', () => end(null)).on('error', () => end(null));
  });
}

function parsed<T>(schema: z.ZodType<T>, line: string | null): T | null {
  if (line === null) return null;
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

const portSchema = z.int().min(1).max(65535);
const callSchema = z.object({
  rank: z.int().min(0),
  size: z.int(),
  port: portSchema,
  nonce: z.string().max(100),
  proof: z.string(),
});
const answerSchema = z.union([
  z.object({ members: z.array(z.object({ host: z.string(), port: portSchema })), proof: z.string() }),
  z.object({ refused: z.string() }),
]);

interface Caller {
  readonly socket: Socket;
  readonly address: Address;
  readonly nonce: string;
}

async function receive(meeting: Address, options: MeetingOptions): Promise<readonly Address[]> {
  const { launch, key, patience, allow } = options;
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
      const settle = (act: () => void) => (clearTimeout(timer), act());
      server.on('connection', (socket) => {
        greet(socket, size, key, (rank) => callers.has(rank))
          .then((caller) => {
            if (caller === null) return;
            allow(caller.address.host);
            callers.set(caller.rank, caller);
            // Started again, it calls again.
            socket.once('close', () => callers.delete(caller.rank));
            if (callers.size === size - 1) settle(resolve);
          })
          .catch((error: unknown) => settle(() => reject(error as Error)));
      });
    });
    const come = new Map(callers);
    const own = { host: meeting.host, port: await freePort(meeting.host) };
    const members = Array.from({ length: size }, (_, rank) => come.get(rank)?.address ?? own);
    for (const { socket, nonce } of come.values())
      say(socket, { members, proof: proofOf(key, 'members', nonce, JSON.stringify(members)) });
    return members;
  } catch (error) {
    for (const { socket } of callers.values()) say(socket, { refused: (error as Error).message });
    throw error;
  } finally {
    server.close();
  }
}

/** The last word. */
const say = (socket: Socket, answer: z.input<typeof answerSchema>) => socket.end(`${JSON.stringify(answer)}\n`);

/** Who calls; null for a stranger, who is not told why. */
async function greet(socket: Socket, size: number, key: Uint8Array, isTaken: (rank: number) => boolean) {
  const nonce = randomBytes(16).toString('hex');
  socket.setTimeout(5000, () => socket.destroy());
  socket.write(`${JSON.stringify({ nonce })}\n`);
  const said = parsed(callSchema, await nextLine(socket));
  const host = socket.remoteAddress;
  const wanted = said && proofOf(key, 'call', nonce, said.nonce, `${said.rank} ${said.size} ${said.port}`);
  if (said === null || wanted === null || host === undefined || !isProof(said.proof, wanted)) {
    socket.destroy();
    return null;
  }
  const refuse = (why: string) => {
    say(socket, { refused: why });
    return null;
  };
  if (said.size !== size)
    return refuse(`rank 0 was started as one of ${size}, rank ${said.rank} as one of ${said.size}`);
  if (said.rank < 1 || said.rank >= size || isTaken(said.rank)) return refuse(`there is a rank ${said.rank} already`);
  socket.setTimeout(0);
  return { rank: said.rank, socket, nonce: said.nonce, address: { host, port: said.port } };
}

async function call(options: MeetingOptions): Promise<readonly Address[]> {
  const { launch, key, patience, allow } = options;
  const { rank, size } = launch;
  const began = performance.now();
  const until = began + patience;
  while (performance.now() < until) {
    const meeting = await meetingSoon(options, began + Math.min(patience, UNKNOWN_NAME));
    const socket = await connected(meeting, until);
    if (socket === null) {
      await wait(RETRY_MILLISECONDS);
      continue;
    }
    // Not the socket's own timeout, which begins anew with each word.
    const late = setTimeout(() => socket.destroy(), Math.max(1, until - performance.now()));
    const greeting = parsed(z.object({ nonce: z.string().max(100) }), await nextLine(socket));
    const nonce = randomBytes(16).toString('hex');
    const port = await freePort(socket.localAddress ?? '127.0.0.1');
    const proof = proofOf(key, 'call', greeting?.nonce ?? '', nonce, `${rank} ${size} ${port}`);
    socket.write(`${JSON.stringify({ rank, size, port, nonce, proof })}\n`);
    const answer = parsed(answerSchema, await nextLine(socket));
    clearTimeout(late);
    socket.destroy();
    if (answer && 'refused' in answer) throw refused(answer.refused);
    if (answer && isProof(answer.proof, proofOf(key, 'members', nonce, JSON.stringify(answer.members)))) {
      answer.members.forEach(({ host }) => allow(host));
      return answer.members;
    }
    if (performance.now() < until) throw refused('it does not know this member’s key, or is no Verisim');
  }
  throw new UserError({
    code: 'cluster',
    message: `Rank 0 was not there at ${launch.meeting.host}:${launch.meeting.port} within ${Math.round(patience / 1000)} s`,
    hint: 'Start every rank; rank 0’s own output says why it did not come. MASTER_ADDR and MASTER_PORT must be the same for all.',
  });
}

/** @param until when to give up: where nothing comes back at all, the system itself tries for two minutes */
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
    message: `Rank 0 did not let this member in: ${why}`,
    hint: 'Start all ranks with the same command, the same number of them and the same VERISIM_CLUSTER_KEY.',
  });

const missing = (size: number, there: readonly number[], patience: number) => {
  const absent = Array.from({ length: size }, (_, rank) => rank).filter((rank) => !there.includes(rank));
  return new UserError({
    code: 'cluster',
    message: `Rank ${absent.join(', ')} of ${size} did not come within ${Math.round(patience / 1000)} s`,
    hint: 'Start every rank; its own output says why it did not come. --cluster_timeout waits longer.',
  });
};

const cannotListen = ({ host, port }: Address, cause: unknown) =>
  new UserError(
    {
      code: 'cluster',
      message: `Rank 0 cannot listen at ${host}:${port} (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`,
      hint: 'MASTER_ADDR must be an address of the machine of rank 0, and MASTER_PORT be free there.',
    },
    { cause },
  );
