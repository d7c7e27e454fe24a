/** tools/golden: what is normalised before two versions are compared, and what a comparison finds. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { artefactsOf } from '../../tools/golden/collect.mjs';
import { compareRecordings, madeSince, summaryLine } from '../../tools/golden/compare.mjs';
import { describeDifference } from '../../tools/golden/describe-difference.mjs';
import { eventFileText, maskedSum } from '../../tools/golden/event-file.mjs';
import { replaceValues } from '../../tools/golden/json-values.mjs';
import { normalisePath, normaliseText, sha256 } from '../../tools/golden/normalise.mjs';
import { plan } from '../../tools/golden/plan.mjs';

const where = { work: '/tmp/verisim-golden-1', repo: '/checkout' };
const bytes = (text: string) => new TextEncoder().encode(text);
const normalised = (text: string) => normaliseText(text, where);

it('replaces values of JSON and leaves every other byte', () => {
  const text = '{ "b" : [1.50, {"a":"x\\"}, "}],\n\t"a":\t-2e-5 , "c": null}\n';
  const seen: string[] = [];
  const put = replaceValues(text, (path, value) => {
    seen.push(`${path.join('.')}=${String(value)}`);
    return path.at(-1) === 'a' ? 'A' : undefined;
  });
  expect(put).toBe('{ "b" : [1.50, {"a":"A"}],\n\t"a":\t"A" , "c": null}\n');
  expect(seen).toEqual(['b.0=1.5', 'b.1.a=x"}, ', 'a=-0.00002', 'c=null']);
  expect(() => replaceValues('{"a":', () => undefined)).toThrow(SyntaxError);
});

it('normalises what the clock decides, and nothing else', () => {
  const row =
    '{"at":"2026-11-22T17:12:53.840Z","step":3,"values":{"loss":2.10,"tokens_per_second":8190.5,"mfu":0.3}}\n';
  expect(normalised(row)).toBe(
    '{"at":"<time>","step":3,"values":{"loss":2.10,"tokens_per_second":"<speed>","mfu":"<speed>"}}\n',
  );
  expect(normalised('{"verisim_version":"0.1.0","seconds":{"prepare":0.01,"base_training":null}}')).toBe(
    '{"verisim_version":"<version>","seconds":{"prepare":"<duration>","base_training":null}}',
  );
});

it('leaves out the events and lines that come and go', () => {
  const progress = (done: number) => `{"event":"progress","done":${done},"total":20,"rate":null,"seconds_left":0}\n`;
  const rows = `${progress(1)}${progress(20)}{"event":"checkpoint","step":2}\n{"event":"done"}\n`;
  expect(normalised(rows)).toBe(
    '{"event":"progress","done":20,"total":20,"rate":"<speed>","seconds_left":"<duration>"}\n{"event":"done"}\n',
  );
  const lines =
    'Evaluation: 100%, 32 of 32 samples, 3.5 samples/s\nGRPO: 20 %, 1 of 5 steps\n  Preparing: compiling the model for this\n✓ Done\n';
  expect(normalised(lines)).toBe('✓ Done\n');
  expect(normalised(`q to end?   Preparing: compiling the model for this\n`)).toBe('q to end? ');
});

it('permits no change that the version compared with has already', () => {
  const changes = ['2026-11-22T09:00', '2026-11-25T18:30'].map((made) => ({ path: 'a', made, reason: made }));
  const reasons = (time: string | null) => madeSince(changes, time).map(({ reason }) => reason);
  expect(reasons('2026-11-25T18:30')).toEqual(['2026-11-25T18:30']);
  expect(reasons('2026-11-25T18:31')).toEqual([]);
  expect(reasons('2026-11-21T00:00')).toHaveLength(2);
  expect(reasons(null)).toHaveLength(2);
  expect(madeSince([{ path: 'a', reason: 'random' }], '2026-11-25T18:31')).toHaveLength(1);
});

it('knows of each permitted change when it was made', () => {
  const url = new URL('../../tools/golden/changes.json', import.meta.url);
  for (const { path, made, reason } of JSON.parse(readFileSync(url, 'utf8')) as readonly Record<string, string>[])
    expect([path, made ?? '2026-11-25T18:30', reason]).toEqual([
      expect.stringMatching(/./),
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/),
      expect.stringMatching(/\.$/),
    ]);
});

it('replaces what is drawn anew, and how long it had trained, in what is printed', () => {
  const key = 'a0'.repeat(32);
  expect(normalised(`{"key": "${key}", "keys": "${key}"}`)).toBe(`{"key": "<key>", "keys": "${key}"}`);
  expect(normalised('  step 40, 0:02: Whale upon\n')).toBe('  step 40, <duration>: Whale upon\n');
});

it('replaces places, versions, speeds and stamps of files in any text', () => {
  expect(normalised('Read /tmp/verisim-golden-1/a/input.txt by verisim 0.1.0 at 2026-11-22 17:12')).toBe(
    'Read <work>/a/input.txt by verisim <version> at <time>',
  );
  expect(normalised('steps 40; 9,534 tokens a second, 60004 bytes, 1795367571767')).toBe(
    'steps 40; <speed> tokens a second, <bytes>, <time>',
  );
  expect(normalisePath('p/tensorboard/00-grpo/events.out.tfevents.1795367571.a.host-1.4242.0')).toBe(
    'p/tensorboard/00-grpo/events.out.tfevents.<time>.<host>.<pid>.0',
  );
});

/** A checkpoint whose state has a speed in it. */
function checkpoint(speed: string, weights: string) {
  const files = { 'state.json': `{"loss":1,"tokens_per_second":${speed}}\n`, 'weights.bin': weights };
  const entries = Object.entries(files).map(([name, text]) => [name, { bytes: text.length, sha256: sha256(text) }]);
  const manifest = JSON.stringify({ files: Object.fromEntries(entries) });
  return new Map(Object.entries({ ...files, 'manifest.json': manifest }).map(([name, text]) => [name, bytes(text)]));
}
const inFolder = (files: Map<string, Uint8Array>, folder: string) =>
  new Map([...files].map(([name, content]) => [`${folder}/${name}`, content]));
