/** Files of Verisim's own, and other programs' config.json and index of shards: JSON that people edit and disks damage. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { decodeCheckpoint, encodeCheckpoint } from '../../../main/formats/checkpoint.js';
import { readHuggingFaceModel } from '../../../main/formats/huggingface.js';
import { openSafetensors } from '../../../main/formats/safetensors.js';
import { readShardIndex } from '../../../main/formats/safetensors-shards.js';
import { stableJson } from '../../../main/formats/stable-json.js';
import type { Json } from '../../../main/engine/types.js';
import { nodeFileOperations } from '../../../main/storage/disk/file-operations.js';
import { readJsonLines } from '../../../main/storage/disk/json-lines.js';
import { manifestText, readManifest } from '../../../main/storage/disk/manifest.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { readJournal } from '../../../main/storage/datasets/reward-dataset-journal.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { readRepositoryFile, sourceOf } from '../places.js';
import type { Subject } from '../subject.js';

const stable = (value: unknown): string => stableJson(JSON.parse(JSON.stringify(value)) as Json);
const defaults = projectConfigSchema.parse({ data_path: '/books/moby dick.txt' });
const project = { format_version: 1, verisim_version: '0.1.0', name: 'Moby Dick', config: defaults };
const checkpoint = encodeCheckpoint({
  weights: { w: { shape: [1], data: Float32Array.of(1) } },
  state: { step: 3, losses: [1.5, 2], note: { text: 'é' } },
});
const joined = (pieces: Iterable<Uint8Array> | undefined): Buffer => Buffer.concat([...(pieces ?? [])]);
const rowSchema = z.object({ step: z.number() });
const journal = [
  { format_version: 1, settings: { seed: 1, block_size: 8 } },
  { split: 'train', samples: 4, planned: 4, skipped: 0, x_sha256: 'a', y_sha256: 'b' },
  { split: 'val', samples: 1, planned: 2, skipped: 1, x_sha256: 'c', y_sha256: 'd' },
];
const lines = (rows: readonly object[]): Buffer => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
const gpt2 = readRepositoryFile('tests/parity/fixtures/foreign/gpt2/model.safetensors');
const fixtures = 'tests/parity/fixtures/llama';
const llama = readRepositoryFile(`${fixtures}/llama3/model.safetensors`);

type Kind =
  | 'project.json'
  | 'manifest.json'
  | 'state.json'
  | 'rows.jsonl'
  | 'journal.jsonl'
  | 'config.json'
  | 'llama.json'
  | 'index.json';
/** A hostile file's kind is how its name ends. */
const kindOf = (name: string): Kind => name.slice(name.lastIndexOf(' ') + 1) as Kind;

const readers: Readonly<Record<Kind, (bytes: Buffer, folder: string) => unknown>> = {
  'project.json': (_, folder) => {
    const { name, verisim_version, config } = openProject(folder);
    return [name, verisim_version, config];
  },
  'manifest.json': (_, folder) => readManifest(folder).files,
  'state.json': (bytes) =>
    decodeCheckpoint((file) => {
      const piece = file === 'state.json' ? bytes : checkpoint[file] && joined(checkpoint[file]);
      return piece === undefined ? null : sourceOf(piece);
    }).state,
  'rows.jsonl': (_, folder) => [...readJsonLines(join(folder, 'rows.jsonl'), (row) => rowSchema.parse(row))],
  'journal.jsonl': (_, folder) => readJournal(folder, nodeFileOperations),
  'config.json': (bytes) => {
    const { n_layer, n_head, n_embd, vocab_size } = readHuggingFaceModel(
      bytes.toString('utf8'),
      openSafetensors(gpt2),
      'gpt2',
    ).config;
    return [n_layer, n_head, n_embd, vocab_size];
  },
  'llama.json': (bytes) => {
    const { config } = readHuggingFaceModel(bytes.toString('utf8'), openSafetensors(llama), 'llama');
    return [config.n_layer, config.n_head, config.n_embd, config.vocab_size, config.llama?.n_inner];
  },
  'index.json': (bytes) => Object.fromEntries(readShardIndex(bytes.toString('utf8'), 'index.json')),
};

