/** Several ranks within one process: what each gives is laid together, once all have come to the same call. */
import type { Team } from '../../main/engine/team.js';
import type { Environment } from '../../main/engine/types.js';

export interface TestTeam extends Team {
  /** How many numbers this rank has given, call by call. */
  readonly given: number[];
}

/** @param stops what the person wants of each rank */
export function teamOf(stops: readonly Environment['stop'][], every: number): readonly TestTeam[] {
  const size = stops.length;
  let waiting: { readonly values: Uint8Array; resolve(all: readonly Uint8Array[]): void }[] = [];
  const slots: (Uint8Array | undefined)[] = [];
  const news: Uint8Array[] = [];
  const meet = (rank: number, values: Uint8Array) =>
    new Promise<readonly Uint8Array[]>((resolve) => {
      slots[rank] = values;
      waiting.push({ values, resolve });
      if (waiting.length < size) return;
      const all = slots.map((slot) => slot ?? new Uint8Array());
      const met = waiting;
      waiting = [];
      for (const each of met) each.resolve(all);
    });

  return stops.map((wanted, rank): TestTeam => {
    const given: number[] = [];
    const stop = { requested: false };
    let hear: (news: Uint8Array) => void = () => undefined;
    let [heard, isAgreed] = [0, false];
    return {
      ...{ rank, size, every, stop, given, waited: 0 },
      ranks: stops.map(() => ({ waited: 0, computed: 0, tokens: 0 })),
      places: stops.map((_, of) => `rank-${of}:1`),
      computed: () => undefined,
      tell: (one) => void news.push(one),
      onTold: (listener) => void (hear = listener),
      async sum(vector, numbers) {
        const own = Float32Array.of(...vector, ...numbers, Number(wanted.requested), rank === 0 ? news.length : 0);
        given.push(own.length - 2);
        const all = await meet(rank, new Uint8Array(own.buffer));
        const sums = new Float32Array(own.length);
        for (const bytes of all)
          new Float32Array(bytes.slice().buffer).forEach((one, at) => (sums[at] = (sums[at] ?? 0) + one));
        stop.requested ||= (sums.at(-2) ?? 0) > 0;
        for (const one of news.slice(heard, sums.at(-1))) hear(one);
        heard = sums.at(-1) ?? 0;
        isAgreed = true;
        return { vector: sums.subarray(0, vector.length), numbers: Array.from(sums.subarray(vector.length, -2)) };
      },
      gather: (bytes) => meet(rank, bytes),
      async share(bytes) {
        const [first = new Uint8Array()] = await meet(rank, bytes ?? new Uint8Array());
        return first;
      },
      async agree() {
        if (!isAgreed) await this.sum(new Float32Array(), []);
        isAgreed = false;
      },
    };
  });
}