const hashes = (files: Map<string, Uint8Array>) =>
  Object.fromEntries([...artefactsOf(files, where)].map(([path, { hash }]) => [path, hash]));

it('normalises what a manifest notes of normalised files, where that is right', () => {
  const before = hashes(inFolder(checkpoint('812.5', 'W'), 'm'));
  expect(hashes(inFolder(checkpoint('9.25', 'W'), 'm'))).toEqual(before);
  const other = hashes(inFolder(checkpoint('9.25', 'V'), 'm'));
  expect(Object.keys(other).filter((path) => other[path] !== before[path])).toEqual([
    'm/weights.bin',
    'm/manifest.json',
  ]);
  const wrong = checkpoint('9.25', 'W');
  wrong.set('state.json', bytes('{"loss":1,"tokens_per_second":9.125}\n'));
  expect(hashes(inFolder(wrong, 'm'))['m/manifest.json']).not.toBe(before['m/manifest.json']);
});

it('takes archives apart', () => {
  const member = ([path, content]: readonly [string, Uint8Array]) => {
    const padded = Buffer.alloc(512 + 512 * Math.ceil(content.length / 512));
    padded.write(`top/${path}`, 0);
    padded.write(content.length.toString(8).padStart(11, '0'), 124);
    padded.write('0', 156);
    padded.write('ustar', 257);
    padded.set(content, 512);
    return padded;
  };
  const tar = (files: Map<string, Uint8Array>) => Buffer.concat([...[...files].map(member), Buffer.alloc(1024)]);
  const before = hashes(new Map([['p.tar', tar(checkpoint('812.5', 'W'))]]));
  expect(Object.keys(before)).toEqual([
    'p.tar',
    'p.tar!top/state.json',
    'p.tar!top/weights.bin',
    'p.tar!top/manifest.json',
  ]);
  expect(hashes(new Map([['p.tar', tar(checkpoint('9.25', 'W'))]]))).toEqual(before);
});

