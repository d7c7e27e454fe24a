// The walls of the house: which room may import what (docs/architecture.md), as an ESLint rule. A room is a folder, or the
// files directly in it where its own rooms are listed too. Whatever a room does not name here it must not import, types
// included: knowledge that two rooms share belongs into the lower one.
import { existsSync } from 'node:fs';
import path from 'node:path';

const tfjs = ['@tensorflow/*'];
const node = ['node:*'];
const engine = ['main/engine'];
const storage = ['disk', 'hub', 'texts', 'datasets', 'projects'].map((room) => `main/storage/${room}`);
const formats = ['', '/gguf', '/pages', '/pickle', '/ratings', '/report', '/tokenizer', '/torch'].map(
  (room) => `main/formats${room}`,
);
const engineRooms = [
  'tokenizer',
  'statistics',
  'taste',
  'judging',
  'model',
  'parallel',
  'train',
  'generate',
  'reward',
  'grpo',
  'voice',
  'cycle',
].map((name) => `main/engine/${name}`);
const jobs = [
  '',
  '/cluster',
  '/machine',
  '/run',
  '/export',
  '/rating',
  '/writing',
  '/commands',
  '/project',
  '/report',
].map((room) => `main/jobs${room}`);

/** Each may import those before it. */
const sharedRooms = [
  ...['shared/base', 'shared/messages', 'shared', 'shared/config', 'shared/architectures', 'shared/costs'],
  ...['shared/phases', 'shared/reports', 'shared/contract', 'shared/client', 'shared/models'],
];

/** The rooms of the engine below `name`. */
const belowInEngine = (/** @type {string} */ name) => engineRooms.slice(0, engineRooms.indexOf(`main/engine/${name}`));

/** What every room of the engine may import besides rooms below it. */
const engineGround = ['shared', 'main/engine', 'main/engine/runtime', ...tfjs];

