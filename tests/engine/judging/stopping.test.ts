/** What a project does with votes, and the alarm where people and the reward model differ. */
import { describe, expect, it } from 'vitest';
import { compare, projectStop } from '../../../main/engine/judging/comparison.js';
import { alarmOf } from '../../../main/engine/judging/report.js';
import { votesBetween, type PairVote } from '../../../main/engine/judging/votes.js';
import { alarmMessage, MAX_VOTES, projectStopSchema } from '../../../shared/judging.js';
import { inEnglish } from '../../support/messages.js';
import { votesOf } from './judged.js';

const votes = (first: string, second: string, letters: string) => votesOf(letters, first, second);

describe('projectStop', () => {
  const stop = (cast: readonly PairVote[]) => projectStopSchema.parse(projectStop(cast, 'v3', 'v2'));

  it('continues if the newest is better, ends where it is not, waits where it is not known', () => {
    expect(stop(votes('v3', 'v2', 'w'.repeat(12)))).toEqual({ verdict: 'better' });
    expect(stop(votes('v2', 'v3', 'w'.repeat(12)))).toEqual({ verdict: 'not_better', because: 'worse' });
    expect(stop(votes('v3', 'v2', 'wl'.repeat(200)))).toEqual({ verdict: 'not_better', because: 'no_difference' });
    expect(stop(votes('v3', 'v2', 't'.repeat(MAX_VOTES)))).toEqual({ verdict: 'not_better', because: 'no_difference' });
  });

  it('says how many votes it waits for, always at least one', () => {
    const at = (letters: string) => stop(votes('v3', 'v2', letters));
    const none = at('');
    expect(none.verdict === 'waiting' && none.votes_left > 20 && none.votes_left < 200).toBe(true);
    // Too close to predict: the most that there can be.
    const close = at('wl'.repeat(80));
    expect(close).toEqual({ verdict: 'waiting', votes_left: MAX_VOTES - 160 });
    let waited = 0;
    for (let letters = 'wl'; at(letters).verdict === 'waiting'; letters += 'w') {
      const now = at(letters);
      if (now.verdict === 'waiting') expect(now.votes_left).toBeGreaterThan(0);
      waited++;
    }
    expect(waited).toBeGreaterThan(5);
  });

  it('listens only to votes on these two', () => {
    expect(stop([...votes('v2', 'v1', 'l'.repeat(40)), ...votes('v3', 'v2', 'w'.repeat(12))])).toEqual({
      verdict: 'better',
    });
  });
});

describe('alarmOf', () => {
  const people = (letters: string) => compare(votesBetween(votes('v3', 'v2', letters), 'v3', 'v2'));
  const better = { low: 0.01, high: 0.05 };

  it('is raised where the reward rises and people do not follow', () => {
    expect(alarmOf(better, people('l'.repeat(12)))).toBe('people_say_worse');
    expect(alarmOf(better, people('wl'.repeat(200)))).toBe('people_see_no_difference');
    expect(inEnglish(alarmMessage('people_say_worse', 'version 3', 'version 2'))).toContain('readers prefer version 2');
  });

  it('is not raised by too few votes, by agreement, or by a reward that did not rise', () => {
    expect(alarmOf(better, people('lll'))).toBeNull();
    expect(alarmOf(better, people('w'.repeat(12)))).toBeNull();
    expect(alarmOf({ low: -0.01, high: 0.05 }, people('l'.repeat(12)))).toBeNull();
    expect(alarmOf(null, people('l'.repeat(12)))).toBeNull();
  });
});
