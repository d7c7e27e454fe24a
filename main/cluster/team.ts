/**
 * A team on TensorFlow's collectives: what the engine sees as `Team`. One exchange at a time, in the order in which all
 * ranks make them; who waits for long asks whether the others are still there.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { UserError } from '../../shared/errors.js';
import type { RankTimes, Team } from '../engine/team.js';
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
  readonly stop: Team['stop'];
  /** Milliseconds after which all that pause ask each other whether they go on; left out: half a second. */
  readonly pausing?: number;
}

/** Numbers in one exchange: 64 MB. */
const MOST_NUMBERS = 2 ** 24;
/** When an exchange takes longer than this, the others are asked whether they are there, and again and again. */
const ASK_AFTER = 3000;
/** While they pause, ranks ask each other again after so many milliseconds: who is gone is missed then, too. */
const PAUSING = 500;
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
    /** What is exchanged meanwhile is nobody's waiting for others: they all wait, as they were asked to. */
    async aside(work: () => Promise<void>): Promise<void> {
      const before = waited;
      await work();
      waited = before;
    },
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

/** What travels with every exchange: what each wants to end, and how much rank 0 has to tell. */
type Wishes = readonly [requested: number, afterPhase: number, paused: number, news: number];
const WISHES = 4;

/**
 * What the ranks agree on within their exchanges: to end, to wait, and what rank 0 tells all of them. Whoever has the wishes of
 * all goes through `settle` before it goes on, so that every rank does so within the same exchange.
 */
function createAgreement(exchange: Exchange, { rank, stop, pausing = PAUSING }: TeamOptions) {
  const agreed = { requested: false, afterPhase: false, paused: false };
  const news: Uint8Array[] = [];
  let hear: (news: Uint8Array) => void = () => undefined;
  let isAgreed = false;
  const own = (): Wishes => [
    Number(stop.requested),
    Number(stop.afterPhase ?? false),
    Number(stop.paused ?? false),
    rank === 0 ? (news[0]?.length ?? 0) : 0,
  ];
  const take = async ([requested, afterPhase, paused, length]: Wishes): Promise<void> => {
    agreed.requested ||= requested > 0;
    agreed.afterPhase = afterPhase > 0;
    agreed.paused = paused > 0 && !agreed.requested;
    isAgreed = true;
    if (length > 0) hear(await shared(exchange, rank === 0, news.shift() ?? null, length));
  };
  /** @param wishes of all, added up or the greatest of them */
  const settle = async (wishes: Wishes): Promise<void> => {
    await take(wishes);
    if (!agreed.paused) return;
    await exchange.aside(async () => {
      while (agreed.paused) {
        await wait(pausing);
        const again = Float32Array.from(own());
        await exchange.run('CollectiveReduceV2', again);
        await take(wishesOf(again));
      }
    });
  };
  return {
    agreed,
    own,
    settle,
    /** Once: whether anything was exchanged since this was last asked. */
    isSettled(): boolean {
      const was = isAgreed;
      isAgreed = false;
      return was;
    },
    tell: (one: Uint8Array) => void news.push(one),
    onTold: (listener: typeof hear) => void (hear = listener),
  };
}

const wishesOf = ([requested = 0, afterPhase = 0, paused = 0, news = 0]: ArrayLike<number> &
  Iterable<number>): Wishes => [requested, afterPhase, paused, news];

/** What each has done with its time, told by each with its sums: in places of its own, where all others have nothing. */
function createTimes(size: number, rank: number, exchange: Exchange) {
  const ranks = Array.from({ length: size }, (): RankTimes => ({ waited: 0, computed: 0, tokens: 0 }));
  let own: RankTimes = { waited: 0, computed: 0, tokens: 0 };
  let told = own;
  return {
    ranks,
    computed(milliseconds: number, tokens: number): void {
      own = { ...own, computed: own.computed + milliseconds, tokens: own.tokens + tokens };
    },
    /** Since this was last asked. */
    since(): number[] {
      const now = { ...own, waited: exchange.waited() };
      const since = [now.waited - told.waited, now.computed - told.computed, now.tokens - told.tokens];
      told = now;
      return ranks.flatMap((_, of) => (of === rank ? since : since.map(() => 0)));
    },
    /** What all have told, rank by rank. */
    take(sums: readonly number[]): void {
      ranks.forEach((before, of) => {
        const [waited = 0, computed = 0, tokens = 0] = sums.slice(3 * of);
        ranks[of] = {
          waited: before.waited + waited,
          computed: before.computed + computed,
          tokens: before.tokens + tokens,
        };
      });
    },
  };
}

export function createTeam(options: TeamOptions): Team {
  const { rank, members, halved, every } = options;
  const size = members.length;
  const exchange = createExchange(options);
  const { agreed, own: wishes, settle, isSettled, tell, onTold } = createAgreement(exchange, options);
  /** What travels. New memory for every sum would take longer than to copy. */
  let scratch = new Float32Array();
  const times = createTimes(size, rank, exchange);

  return {
    rank,
    size,
    every,
    stop: agreed,
    ranks: times.ranks,
    places: members,
    computed: times.computed,
    tell,
    onTold,
    get waited() {
      return exchange.waited();
    },

    async sum(vector, numbers) {
      const own = [...numbers, ...wishes(), ...times.since()];
      const length = vector.length + own.length;
      if (scratch.length < length) scratch = new Float32Array(length);
      const all = scratch.subarray(0, length);
      all.set(vector);
      all.set(own, vector.length);
      const coarse = halved ? vector.length : 0;
      await sumUp(exchange, all.subarray(0, coarse), true);
      await sumUp(exchange, all.subarray(coarse), false);
      const others = Array.from(all.subarray(vector.length + numbers.length));
      times.take(others.slice(WISHES));
      const sums = {
        vector: all.subarray(0, vector.length),
        numbers: Array.from(all.subarray(vector.length, -others.length)),
      };
      await settle(wishesOf(others));
      return sums;
    },

    async gather(bytes) {
      const own = Int32Array.of(bytes.length, ...wishes());
      const heads = await exchange.run('CollectiveGatherV2', own, new Int32Array(own.length * size));
      const column = (at: number) => members.map((_, of) => heads[of * own.length + at] ?? 0);
      await settle(wishesOf([1, 2, 3, 4].map((at) => Math.max(...column(at)))));
      return gathered(exchange, bytes, column(0));
    },

    async share(bytes) {
      const given = bytes?.length ?? 0;
      const { numbers } = await this.sum(new Float32Array(), [given % 2 ** 20, Math.floor(given / 2 ** 20)]);
      const [low = 0, high = 0] = numbers;
      return shared(exchange, rank === 0, bytes, high * 2 ** 20 + low);
    },

    async agree() {
      if (!isSettled()) await this.sum(new Float32Array(), []);
      isSettled();
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