/**
 * From a room to what it may import besides itself: rooms, and packages by name. `package.json` is the version.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const rooms = {
  ...Object.fromEntries(sharedRooms.map((room, at) => [room, ['zod', ...sharedRooms.slice(0, at)]])),
  'shared/messages': ['zod', 'shared/base', 'intl-messageformat', 'resources/locales/en.json'],

  'main/engine/runtime': ['shared', ...tfjs],
  'main/engine': ['shared', 'main/engine/runtime'],
  'main/engine/tokenizer': ['shared', 'main/engine', 'gpt-tokenizer/*'],
  ...Object.fromEntries(
    engineRooms
      .filter((room) => room !== 'main/engine/tokenizer')
      .map((room) => [room, [...engineGround, ...belowInEngine(path.posix.basename(room))]]),
  ),

  'main/formats': [
    'main/formats/tokenizer',
    'shared',
    'zod',
    'crc-32',
    'crc-32/*',
    ...engine,
    'main/engine/model',
    'main/engine/tokenizer',
    'main/formats/torch',
  ],
  'main/formats/gguf': [
    'shared',
    'node:crypto',
    'main/formats',
    'main/formats/tokenizer',
    'main/engine',
    'main/engine/tokenizer',
  ],
  'main/formats/tokenizer': [
    ...['shared', 'zod', '@huggingface/tokenizers', 'main/formats', 'main/engine', 'main/engine/tokenizer'],
  ],
  'main/formats/pickle': ['shared', 'main/formats', 'main/engine/tokenizer'],
  'main/formats/pages': ['shared'],
  'main/formats/ratings': ['shared', 'main/formats/pages', 'main/engine/judging'],
  'main/formats/report': ['shared', 'main/formats/pages'],
  'main/formats/torch': ['shared', 'main/formats', 'main/formats/pickle', 'main/engine'],

  'main/installation': [...node],
  'main/storage/disk': ['shared', 'zod', ...node, ...formats, 'main/installation'],
  'main/storage/hub': [
    ...['shared', 'zod', '@huggingface/hub', ...node, ...formats, 'main/installation', 'main/storage/disk'],
  ],
  'main/storage/texts': [
    ...['shared', ...node, ...formats, 'main/storage/disk'],
    ...['chardet', 'franc', 'htmlparser2', 'hyparquet', 'hyparquet-compressors', 'papaparse', 'tinyglobby'],
    'unpdf/pdfjs',
    'zstddec/*',
  ],
  'main/storage/datasets': [
    ...['shared', 'zod', ...node, ...formats, ...engine, 'main/engine/train', 'main/engine/reward'],
    ...['main/engine/tokenizer', 'main/storage/disk', 'main/storage/texts'],
  ],
  'main/storage/projects': [
    ...['shared', 'zod', ...node, ...formats, ...engine, 'main/engine/runtime', 'main/engine/tokenizer'],
    ...['main/engine/train', 'main/engine/judging', 'main/engine/cycle', 'main/storage/disk', 'main/storage/datasets'],
    'main/installation',
  ],

  ...Object.fromEntries(
    jobs.map((room, index) => [
      room,
      [
        ...[
          'shared',
          'zod',
          'package.json',
          ...node,
          ...tfjs,
          'main/installation',
          'main/cluster',
          'main/llama',
          ...formats,
          ...storage,
        ],
        ...[...engine, 'main/engine/runtime', ...engineRooms, ...jobs.slice(0, index)],
      ],
    ]),
  ),

  'main/llama': [...node, 'main/installation', 'main/engine', 'main/engine/model', 'main/engine/generate'],
  'main/cluster': ['shared', 'zod', ...node, 'main/engine', 'main/engine/runtime'],

  'main/supervisor': ['shared', 'zod', ...node, 'main/formats', ...storage],
  'main/trainer': ['shared', 'zod', 'package.json', ...node, ...storage, ...jobs],

  'main/services/files': ['shared', 'zod', ...node, 'main/installation', ...storage],
  'main/services/machine': [
    ...['shared', 'zod', ...node, 'main/installation', ...storage, 'main/jobs/machine', 'main/supervisor'],
    'main/services/files',
  ],
  'main/services/drafts': [
    ...['shared', 'zod', ...node, ...storage, 'main/supervisor', 'main/engine/model', 'main/engine/cycle'],
    ...['main/jobs', 'main/jobs/machine', 'main/services/files', 'main/services'],
  ],
  'main/services/models': [
    ...['shared', ...node, ...storage, 'main/installation', 'main/jobs/machine', 'main/services/files'],
    ...['main/services/drafts', 'main/services'],
  ],
  'main/services/projects': [
    ...['shared', 'zod', ...node, ...storage, 'main/installation', 'main/supervisor', 'main/jobs/project'],
    ...['main/services/files', 'main/services/drafts', 'main/services'],
  ],
  'main/services': [
    ...['shared', ...node, 'main/supervisor', 'main/services/files', 'main/services/machine'],
    ...['main/services/drafts', 'main/services/models', 'main/services/projects'],
  ],

  'main/ipc': [
    ...['shared', 'zod', ...node, 'main/installation', ...storage, 'main/jobs', 'main/jobs/export', 'main/jobs/rating'],
    ...['main/jobs/report', 'main/jobs/writing'],
    'main/services',
    ...['main/services/files', 'main/services/drafts', 'main/services/models', 'main/services/projects'],
    'main/services/machine',
  ],
  'main/server': ['shared', 'zod', 'ws', ...node, 'main/ipc', 'main/services', 'main/services/files'],
  'main/application': [
    ...['main/ipc', 'main/supervisor', 'main/services', 'main/services/files', 'main/services/machine', ...node],
  ],
  'main/preload': ['shared', 'electron'],
  'main/app': [
    ...['shared', 'zod', 'electron', ...node, 'main/application', 'main/ipc', 'main/server', 'main/supervisor'],
    ...['main/services', 'main/services/files', 'main/jobs/machine', 'electron-updater'],
  ],
  'main/cli': [
    ...['shared', 'zod', 'package.json', ...node, 'main/installation', 'main/formats', ...storage, 'main/engine/cycle'],
    ...[...jobs, 'main/supervisor', 'main/services/files', 'main/application', 'main/server'],
  ],
  main: ['shared', 'electron', ...node, 'main/installation', 'main/app', 'main/trainer', 'main/services/files'],

  renderer: [
    ...['shared', 'zod', '#demo', 'vue', 'vue-router', 'vue-echarts', 'pinia', 'echarts', 'echarts/*'],
    ...['@vueuse/core', '@unhead/vue', '@nuxt/ui', '@nuxt/ui/*', 'crc-32'],
  ],
  scripts: [
    ...['main/installation', 'package.json', ...node, 'esbuild', 'vite', 'electron-vite', 'electron-builder'],
    ...['playwright-core', 'ws'],
  ],
};

/** Files that reach further than their room, each with its reason. */
const exceptions = new Map([
  ['main/engine/runtime/native.ts', [...node]], // loads the native binding
  ['main/engine/runtime/backends/wasm.ts', [...node]], // finds the backend's files
  ['main/engine/runtime/backends/webgpu.ts', [...node, 'webgpu']], // loads a native module
  ['main/engine/runtime/processor.ts', [...node]], // reads what the processor can do
  ['main/storage/projects/project-folder.ts', ['package.json']], // recognizes what a newer version wrote
  ['main/formats/tokenizer/patterns.ts', ['node:process', 'node:vm']], // ends a match that takes too long
]);

/** @param {string} file from the root of the repository */
export function roomOf(file) {
  let folder = path.posix.dirname(file);
  while (folder !== '.') {
    if (Object.hasOwn(rooms, folder)) return folder;
    folder = path.posix.dirname(folder);
  }
  return null;
}

/**
 * @param {string} file from the root of the repository
 * @param {string} specifier as written in the import
 * @returns {string} the room, or the package, that it names
 */
function targetOf(file, specifier) {
  if (!specifier.startsWith('.')) return specifier;
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  return roomOf(target) ?? target;
}

const covers = (/** @type {string} */ allowed, /** @type {string} */ target) =>
  allowed === target || (allowed.endsWith('*') && target.startsWith(allowed.slice(0, -1)));

/** @type {import('eslint').Rule.RuleModule} */
const walls = {
  meta: { type: 'problem', schema: [], messages: { wall: '{{room}} may import only: {{allowed}}.' } },
  create(context) {
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    const room = roomOf(file);
    if (room === null) return {};
    const named = [...(rooms[room] ?? []), ...(exceptions.get(file) ?? [])];
    // Rooms outside of shared/ may import all of it.
    const isInside = room.startsWith('shared');
    const allowed = named.flatMap((name) => (name === 'shared' && !isInside ? ['shared', 'shared/*'] : [name]));
    const check = (/** @type {import('estree').Node | null | undefined} */ source) => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const target = targetOf(file, source.value);
      if (target === room || allowed.some((name) => covers(name, target))) return;
      context.report({ node: source, messageId: 'wall', data: { room, allowed: allowed.join(', ') } });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
    };
  },
};

/** Rooms that no longer exist would allow nothing and hide that. */
export const missingRooms = (/** @type {string} */ root) =>
  Object.keys(rooms).filter((room) => !existsSync(path.join(root, room)));

export default { rules: { walls } };
