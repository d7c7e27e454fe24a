/**
 * A team on TensorFlow's collectives: what the engine sees as `Team`. One exchange at a time, in the order in which all
 * ranks make them; who waits for long asks whether the others are still there.
 */
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
  /** Sums travel rounded to bfloat16. */
  readonly halved: boolean;
  /** Steps of base training that each takes by itself before weights are averaged. */
  readonly every: number;
  /** What the person wants here. */
  readonly stop: { readonly requested: boolean; readonly afterPhase?: boolean };
}

/** Numbers in one exchange: 64 MB. */
const MOST_NUMBERS = 2 ** 24;
/** When an exchange takes longer than this, the others are asked whether they are there, and again and again. */
const ASK_AFTER = 3000;
/** As many times in a row without an answer is too often. */
const MOST_SILENCES = 3;

type Numbers = Float32Array | Int32Array;

/** The collectives one after the other, numbered alike on every rank; the first that fails is the last. */
function createExchange(options: TeamOptions) {
  const { collectives, members, timeout } = options;
  let [instance, waited] = [1, 0];
  let failure: UserError | null = null;
  return {
    waited: () => waited,
    /** @param into where it goes; left out: in the place of what is given */
    async run<V extends Numbers>(
      op: Parameters<Collectives['run']>[0],
      values: V,
      into: V = values,
      half = false,
    ): Promise<V> {
      if (failure) throw failure;
      const began = performance.now();
      const watch = watchOthers(options);
      try {
        return await collectives.run(op, values, into, half, members.length, 1, instance++, timeout);
      } catch (error) {
        throw (failure = lost(watch.silent(), members, timeout, error));
      } finally {
        watch.end();
        waited += performance.now() - began;
      }
    },
  };
}

type Exchange = ReturnType<typeof createExchange>;

/** In place of what is given; in pieces, where there are too many numbers for one exchange. */
async function sumUp(exchange: Exchange, values: Float32Array, half: boolean): Promise<void> {
  for (let at = 0; at < values.length; at += MOST_NUMBERS) {
    const piece = values.subarray(at, at + MOST_NUMBERS);
    await exchange.run('CollectiveReduceV2', piece, piece, half);
  }
}

/** What each rank gives, where it is known how many bytes that are. */
async function gathered(exchange: Exchange, bytes: Uint8Array, lengths: readonly number[]): Promise<Uint8Array[]> {
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

async function shared(exchange: Exchange, isGiver: boolean, bytes: Uint8Array | null, length: number) {
  const whole = new Uint8Array(Math.ceil(length / 4) * 4);
  if (bytes) whole.set(bytes);
  const numbers = new Int32Array(whole.buffer);
  for (let at = 0; at < numbers.length; at += MOST_NUMBERS) {
    const piece = numbers.subarray(at, at + MOST_NUMBERS);
    await exchange.run(isGiver ? 'CollectiveBcastSendV2' : 'CollectiveBcastRecvV2', piece);
  }
  return whole.subarray(0, length);
}

export function createTeam(options: TeamOptions): Team {
  const { rank, members, halved, every, stop } = options;
  const size = members.length;
  const exchange = createExchange(options);
  const agreed = { requested: false, afterPhase: false };
  let isAgreed = false;
  /** What travels. New memory for every sum would take longer than to copy. */
  let scratch = new Float32Array();
  const waits = members.map(() => 0);
  let waitedBefore = 0;
  /** What each has waited since it last told: a place for each, where all others have nothing. */
  const waitedSince = () => {
    const since = exchange.waited() - waitedBefore;
    waitedBefore += since;
    return members.map((_, of) => (of === rank ? since : 0));
  };
  const flags = () => [Number(stop.requested), Number(stop.afterPhase ?? false)] as const;
  const take = (requested: number, afterPhase: number) => {
    agreed.requested ||= requested > 0;
    agreed.afterPhase = afterPhase > 0;
    isAgreed = true;
  };

  return {
    rank,
    size,
    every,
    stop: agreed,
    waits,
    get waited() {
      return exchange.waited();
    },

    async sum(vector, numbers) {
      const own = [...numbers, ...flags(), ...waitedSince()];
      const length = vector.length + own.length;
      if (scratch.length < length) scratch = new Float32Array(length);
      const all = scratch.subarray(0, length);
      all.set(vector);
      all.set(own, vector.length);
      const coarse = halved ? vector.length : 0;
      await sumUp(exchange, all.subarray(0, coarse), true);
      await sumUp(exchange, all.subarray(coarse), false);
      const others = Array.from(all.subarray(vector.length));
      const [requested = 0, afterPhase = 0, ...more] = others.slice(numbers.length);
      take(requested, afterPhase);
      more.forEach((milliseconds, of) => (waits[of] = (waits[of] ?? 0) + milliseconds));
      return { vector: all.subarray(0, vector.length), numbers: others.slice(0, numbers.length) };
    },

    async gather(bytes) {
      const own = Int32Array.of(bytes.length, ...flags());
      const heads = await exchange.run('CollectiveGatherV2', own, new Int32Array(own.length * size));
      const column = (at: number) => members.map((_, of) => heads[of * 3 + at] ?? 0);
      take(Math.max(...column(1)), Math.max(...column(2)));
      return gathered(exchange, bytes, column(0));
    },

    async share(bytes) {
      const given = bytes?.length ?? 0;
      const { numbers } = await this.sum(new Float32Array(), [given % 2 ** 20, Math.floor(given / 2 ** 20)]);
      const [low = 0, high = 0] = numbers;
      return shared(exchange, rank === 0, bytes, high * 2 ** 20 + low);
    },

    async agree() {
      if (!isAgreed) await this.sum(new Float32Array(), []);
      isAgreed = false;
    },
  };
}

/** While an exchange lasts: asks the others whether they are there, and gives the exchange up when one is not. */
function watchOthers({ collectives, rank, members }: TeamOptions) {
  const silences = members.map(() => 0);
  let isOver = false;
  let gone: number | null = null;
  const ask = async (): Promise<void> => {
    await Promise.all(
      members.map(async (_, other) => {
        if (other === rank || isOver) return;
        const problem = await collectives.health(taskOf(other), ASK_AFTER);
        silences[other] = problem === '' ? 0 : (silences[other] ?? 0) + 1;
      }),
    );
    if (isOver) return;
    const silent = silences.findIndex((count) => count >= MOST_SILENCES);
    if (silent >= 0) {
      gone = silent;
      collectives.abort(`rank ${silent} does not answer`);
    } else next();
  };
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(() => void ask(), ASK_AFTER);
  };
  next();
  return {
    silent: () => gone,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

function lost(gone: number | null, members: readonly string[], timeout: number, cause: unknown): UserError {
  const said = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
  const who = gone === null ? null : `Rank ${gone} (${members[gone] ?? ''}) does not answer any more`;
  const message = /timed out/i.test(said)
    ? `Another rank took no part for ${timeout} s`
    : `Another rank is gone (${said})`;
  return new UserError(
    {
      code: 'cluster',
      message: who ?? message,
      hint: 'Its own output says why. What was saved last is whole: start the ranks again, as many as you like, and the run resumes there.',
    },
    { cause },
  );
}
