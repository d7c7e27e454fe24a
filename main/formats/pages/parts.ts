/** Builds exported pages: their frame, whose policy forbids every request and script, style, tables. */
import type { Language } from '../../../shared/messages/catalogue.js';
import { html, Markup } from './html.js';
import { documentFormat } from './document.js';

const style = `:root{color-scheme:light dark;--ink:#1c1f23;--soft:#5b6470;--paper:#fff;--line:#d9dee4;--mark:#2563eb;--warn:#fff4e5;--edge:#b45309;--c1:#2563eb;--c2:#c2410c;--c3:#0f766e;--c4:#9333ea;--c5:#a16207;--c6:#be185d}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa4b1;--paper:#15181c;--line:#343a42;--mark:#7aa7ff;--warn:#33260f;--edge:#f0b35a;--c1:#7aa7ff;--c2:#f2966b;--c3:#4fc3b1;--c4:#c79bff;--c5:#e0b84e;--c6:#f48ab8}}
body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;padding:0 1.25rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2.2rem 0 .5rem}h3{font-size:1rem;margin:1.4rem 0 .4rem}p.soft,caption,figcaption{color:var(--soft)}figure{margin:1rem 0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}caption{text-align:left;padding-bottom:.3rem}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}tbody th{min-width:7rem}.scroll{overflow-x:auto;margin:.8rem 0}
.alarm{border-left:4px solid var(--edge);background:var(--warn);padding:.7rem 1rem}ul.verdicts{padding-left:1.2rem}
svg{width:100%;height:auto;font:13px system-ui,sans-serif}svg text{fill:var(--ink)}svg .label{text-anchor:end}svg .tick,svg .unit{text-anchor:middle;fill:var(--soft)}
.grid{stroke:var(--line)}.half{stroke:var(--soft);stroke-dasharray:4 4}.interval{stroke:var(--mark);stroke-width:3}.point{fill:var(--mark)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8rem}
.verdict{font-size:1.05rem;border-left:4px solid var(--mark);padding:.2rem 1rem;margin:1rem 0}svg .value{text-anchor:end;fill:var(--soft)}
.curve{fill:none;stroke-width:1.8}.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3)}.c4{stroke:var(--c4)}.c5{stroke:var(--c5)}.c6{stroke:var(--c6)}
.d1{stroke-dasharray:7 4}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:10 3 2 3}
ul.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;margin:.2rem 0;font-size:.85rem}ul.legend svg{width:1.6rem;height:.6rem;margin-right:.35rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));gap:0 1.5rem}figcaption b{color:var(--ink)}
.samples{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(17rem,100%),1fr));gap:1rem}blockquote{margin:.4rem 0;padding:.6rem .9rem;border:1px solid var(--line);border-radius:.4rem;font:1rem/1.6 Georgia,serif;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}`;

export function table(
  caption: string,
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heading.map((text) => html`<th scope="col">${text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = '', ...cells]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

interface Page {
  readonly language: Language;
  readonly title: string;
  readonly made: string;
  readonly parts: readonly Markup[];
  readonly data: string;
}

/** One self-contained page with its data as escaped text. */
export function page({ language, title, made, parts, data }: Page): string {
  const t = documentFormat(language);
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>${title}</title>
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <p class="soft">${made}</p>
        </header>
        <main>
          ${parts}
          <h2>${t('page.data')}</h2>
          <details>
            <summary>${t('page.asJson')}</summary>
            <pre id="data">${data}</pre>
          </details>
        </main>
      </body>
    </html> `.text;
}
