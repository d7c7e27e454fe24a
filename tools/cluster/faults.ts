/** Ranks that are killed or cut off at random moments: the others end in time and say so, and the run goes on exactly. */
import { createRandom } from '../../tests/crash/harness.js';
import { loopback, openNetwork, startRanks, type Place, type Started } from './start.js';
import { differenceFrom, finish, finished, lossesOf, PATIENCE, type Losses, type Workshop } from './workshop.js';

/** Ranks that are left have to end in a member's patience and so many seconds more, for starting and ending. */
const MORE = 40;

interface Fault {
  readonly place: Place;
  /** Whether who is struck goes on, and has to end as the others do. */
  readonly isSurvived: boolean;
  strike(started: readonly Started[], rank: number): void;
  mend(rank: number): void;
}

interface Strikes {
  readonly name: 'kills' | 'cuts';
  readonly count: number;
  readonly seed: number;
  /** Seconds that a run takes which nothing befalls. */
  readonly usual: number;
}

const words = (ends: Awaited<ReturnType<typeof finished>>) =>
  ends.map(({ code, output }, rank) => `rank ${rank}: code ${code}\n${output}`).join('\n');

/** One strike at a run that begins or is resumed. @returns the codes of those that were left */
async function strikeOnce({ args }: Workshop, out: string, fault: Fault, random: () => number, usual: number) {
  const size = 2 + Math.floor(random() * 2);
  const struck = Math.floor(random() * size);
  const started = await startRanks(size, (rank) => args(rank === 0 ? out : `${out}-away`), fault.place);
  const moment = random() * usual;
  await new Promise((resolve) => setTimeout(resolve, moment * 1000));
  fault.strike(started, struck);
  let isHung = false;
  const end = () => {
    isHung = true;
    started.forEach(({ child }) => child.kill('SIGKILL'));
  };
  const limit = setTimeout(end, (PATIENCE + MORE) * 1000);
  const began = performance.now();
  const outcomes = await finished(started);
  clearTimeout(limit);
  fault.mend(struck);
  const others = outcomes.filter((_, rank) => fault.isSurvived || rank !== struck);
  if (isHung || others.some(({ code }) => code !== 75 && code !== 0)) {
    const what = isHung ? 'ranks hung' : 'a rank ended otherwise than with code 75 or 0';
    throw new Error(`rank ${struck} of ${size} struck after ${moment.toFixed(1)} s: ${what}\n${words(outcomes)}`);
  }
  return { codes: others.map(({ code }) => code), seconds: (performance.now() - began) / 1000 };
}

/** @returns how many went wrong; each is printed, and the next begins a run of its own */
export async function strikeOften(
  workshop: Workshop,
  reference: Losses,
  { name, count, seed, usual }: Strikes,
  fault: Fault,
): Promise<number> {
  const random = createRandom(seed);
  let [largest, longest, early, runs, wrong] = [0, 0, 0, 0, 0];
  for (let done = 0; done < count; runs += 1) {
    const out = `${name}-${runs}`;
    try {
      for (let more = 1 + Math.floor(random() * 3); more > 0 && done < count; more -= 1) {
        done += 1;
        const { codes, seconds } = await strikeOnce(workshop, out, fault, random, usual);
        longest = Math.max(longest, seconds);
        if (codes.every((code) => code === 0)) early += 1;
      }
      await finish(workshop, out, 1 + Math.floor(random() * 3));
      largest = Math.max(largest, differenceFrom(reference, lossesOf(workshop, out)));
    } catch (error) {
      wrong += 1;
      console.log(`WRONG, ${out}: ${error instanceof Error ? error.message : String(error)}`);
    }
    console.log(
      `${done} of ${count} ${name}, ${wrong} wrong: ${runs + 1} runs finished, losses within ${largest.toExponential(1)}, all ended in ${longest.toFixed(1)} s, ${early} struck after the end`,
    );
  }
  return wrong;
}

/** With each rank in a network namespace of its own. */
export async function cutting(run: (fault: Fault) => Promise<number>): Promise<number> {
  const network = openNetwork(3);
  try {
    return await run({
      place: network.place,
      isSurvived: true,
      strike: (_, rank) => network.cut(rank, true),
      mend: (rank) => network.cut(rank, false),
    });
  } finally {
    network.close();
  }
}

export const killing: Fault = {
  place: loopback,
  isSurvived: false,
  strike: (started, rank) => started[rank]?.child.kill('SIGKILL'),
  mend: () => undefined,
};
