/** The report's page: one file, complete, in which no text becomes markup. */
import { describe, expect, it } from 'vitest';
import { judgingReport } from '../../../main/engine/judging/report.js';
import { html } from '../../../main/formats/pages/html.js';
import { reportPage } from '../../../main/formats/ratings/report-page.js';
import { alarmMessage, verdictMessage } from '../../../shared/judging.js';
import { artefactNames } from '../../../shared/phases/artefacts.js';
import { inEnglish } from '../../support/messages.js';
import { judgedProject } from '../../engine/judging/judged.js';

describe('reportPage', () => {
  const report = judgingReport(judgedProject());
  const page = reportPage(report, 'en');
  const quoted = (name: string) => (name === 'natural' ? 'natural text' : artefactNames(inEnglish).quoted(name));

  it('states the results with the same messages as everywhere', () => {
    for (const { first, second, comparison } of report.comparisons) {
      expect(page).toContain(inEnglish(verdictMessage(comparison, { first: quoted(first), second: quoted(second) })));
    }
    expect(page).toContain(
      inEnglish(alarmMessage('people_say_worse', '“Model after cycle 2”', '“Model after cycle 1”')),
    );
    expect(page).toContain('(natural or not, known answers) are not counted: 7.');
    for (const heading of ['Which version is better', 'Reward and copying', 'stops being natural', 'Reliability']) {
      expect(page).toContain(heading);
    }
    expect(page).not.toMatch(/undefined|NaN|\[object/);
    expect(page.match(/<svg /g)).toHaveLength(1);
  });

  it('requests nothing and runs nothing', () => {
    expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(page).not.toMatch(
      /<script|<link|<img|<iframe|<form|javascript:|\bon\w+=|url\(|@import|\bsrc=|\bhref=|https?:/i,
    );
  });

  it('draws inside its charts, and closes what it opens', () => {
    for (const [, x = ''] of page.matchAll(/ (?:x1|x2|cx|x)="(-?[\d.]+)"/g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(0);
      expect(Number(x)).toBeLessThanOrEqual(720);
    }
    // What a label's letters take in Chromium: 6.9 of the drawing's units at most.
    for (const [, x = '', label = ''] of page.matchAll(/ class="label" x="([\d.]+)"[^>]*>([^<]*)</g))
      expect(Number(x), label).toBeGreaterThanOrEqual(6.9 * label.length);
    const open: string[] = [];
    for (const [, close, name = '', self] of page
      .replace('<!doctype html>', '')
      .matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/g)) {
      if (close === '/') expect(open.pop()).toBe(name);
      else if (self === '' && name !== 'meta') open.push(name);
    }
    expect(open).toEqual([]);
  });

  it('escapes names', () => {
    const nasty = `"><script>alert('1')</script>&`;
    const named = judgingReport({ ...judgedProject(nasty), project: nasty });
    const written = reportPage(named, 'en');
    expect(written).not.toMatch(/<script/i);
    expect(written).toContain('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;');
    expect(html`<p title="${nasty}">${[html`<b>${1}</b>`]}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;"><b>1</b></p>',
    );
  });

  it('states that nothing has been rated', () => {
    const none = { ...judgedProject(), votes: [], boundary: [], writing: [] };
    expect(reportPage(judgingReport(none), 'en')).toContain('Nothing has been rated yet.');
  });
});