/** length, its checksum, the bytes, theirs */
function record(content: Uint8Array): Uint8Array {
  const whole = new Uint8Array(content.length + 16);
  const view = new DataView(whole.buffer);
  view.setBigUint64(0, BigInt(content.length), true);
  view.setUint32(8, maskedSum(whole.subarray(0, 8)), true);
  whole.set(content, 12);
  view.setUint32(12 + content.length, maskedSum(content), true);
  return whole;
}

it('reads event files without their times', () => {
  // RFC 3720, B.4: of 32 zeros; masked as TensorFlow does.
  expect(maskedSum(new Uint8Array(32))).toBe((((0x8a9136aa >>> 15) | (0x8a9136aa << 17)) + 0xa282ead8) >>> 0);
  const event = (time: number, ...rest: number[]) => {
    const wall = new Uint8Array(9);
    wall[0] = 9;
    new DataView(wall.buffer).setFloat64(1, time, true);
    return record(Uint8Array.from([...wall, ...rest]));
  };
  const scalar = [0x0a, 4, ...bytes('loss'), 0x15, 0, 0, 0xc0, 0x3f];
  const file = (time: number) => event(time, 16, 5, 0x2a, scalar.length + 2, 0x0a, scalar.length, ...scalar);
  expect(eventFileText(file(1))).toBe('record, checksums right\n  time\n  field 2: 5\n  loss = 1.5\n');
  expect(eventFileText(file(2))).toBe(eventFileText(file(1)));
  const damaged = file(1);
  damaged[20] = 1;
  expect(eventFileText(damaged)).toContain('WRONG');
});

const compared = (artefacts: Record<string, string>) => ({
  artefacts: Object.fromEntries(Object.entries(artefacts).map(([path, text]) => [path, sha256(text)])),
  texts: Object.fromEntries(Object.values(artefacts).map((text) => [sha256(text), text])),
});

it('finds what differs, is missing, is new, or lies elsewhere in the same run', () => {
  const before = compared({ 'a/x.json': '{"k":[1,2]}', 'a/old': 'O', 'a/gone': 'G', 'a/other': 'R', 'a/kept': 'K' });
  const after = compared({ 'a/x.json': '{"k":[1,3]}', 'a/sub/new': 'O', 'b/other': 'R', 'a/kept': 'K', 'a/born': 'B' });
  const comparison = compareRecordings(before, after, [
    { path: '*/gone', made: '2026-11-25T18:30', reason: 'is no longer written' },
    { path: 'b/**', made: '2026-11-22T09:00', reason: 'another run' },
  ]);
  expect(comparison.findings).toEqual([
    { kind: 'differs', path: 'a/x.json', details: ['k.1: 2 → 3'], permitted: null },
    { kind: 'moved', path: 'a/old', to: 'a/sub/new', details: [], permitted: null },
    { kind: 'missing', path: 'a/gone', details: [], permitted: 'is no longer written' },
    { kind: 'missing', path: 'a/other', details: [], permitted: null },
    { kind: 'new', path: 'b/other', details: [], permitted: 'another run' },
    { kind: 'new', path: 'a/born', details: [], permitted: null },
  ]);
  expect(summaryLine(comparison)).toBe(
    '1 artefacts the same, 2 differ (0 permitted), 2 missing (1 permitted), 2 new (1 permitted)',
  );
});

it('tells differences by key, by row and by line', () => {
  expect(describeDifference('{"a":1}\n{"b":2}\n', '{"a":1}\n{"b":2,"c":"x"}\n')).toEqual(['row 2.c: nothing → x']);
  expect(describeDifference('{"a":1,"b":2}', '{"b":2,"a":1}')).toEqual(['line 1: {"a":1,"b":2} → {"b":2,"a":1}']);
  expect(describeDifference('one\ntwo\nthree', 'one\n2\nthree')).toEqual(['line 2: two → 2']);
  expect(describeDifference('9 bytes\n', '9 bytes\n')).toEqual(['the same size, other bytes']);
});

it('has a plan whose names say which output is whose', () => {
  const names = plan.flatMap(({ name, steps }) => steps.map((step) => `${name}/${step.name}`));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(80);
});
