/** Implements the engine's `Team` with TensorFlow's collectives, one at a time in the same order on all ranks. */
import { localized } from '../../shared/messages/message.js';
import { UserError } from '../../shared/errors.js';
import type { Team } from '../engine/team.js';
import type { Collectives } from './native.js';
import { taskOf } from './server-def.js';

export interface TeamOptions {
  readonly collectives: Collectives;
  readonly rank: number;
  /** "host:port" by rank. */
  readonly members: readonly string[];
  /** Seconds after which a rank that takes no part counts as hung. */
  readonly timeout: number;
  /** Whether this process's user wants to stop. */
  readonly stop: Team['stop'];
}

/** Numbers in one exchange: 64 MB. */
const MOST_NUMBERS = 2 ** 24;
/** Milliseconds between two health checks, and the time limit of each. */
const CHECK_INTERVAL = 3000;
/** Health checks in a row without an answer after which a rank counts as gone. */
const MOST_SILENCES = 3;

type Numbers = Float32Array | Int32Array;

/** Creates a queue of collectives, numbered the same on every rank; after the first failure every call fails. */
function createExchange(options: TeamOptions) {
  const { collectives, members, timeout } = options;
  let [instance, waited] = [1, 0];
  let failure: UserError | null = null;
  return {
    waited: () => waited,
    /** @param into receives the result; by default `values` itself */
    async run<V extends Numbers>(op: Parameters<Collectives['run']>[0], values: V, into: V = values): Promise<V> {
      if (failure) throw failure;
      const startedAt = performance.now();
      const watch = watchOthers(options);
      try {
        return await collectives.run(op, values, into, members.length, 1, instance++, timeout);
      } catch (error) {
        throw (failure = lostRank(watch.silent() ?? (await findSilent(options)), members, timeout, error));
      } finally {
        watch.end();
        waited += performance.now() - startedAt;
      }
    },
  };
}

type Exchange = ReturnType<typeof createExchange>;

/** Sums up in place, in several exchanges if there are too many numbers for one. */
async function sumUp(exchange: Exchange, values: Float32Array): Promise<void> {
  for (let at = 0; at < values.length; at += MOST_NUMBERS)
    await exchange.run('CollectiveReduceV2', values.subarray(at, at + MOST_NUMBERS));
}

/** Gathers what each rank gives, with known lengths in bytes. */
async function gatherBytes(exchange: Exchange, bytes: Uint8Array, lengths: readonly number[]): Promise<Uint8Array[]> {
  const width = Math.ceil(Math.max(...lengths) / 4);
  const padded = new Uint8Array(width * 4);
  padded.set(bytes);
  const parts = lengths.map((length) => new Uint8Array(length));
  for (let at = 0; at < width; at += MOST_NUMBERS) {
    const piece = new Int32Array(padded.buffer).subarray(at, at + MOST_NUMBERS);
    const all = await exchange.run('CollectiveGatherV2', piece, new Int32Array(piece.length * lengths.length));
    parts.forEach((part, of) => {
      const from = new Uint8Array(all.buffer, all.byteOffset + of * piece.byteLength, piece.byteLength);
      part.set(from.subarray(0, Math.max(0, part.length - at * 4)), Math.min(at * 4, part.length));
    });
  }
  return parts;
}

async function broadcast(exchange: Exchange, isSender: boolean, bytes: Uint8Array | null, length: number) {
  const whole = new Uint8Array(Math.ceil(length / 4) * 4);
  if (bytes) whole.set(bytes);
  const numbers = new Int32Array(whole.buffer);
  for (let at = 0; at < numbers.length; at += MOST_NUMBERS) {
    const piece = numbers.subarray(at, at + MOST_NUMBERS);
    await exchange.run(isSender ? 'CollectiveBcastSendV2' : 'CollectiveBcastRecvV2', piece);
  }
  return whole.subarray(0, length);
}

export function createTeam(options: TeamOptions): Team {
  const { rank, members, stop } = options;
  const size = members.length;
  const exchange = createExchange(options);
  const agreed = { requested: false };
  let isAgreed = false;
  /** The request to stop travels with every exchange, so all ranks learn of it at the same one. */
  const agreeOn = (requests: number) => {
    agreed.requested ||= requests > 0;
    isAgreed = true;
  };
  /** Memory for the sums: allocating it for every sum would take longer than copying. */
  let scratch = new Float32Array();

  return {
    rank,
    size,
    stop: agreed,
    get waited() {
      return exchange.waited();
    },

    async sum(vector, numbers) {
      const length = vector.length + numbers.length + 1;
      if (scratch.length < length) scratch = new Float32Array(length);
      const all = scratch.subarray(0, length);
      all.set(vector);
      all.set([...numbers, Number(stop.requested)], vector.length);
      await sumUp(exchange, all);
      agreeOn(all[length - 1] ?? 0);
      return { vector: all.subarray(0, vector.length), numbers: Array.from(all.subarray(vector.length, -1)) };
    },

    async gather(bytes) {
      const own = Int32Array.of(bytes.length, Number(stop.requested));
      const heads = await exchange.run('CollectiveGatherV2', own, new Int32Array(own.length * size));
      const column = (at: number) => members.map((_, of) => heads[of * own.length + at] ?? 0);
      agreeOn(Math.max(...column(1)));
      return gatherBytes(exchange, bytes, column(0));
    },

    async share(bytes) {
      const length = bytes?.length ?? 0;
      const { numbers } = await this.sum(new Float32Array(), [length % 2 ** 20, Math.floor(length / 2 ** 20)]);
      const [low = 0, high = 0] = numbers;
      return broadcast(exchange, rank === 0, bytes, high * 2 ** 20 + low);
    },

    async agree() {
      if (!isAgreed) await this.sum(new Float32Array(), []);
      isAgreed = false;
    },
  };
}

const problemsOf = ({ collectives, rank, members }: TeamOptions): Promise<string[]> =>
  Promise.all(members.map((_, other) => (other === rank ? '' : collectives.health(taskOf(other), CHECK_INTERVAL))));

/** Checks during an exchange whether the others answer, and aborts the exchange if one does not. */
function watchOthers(options: TeamOptions) {
  const silences = options.members.map(() => 0);
  let isOver = false;
  let gone: number | null = null;
  const check = async (): Promise<void> => {
    const problems = await problemsOf(options);
    if (isOver) return;
    problems.forEach((problem, other) => (silences[other] = problem === '' ? 0 : (silences[other] ?? 0) + 1));
    const silent = silences.findIndex((count) => count >= MOST_SILENCES);
    if (silent < 0) return schedule();
    gone = silent;
    options.collectives.abort(`rank ${silent}`);
  };
  let timer: NodeJS.Timeout;
  const schedule = () => {
    timer = setTimeout(() => void check(), CHECK_INTERVAL);
  };
  schedule();
  return {
    silent: () => gone,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Finds the rank that does not answer after an exchange has failed: TensorFlow's error rarely names it. */
async function findSilent(options: TeamOptions): Promise<number | null> {
  const silent = (await problemsOf(options)).findIndex((problem) => problem !== '');
  return silent < 0 ? null : silent;
}

function lostRank(gone: number | null, members: readonly string[], timeout: number, cause: unknown): UserError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
  const message =
    gone !== null
      ? localized('cluster.silent', { rank: gone, address: members[gone] })
      : /timed out/i.test(reason)
        ? localized('cluster.noPart', { timeout })
        : localized('cluster.ended', { reason });
  return new UserError({ code: 'cluster', message, hint: localized('cluster.own_output_says_why_last') }, { cause });
}
