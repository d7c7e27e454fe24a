/** The methods paragraph: who judged what, how blind, until when, and how sure the figures are. For a paper, with sources. */
import { MAX_VOTES, type Share } from '../../../shared/judging.js';
import { DECISIVE, MIXTURE } from '../../engine/judging/evidence.js';
import type { MethodsFacts } from '../../engine/judging/report.js';
import type { Language } from '../../../shared/language.js';
import { figuresIn, type Figures } from './figures.js';

/** Empty without a judgement. */
export function methodsParagraph(facts: MethodsFacts, language: Language): string {
  const figures = figuresIn(language);
  const parts = [who(facts, figures), ...pairsInWords(facts, figures), ...boundaryInWords(facts, figures)];
  const anything = facts.votes.length + facts.boundary.length + facts.singles > 0;
  return anything ? parts.filter((part) => part !== '').join(' ') : '';
}

const shareInWords = ({ share, of, interval }: Share, { percent, count, words: { methods } }: Figures): string =>
  share === null || interval === null
    ? methods.none
    : methods.share({
        share: percent(share),
        of: count(of),
        low: percent(interval.low),
        high: percent(interval.high),
      });

function who({ votes, boundary, singles }: MethodsFacts, { count, words: { methods } }: Figures): string {
  const raters = new Set([...votes, ...boundary].map(({ rater }) => rater)).size;
  const tasks = [
    { count: votes.length, words: methods.votes },
    { count: boundary.length, words: methods.answers },
    { count: singles, words: methods.judgements },
  ].flatMap((task) => (task.count === 0 ? [] : [task.words(count(task.count), task.count === 1)]));
  return methods.gave(raters === 0 ? methods.oneRater : methods.raters(count(raters), raters === 1), tasks);
}

function pairsInWords({ votes, set_aside, comparisons, trust }: MethodsFacts, figures: Figures): readonly string[] {
  if (votes.length === 0) return [];
  const { all, alpha, alpha_pairs } = trust;
  const { count, fixed } = figures;
  const { methods } = figures.words;
  const decided = comparisons.filter(({ comparison }) => comparison.decided !== null).length;
  const share = (of: Share) => shareInWords(of, figures);
  return [
    methods.pairs,
    all.left.of === 0 ? methods.sides : methods.sidesWith(share(all.left)),
    all.seconds === null ? '' : methods.seconds(fixed(1)(all.seconds)),
    methods.test({
      mixture: `${fixed(0)(MIXTURE)}, ${fixed(0)(MIXTURE)}`,
      decisive: count(DECISIVE),
      most: count(MAX_VOTES),
    }),
    methods.decided(count(decided), decided === 1, count(comparisons.length), comparisons.length === 1),
    methods.ratings,
    set_aside.again > 0 ? methods.again(count(set_aside.again), set_aside.again === 1) : '',
    all.self_agreement.of > 0 ? methods.same(share(all.self_agreement)) : '',
    all.known_right.of > 0 ? methods.known(share(all.known_right)) : '',
    alpha === null ? '' : methods.agreement(count(alpha_pairs), alpha_pairs === 1, fixed(2)(alpha)),
    methods.noneLeftOut,
  ];
}

function boundaryInWords({ boundary, judges }: MethodsFacts, figures: Figures): readonly string[] {
  const [people] = judges;
  if (boundary.length === 0 || people === undefined) return [];
  const { percent, words } = figures;
  const exact = shareInWords(people.exact, figures);
  return [words.methods.boundary(percent(people.error), exact, percent(people.exact_by_chance))];
}
