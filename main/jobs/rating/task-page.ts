/** Renders a rating task as one HTML file that opens from the disk without a network. */
import { createHash } from 'node:crypto';
import type { Language } from '../../../shared/messages/catalogue.js';
import type { ExportedTask } from '../../../shared/rating-task.js';
import { documentFormat } from '../../formats/pages/document.js';
import { taskScript } from './task-script.js';

const style = `:root{color-scheme:light dark;--ink:#1c1f23;--soft:#5a6470;--paper:#f5f6f6;--card:#fff;--line:#8a949e;--mark:#a8480c;--fill:#fbeadd;--key:#1d7f71}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a3adb8;--paper:#101515;--card:#181e1e;--line:#6b7680;--mark:#f2a66b;--fill:#452a16;--key:#45b9a6}}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:72rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.25rem;margin:0 0 .25rem}p{margin:.25rem 0}.soft{color:var(--soft);font-size:.875rem}[hidden]{display:none!important}
.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.25rem;font:1.0625rem/1.65 Georgia,serif;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;margin:.75rem 0}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:.75rem}.two .card{margin:0}
.row{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.9rem 0}button,input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.45rem;padding:.5rem .9rem}
button{cursor:pointer}button:disabled{opacity:.6;cursor:default}.answer{flex:1 1 10rem}kbd{font:.8rem monospace;border:1px solid var(--line);border-radius:.25rem;padding:0 .35rem;margin-left:.5rem}
:focus-visible{outline:2px solid var(--key);outline-offset:2px}.word{cursor:pointer;border-radius:.2rem}.word.after{background:var(--fill)}.word.at{color:var(--mark);font-weight:700}
progress{width:100%;height:.4rem;accent-color:var(--key)}.quiet{border-color:transparent;background:none}`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Serializes data so that it cannot close its script element. */
const asData = (value: object): string =>
  JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/[\u2028\u2029]/g, ' ');

/** Returns the page; its policy allows its own script and style, and no request. */
export function taskPage(task: ExportedTask, language: Language): string {
  const texts = taskTexts(language);
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(taskScript)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${texts.title}</title>
<style>${style}</style>
</head>
<body>
<main id="page"></main>
<script type="application/json" id="task">${asData(task)}</script>
<script type="application/json" id="words">${asData(texts)}</script>
<script>${taskScript}</script>
</body>
</html>
`;
}

/** Keeps a parameter of a text for the page's script. */
const later = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `{${name}}`]));

function taskTexts(language: Language) {
  const t = documentFormat(language);
  return {
    title: t('rating.title'),
    name: t('ratingTask.name'),
    begin: t('ratingTask.begin'),
    length: t('ratingTask.length', later('questions')),
    stored: t('ratingTask.stored'),
    titles: { pair: t('rating.question.pair'), boundary: t('rating.question.boundary') },
    helps: { pair: t('ratingTask.helps.pair'), boundary: t('ratingTask.helps.boundary') },
    answers: {
      first: t('rating.answers.first'),
      second: t('rating.answers.second'),
      tie: t('rating.answers.tie'),
      both_bad: t('rating.answers.both_bad'),
      never: t('rating.answers.never'),
    },
    confirm: t('rating.boundary.confirm'),
    firstText: t('rating.first'),
    secondText: t('rating.second'),
    passage: t('rating.passage', later('number')),
    rated: t('rating.progress', later('rated', 'total')),
    skip: t('rating.skip'),
    undo: t('rating.undo'),
    download: t('ratingTask.download', later('done')),
    file: t('ratingTask.file'),
    thanks: t('ratingTask.thanks', later('rater')),
    sendBack: t('ratingTask.sendBack'),
  };
}
