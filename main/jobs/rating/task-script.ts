/**
 * The script of an exported rating task: plain JavaScript without libraries, short enough for a rater to read.
 * Answers stay in the browser's storage until they are downloaded as a file; the words are data in the page (task-page.ts).
 */
export const taskScript = String.raw`'use strict';
const task = JSON.parse(document.getElementById('task').textContent);
const place = 'verisim-rating-' + task.task_id;
const words = JSON.parse(document.getElementById('words').textContent);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const count = (value) => value.toLocaleString(document.documentElement.lang);
const keys = { pair: [['1', 'first'], ['2', 'second'], ['0', 'tie'], ['9', 'both_bad']], boundary: [['n', 'never']] };

const stored = () => { try { return JSON.parse(localStorage.getItem(place)); } catch { return null; } };
const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(4)), (b) => b.toString(16).padStart(2, '0')).join('');
const state = Object.assign({ rater: '', rater_id: newId(), said: {}, order: [] }, stored());
let skipped = [], at = null, since = 0;
const keep = () => { try { localStorage.setItem(place, JSON.stringify(state)); } catch { /* the download still has them */ } };

function make(name, props, ...inside) {
  const one = document.createElement(name);
  for (const [key, value] of Object.entries(props || {})) {
    if (key === 'onclick') one.onclick = value;
    else if (value === true) one.setAttribute(key, '');
    else if (value !== false && value !== null) one.setAttribute(key, value);
  }
  one.append(...inside);
  return one;
}
const button = (label, key, act, more) => make('button', Object.assign({ type: 'button', onclick: act, 'aria-keyshortcuts': key || null }, more),
  label, ...(key ? [make('kbd', { 'aria-hidden': 'true' }, key)] : []));

const answered = () => Object.values(state.said).filter((one) => one.answer !== null).length;
const isAnswered = (q) => state.said[q.id] && state.said[q.id].answer !== null;
function current() {
  const open = task.questions.filter((q) => !isAnswered(q));
  const back = state.order.length && open.find((q) => q.id === state.back);
  return back || open.find((q) => !skipped.includes(q.id)) || (skipped = [], open[0]) || null;
}

function say(answer) {
  const q = current();
  if (!q) return;
  state.said[q.id] = { answer, seconds: Math.round((performance.now() - since) / 10) / 100, at: new Date().toISOString() };
  state.order.push(q.id);
  state.back = null;
  finish();
}
function undo() {
  const id = state.order.pop();
  if (!id) return;
  state.said[id] = Object.assign({}, state.said[id], { answer: null, at: new Date().toISOString() });
  state.back = id;
  finish();
}
function skip() { const q = current(); if (q) { skipped.push(q.id); state.back = null; show(); } }
function finish() { keep(); show(); }

async function sha256(text) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (b) => b.toString(16).padStart(2, '0')).join('');
}
async function result() {
  const given = task.questions.filter((q) => state.said[q.id]).map((q) => Object.assign({ question: q.id }, state.said[q.id]));
  const rows = given.map((one) => [one.question, one.answer, one.seconds, one.at]);
  const hash = await sha256(JSON.stringify([task.task_id, state.rater, state.rater_id, rows]));
  return JSON.stringify({ format: 'verisim-rating-result', format_version: 1, task_id: task.task_id, rater: state.rater,
    rater_id: state.rater_id, answers: rows.map(([question, answer, seconds, at]) => ({ question, answer, seconds, at })), hash }, null, 1);
}
async function download() {
  const link = make('a', { href: URL.createObjectURL(new Blob([await result()], { type: 'application/json' })),
    download: words.file + '-' + state.rater.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 30) + '-' + task.task_id.slice(0, 6) + '.json' });
  document.body.append(link); link.click(); link.remove();
}

const page = document.getElementById('page');
function show() {
  at = null; since = performance.now();
  if (!state.rater) return begin();
  const q = current(), done = answered(), total = task.questions.length;
  const end = make('div', { class: 'row' }, button(words.skip, 's', skip, { class: 'quiet', disabled: !q }),
    button(words.undo, 'b', undo, { class: 'quiet', disabled: state.order.length === 0 }),
    button(fill(words.download, { done: count(done) }), null, download, { disabled: done === 0 }));
  const rated = fill(words.rated, { rated: count(done), total: count(total) });
  const head = [make('h1', {}, q ? words.titles[task.task] : fill(words.thanks, { rater: state.rater })),
    make('p', { class: 'soft' }, rated), make('progress', { max: total, value: done, 'aria-label': rated })];
  if (!q) {
    page.replaceChildren(...head, make('p', {}, words.sendBack), end);
    return;
  }
  page.replaceChildren(...head, make('p', { class: 'soft' }, words.helps[task.task]), ...passage(q, done), make('div', { class: 'row' },
    ...(task.task === 'boundary' ? [button(words.confirm, 'Enter', confirm, { class: 'answer', id: 'confirm', disabled: true })] : []),
    ...keys[task.task].map(([key, answer]) => button(words.answers[answer], key, () => say(answer), { class: 'answer' }))), end);
  page.querySelector('[tabindex]').focus();
}
function passage(q, done) {
  const read = { class: 'card', tabindex: '0', 'aria-label': fill(words.passage, { number: count(done + 1) }) };
  if (q.task === 'pair') return [make('div', Object.assign(read, { role: 'group' }), '…' + q.prompt),
    make('div', { class: 'two' }, make('article', { class: 'card', 'aria-label': words.firstText }, '…' + q.first + '…'), make('article', { class: 'card', 'aria-label': words.secondText }, '…' + q.second + '…'))];
  return [make('div', Object.assign(read, { role: 'listbox' }), ...q.words.map((word, i) =>
    make('span', { role: 'option', class: 'word', id: 'word-' + i, 'aria-selected': 'false', onclick: () => (at === i ? confirm() : goTo(i)) }, word)))];
}
function goTo(wanted) {
  const q = current();
  if (!q || q.task !== 'boundary') return;
  at = Math.max(0, Math.min(q.words.length - 1, wanted));
  q.words.forEach((_, i) => {
    const word = document.getElementById('word-' + i);
    word.className = 'word' + (i >= at ? ' after' : '') + (i === at ? ' at' : '');
    word.setAttribute('aria-selected', String(i === at));
  });
  page.querySelector('[role=listbox]').setAttribute('aria-activedescendant', 'word-' + at);
  document.getElementById('confirm').disabled = false;
}
function confirm() { if (at !== null) say(at + 1); }
function begin() {
  const name = make('input', { id: 'name', maxlength: '60', autocomplete: 'off' });
  const go = () => { const given = name.value.trim(); if (given) { state.rater = given; keep(); show(); } };
  name.onkeydown = (event) => { if (event.key === 'Enter') go(); };
  page.replaceChildren(make('h1', {}, words.title), make('p', {}, words.titles[task.task] + ' ' + words.helps[task.task]),
    make('p', { class: 'soft' }, fill(words.length, { questions: count(task.questions.length) }) + ' ' + words.stored),
    make('p', {}, make('label', { for: 'name' }, words.name)), make('div', { class: 'row' }, name, button(words.begin, null, go)));
  name.focus();
}
document.addEventListener('keydown', (event) => {
  if (!state.rater || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'INPUT') return;
  if (event.key === 'Enter' && event.target.tagName === 'BUTTON') return;
  const typed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // Layouts that type no Latin letter or digit with a key: its place counts.
  const key = typed.length > 1 || /[a-z0-9]/.test(typed) ? typed : event.code.replace(/^(Key|Digit|Numpad)(?=.$)/, '').toLowerCase();
  const last = () => current().words.length - 1;
  const moves = task.task !== 'boundary' || !current() ? {} : { ArrowRight: () => goTo(at === null ? 0 : at + 1), ArrowLeft: () => goTo(at === null ? last() : at - 1),
    ArrowDown: () => goTo(at === null ? 0 : at + 10), ArrowUp: () => goTo(at === null ? last() : at - 10), Home: () => goTo(0), End: () => goTo(last()), Enter: confirm };
  const said = keys[task.task].find(([its]) => its === key);
  const act = said ? () => say(said[1]) : { s: skip, b: undo }[key] || moves[key];
  if (!act || (event.repeat && !key.startsWith('Arrow'))) return;
  event.preventDefault();
  act();
});
show();
`;
