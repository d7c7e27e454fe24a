/** The cases of a subject, by number: hostile files, every cut, every byte of structure changed, then random damage. */
import { Draw, mutated } from './mutate.js';
import type { Sample, Subject } from './subject.js';

export interface Case {
  readonly kind: 'sample' | 'bomb' | 'burden' | 'cut' | 'flip' | 'random';
  /** For people: which file, and what was done to it. */
  readonly what: string;
  /** The file's name for the reader. */
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Cases {
  /** How many there are before the random ones, of which there are as many as one wants. */
  readonly fixed: number;
  /** How many of these are files made by hand, good or hostile; the others are cuts and changed bytes, like each other. */
  readonly made: number;
  at(index: number): Case;
}

/** One bit, and all of them. */
const masks = [0x01, 0xff] as const;

type Group = readonly [count: number, at: (index: number) => Case];

/** @param place the subject's place among all, which its random numbers depend on */
export function casesOf(subject: Subject, place: number, seed: number): Cases {
  const thorough = subject.samples.filter(({ onlyRandom }) => onlyRandom !== true);
  const made = [
    ...subject.samples.map((sample): Group => [
      1,
      () => ({ kind: 'sample', what: `${sample.name} as it is`, ...sample }),
    ]),
    ...hostile('bomb', subject.bombs),
    ...hostile('burden', subject.burdens ?? {}),
  ];
  const groups = [...made, ...thorough.map(cuts), ...thorough.map(flips)];
  const fixed = groups.reduce((sum, [count]) => sum + count, 0);
  const words = subject.words.map((word) => Buffer.from(word as Uint8Array));
  return {
    fixed,
    made: made.length,
    at(index) {
      let rest = index;
      for (const [count, at] of groups) {
        if (rest < count) return at(rest);
        rest -= count;
      }
      return random(subject, words, new Draw(seed, place, rest));
    },
  };
}

/** The cases from `from` to `to`: all that are made by hand, and of the others every so many. @param every at least 1 */
export function* some({ made }: Cases, from: number, to: number, every: number): Generator<number> {
  for (let index = from; index < to; index++) if (index < made || (index - made) % every === 0) yield index;
}

const hostile = (kind: 'bomb' | 'burden', files: Readonly<Record<string, () => Uint8Array>>): Group[] =>
  Object.entries(files).map(([name, make]) => [1, () => ({ kind, what: name, name, bytes: Buffer.from(make()) })]);

const cuts = ({ name, bytes }: Sample): Group => [
  bytes.length,
  (length) => ({
    kind: 'cut',
    what: `${name} cut to ${length} bytes`,
    name,
    bytes: Buffer.from(bytes.subarray(0, length)),
  }),
];

function flips({ name, bytes, structure = [[0, bytes.length]] }: Sample): Group {
  const count = structure.reduce((sum, [begin, end]) => sum + end - begin, 0);
  return [
    count * masks.length,
    (index) => {
      let at = Math.floor(index / masks.length);
      for (const [begin, end] of structure) {
        if (at < end - begin) {
          at += begin;
          break;
        }
        at -= end - begin;
      }
      const mask = masks[index % masks.length] ?? 1;
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ mask;
      return { kind: 'flip', what: `${name} with byte ${at} changed by 0x${mask.toString(16)}`, name, bytes: changed };
    },
  ];
}

function random({ samples, inside }: Subject, words: readonly Buffer[], draw: Draw): Case {
  const sample = draw.of(samples);
  const other = draw.of(samples);
  const { name } = sample;
  const kind = 'random';
  if (inside === undefined || draw.below(3) === 0) {
    return { kind, what: `${name} damaged`, name, bytes: mutated(sample.bytes, other.bytes, words, draw) };
  }
  const [own, others] = [inside.get(sample.bytes, name), inside.get(other.bytes, other.name)];
  const bytes = inside.put(mutated(own, others, words, draw), sample.bytes, name);
  return { kind, what: `${name} damaged inside`, name, bytes };
}
