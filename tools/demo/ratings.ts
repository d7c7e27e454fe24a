/** The demonstration's blind rating: passages of a text and of two models, some of them rated already. */
import type { BlindPassage, RatedSource, Verdict } from '../../shared/contract/ratings.js';
import { naturalPiece, writtenAfter } from './text.js';
import { DemoFault, type DemoHandlers } from './transport.js';

type RatingHandlers = Pick<DemoHandlers, Extract<keyof DemoHandlers, `ratings.${string}`>>;

const sources = ['natural', 'base_model_v1', 'base_model_v2'];
/** Of passages of each source, how many somebody has taken for natural already. */
const before: Readonly<Record<string, readonly [taken: number, rated: number]>> = {
  natural: [15, 17],
  base_model_v1: [3, 16],
  base_model_v2: [9, 15],
};

function passage(at: number): BlindPassage & { readonly source: string } {
  const source = sources[(at * 7) % 3] ?? 'natural';
  const prompt = naturalPiece(at, 60);
  const piece = naturalPiece(at + 100, 200);
  const text = source === 'natural' ? piece : writtenAfter(prompt, 200, at, source.endsWith('1') ? 0.75 : 0.93);
  return { id: `passage-${at}`, source, prompt, text };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param begun whether passages are written already */
export function createDemoRatings(begun: (project: string) => boolean): RatingHandlers {
  const all = Array.from({ length: 12 }, (_, at) => passage(at));
  const said = new Map<string, Verdict>();
  const written = new Set<string>();
  const view = (id: string) => {
    const isThere = begun(id) || written.has(id);
    const waiting = isThere ? all.filter((one) => !said.has(one.id)) : [];
    return {
      waiting: waiting.map(({ id: name, prompt, text }) => ({ id: name, prompt, text })),
      rated: isThere ? said.size + 48 : 0,
      passages: isThere ? 20 : 0,
      missing: false,
    };
  };
  const row = (source: string): RatedSource => {
    const [taken, rated] = before[source] ?? [0, 0];
    const own = all.filter((one) => one.source === source && said.has(one.id));
    const natural = own.filter(({ id }) => said.get(id) === 'natural').length;
    const share = (taken + natural) / (rated + own.length);
    const interval = { low: Math.max(0, share - 0.19), high: Math.min(1, share + 0.18) };
    return { source, rated: rated + own.length, taken_for_natural: taken + natural, interval };
  };
  return {
    'ratings.get': ({ id }) => view(id),
    'ratings.write': async ({ id, passages }, call) => {
      for (let done = 0; done <= 3; done++) {
        call.progress({ done, total: 3 });
        await pause(200);
        // So many are never done, until somebody has had enough.
        while (passages === 100 && !call.cancelled()) await pause(50);
        if (call.cancelled())
          throw new DemoFault({ code: 'stopped', message: 'Cancelled.', hint: 'Nothing was changed.' });
      }
      written.add(id);
      return view(id);
    },
    'ratings.rate': ({ passage: name, verdict }) => {
      said.set(name, verdict);
      return {};
    },
    'ratings.withdraw': ({ passage: name }) => {
      said.delete(name);
      return {};
    },
    'ratings.report': () => ({ sources: sources.map(row), verdict: 'better', change: { low: 0.08, high: 0.64 } }),
    'ratings.opinion': async () => {
      await pause(300);
      return {
        model: 'reward_model_v1',
        sources: [
          { source: 'natural', natural: 0.71, interval: { low: 0.63, high: 0.79 } },
          { source: 'base_model_v1', natural: 0.34, interval: { low: 0.25, high: 0.43 } },
          { source: 'base_model_v2', natural: 0.58, interval: { low: 0.49, high: 0.67 } },
        ],
        taken: { natural: 0.68, generated: 0.41 },
      };
    },
  };
}