/** Without checks. */
const lenient: Readonly<Record<Kind, (text: string) => unknown>> = {
  'project.json': (text) => {
    const { name, verisim_version, config } = JSON.parse(text) as Record<string, unknown>;
    return [name, verisim_version, { ...projectConfigSchema.parse({}), ...(config as object) }];
  },
  'manifest.json': (text) => (JSON.parse(text) as Record<string, unknown>)['files'],
  'state.json': (text) => {
    const { format_version: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    return rest;
  },
  'rows.jsonl': (text) => wholeLines(text).map((line) => rowSchema.parse(JSON.parse(line))),
  'journal.jsonl': (text) => {
    const rows: unknown[] = [];
    for (const line of wholeLines(text)) {
      try {
        rows.push(JSON.parse(line));
      } catch {
        break;
      }
    }
    const [head, ...rest] = rows as [
      { format_version: unknown; settings: unknown } | undefined,
      ...Record<string, unknown>[],
    ];
    if (
      head?.format_version !== 1 ||
      typeof head.settings !== 'object' ||
      head.settings === null ||
      Array.isArray(head.settings)
    )
      return null;
    const isShard = (row: Record<string, unknown> | null) => row !== null && shardSchema.safeParse(row).success;
    const end = rest.findIndex((row) => !isShard(row));
    const shards = rest.slice(0, end < 0 ? rest.length : end).map((row) => shardSchema.parse(row));
    return { settings: head.settings, shards };
  },
  'config.json': (text) => {
    const { n_layer, n_head, n_embd, vocab_size } = JSON.parse(text) as Record<string, unknown>;
    return [n_layer, n_head, n_embd, vocab_size];
  },
  'llama.json': (text) => {
    const settings = JSON.parse(text) as Record<string, unknown>;
    const names = ['num_hidden_layers', 'num_attention_heads', 'hidden_size', 'vocab_size', 'intermediate_size'];
    return names.map((name) => settings[name]);
  },
  'index.json': (text) => (JSON.parse(text) as Record<string, unknown>)['weight_map'],
};
const count = z.int().min(0);
const shardSchema = z.object({
  split: z.enum(['train', 'val']),
  samples: count,
  planned: count,
  skipped: count,
  x_sha256: z.string(),
  y_sha256: z.string(),
});

const wholeLines = (text: string): string[] => text.split('\n').slice(0, -1);

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
const MB = 1 << 20;

export const jsonFiles: Subject = {
  name: 'json-files',
  samples: [
    { name: 'project.json', bytes: Buffer.from(stableJson(JSON.parse(JSON.stringify(project)) as Json, 2)) },
    {
      name: 'manifest.json',
      bytes: Buffer.from(
        manifestText({
          'weights.safetensors': { bytes: 12, sha256: 'a'.repeat(64) },
          'state.json': { bytes: 0, sha256: '0'.repeat(64) },
        }),
      ),
    },
    { name: 'state.json', bytes: joined(checkpoint['state.json']) },
    { name: 'rows.jsonl', bytes: lines([{ step: 1, loss: 2.5 }, { step: 2, text: 'é\n' }, { step: 3 }]) },
    { name: 'journal.jsonl', bytes: lines(journal) },
    { name: 'config.json', bytes: readRepositoryFile('tests/parity/fixtures/foreign/gpt2/config.json') },
    { name: 'llama.json', bytes: readRepositoryFile(`${fixtures}/llama3/config.json`) },
    { name: 'index.json', bytes: readRepositoryFile(`${fixtures}/qwen2/model.safetensors.index.json`) },
  ],
  bombs: {
    ...Object.fromEntries(
      (['project.json', 'manifest.json', 'state.json', 'config.json', 'llama.json', 'index.json'] as const).flatMap(
        (kind) => [
          [`nesting ${kind}`, () => Buffer.from(deep('[', ']', MB / 2))],
          [
            `objects in objects ${kind}`,
            () => Buffer.from(`{"format_version":1,"config":${'{"a":'.repeat(MB / 6)}1${'}'.repeat(MB / 6)}}`),
          ],
          [`many values ${kind}`, () => Buffer.from(`{"format_version":1,"x":[${'{},'.repeat(MB)}0]}`)],
          [`40 MB ${kind}`, () => Buffer.alloc(40 * MB, ' ')],
          [
            `a key twenty thousand times ${kind}`,
            () => Buffer.from(`{"format_version":2,${Array.from({ length: 20_000 }, (_, i) => `"k${i}":{}`).join()}}`),
          ],
          [
            `a long key ${kind}`,
            () => Buffer.from(`{"format_version":"${'x'.repeat(MB / 2)}","${'k'.repeat(MB / 2)}":1}`),
          ],
        ],
      ),
    ),
    'a long key in its config project.json': () =>
      Buffer.from(JSON.stringify({ ...project, config: { ...defaults, ['k'.repeat(100_000)]: 1 } })),
    'very many unknown settings project.json': () =>
      Buffer.from(
        JSON.stringify({
          ...project,
          config: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])),
        }),
      ),
    'very many wrong files manifest.json': () =>
      Buffer.from(`{"format_version":1,"files":{${Array.from({ length: 25_000 }, (_, i) => `"f${i}":{}`).join()}}}`),
    'a file outside of the folder manifest.json': () =>
      Buffer.from(manifestText({ '../x': { bytes: 0, sha256: '0'.repeat(64) } })),
    'a file that is a prototype manifest.json': () =>
      Buffer.from(`{"format_version":1,"files":{"__proto__":{"bytes":-1}}}`),
    'infinity state.json': () => Buffer.from('{"format_version":1e999}'),
    'a line of 30 MB rows.jsonl': () => Buffer.concat([Buffer.alloc(30 * MB, ' '), Buffer.from('\n')]),
    'no line end in 30 MB rows.jsonl': () => Buffer.alloc(30 * MB, ' '),
    'nesting rows.jsonl': () => Buffer.from(`{"step":1,"x":${deep('[', ']', MB)}}\n`),
    'many values rows.jsonl': () => Buffer.from(`{"step":1,"x":[${'{},'.repeat(MB)}0]}\n`),
    'layers beyond counting config.json': () =>
      Buffer.from('{"model_type":"gpt2","n_layer":1e15,"n_head":2,"n_embd":12,"n_positions":8,"vocab_size":11}'),
    'layers beyond counting llama.json': () =>
      Buffer.from(
        readRepositoryFile(`${fixtures}/llama3/config.json`)
          .toString()
          .replace(/("num_hidden_layers": )2/, '$11e15'),
      ),
    'a file outside of the folder index.json': () => Buffer.from('{"weight_map":{"w":"../w.safetensors"}}'),
    'very many files index.json': () =>
      Buffer.from(`{"weight_map":{${Array.from({ length: 50_000 }, (_, i) => `"t${i}":"f${i}.safetensors"`).join()}}}`),
    'a tensor that is a prototype index.json': () =>
      Buffer.from('{"weight_map":{"a":"x"},"__proto__":{"weight_map":1}}'),
    'a prototype config.json': () => Buffer.from('{"__proto__":{"model_type":"gpt2","n_layer":2}}'),
  },
  burdens: {
    'very many rows rows.jsonl': () => Buffer.from('{"step":1}\n'.repeat(50_000)),
    'keys that are prototypes state.json': () =>
      Buffer.from('{"format_version":1,"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}'),
    'rows with prototypes rows.jsonl': () => Buffer.from('{"__proto__":{"x":1},"step":1}\n'),
  },
  words: [
    '"__proto__":',
    '"constructor":',
    '{}',
    '[]',
    'null',
    '1e999',
    '-0',
    '"x":',
    ',',
    '\n',
    '\\ud800',
    '"config":',
    '"files":',
    '"format_version": 2,',
    'true',
  ],
  read(bytes, name, folder) {
    const kind = kindOf(name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, kind), bytes);
    return stable(readers[kind](bytes, folder));
  },
  again(bytes, name) {
    try {
      return stable(lenient[kindOf(name)](new TextDecoder().decode(bytes)));
    } catch {
      return null;
    }
  },
};
