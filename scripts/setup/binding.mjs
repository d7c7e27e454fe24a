// Compiles native modules against the TensorFlow in the cache folder: tfjs-node's binding from the package's own C++ sources, and
// ours. It needs only a C++ compiler: N-API's headers come from an npm package, and N-API serves every Node. A module is compiled
// once per content of its inputs.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  bindingFile,
  bindingStamp,
  cacheFolder,
  collectivesFile,
  hasSize,
  largeBlocksFile,
  readJson,
  tensorflowFolder,
} from '../../main/installation/locations.mjs';
import { tensorflow } from '../../main/installation/pinned.mjs';
import { SetupProblem, installCommand } from './report.mjs';
import { findProgram, lastLines, run } from './run.mjs';
import { wheelsKey } from './runtime.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('../../main/installation/locations.mjs').Build} Build */

/**
 * The compiler's options. The binding lies in lib/napi-v8 and finds the library from there; symbols of Node are found in the process
 * that loads it, which only macOS' linker must know.
 * @param {NodeJS.Platform} platform
 */
export const compilerOptions = (platform) => ({
  flags: [
    ...['-O2', '-std=c++17', '-fPIC', '-shared', '-DNAPI_VERSION=8'],
    ...(platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : []),
  ],
  libraries: [
    ...['-ltensorflow', '-ltensorflow_framework'],
    `-Wl,-rpath,${platform === 'darwin' ? '@loader_path' : '$ORIGIN'}/../../deps/lib`,
  ],
  // log-level.cc in the binding must run before the library starts.
  runsFirst: platform === 'linux' ? ['-Wl,-z,initfirst'] : [],
});

const { flags, libraries, runsFirst } = compilerOptions(process.platform);
/** Makes the binding's sessions with our options: session-options.cc. */
const ownOptions = '-DTF_NewSessionOptions=NewSessionOptions';

/**
 * @typedef {object} Module a native module
 * @property {(folder: string) => string} target its file in a TensorFlow folder
 * @property {(folder: string) => string} stamp
 * @property {(root: string) => string[]} sources
 * @property {readonly string[]} options of the compiler, before the sources and after them
 * @property {readonly (readonly string[])[]} linked
 */

const headersIn = (/** @type {string} */ root) => join(root, 'node_modules/node-api-headers/include');
const sourcesIn = (/** @type {string} */ folder) =>
  readdirSync(folder)
    .filter((name) => /\.(cc|h)$/.test(name))
    .sort()
    .map((name) => join(folder, name));
const ours = (/** @type {string} */ root, /** @type {readonly string[]} */ names) =>
  names.map((name) => join(root, 'scripts/setup', name));

/** @type {Module} */
const binding = {
  target: bindingFile,
  stamp: bindingStamp,
  sources: (root) => [
    ...sourcesIn(join(root, 'node_modules/@tensorflow/tfjs-node-gpu/binding')),
    ...sourcesIn(headersIn(root)),
    ...ours(root, ['session-options.cc', 'log-level.cc', 'give-back.cc']),
  ],
  options: [ownOptions],
  linked: [libraries, runsFirst],
};

/** Modules that replace functions inside a loaded library, in Linux' format of libraries only. @type {Module[]} */
const replacing = [
  {
    target: largeBlocksFile,
    stamp: (folder) => join(folder, 'large-blocks.json'),
    sources: (root) => ours(root, ['large-blocks.cc', 'replace-functions.h']),
    options: [],
    linked: [],
  },
  {
    target: collectivesFile,
    stamp: (folder) => join(folder, 'collectives.json'),
    sources: (root) => ours(root, ['collectives.cc', 'replace-functions.h']),
    options: [],
    linked: [libraries],
  },
];
const modules = process.platform === 'linux' ? [binding, ...replacing] : [binding];

/**
 * Hashes a module's inputs.
 * @param {Module} module
 * @param {string} root the checkout
 * @param {Build} build
 */
function keyOf({ sources, options, linked }, root, build) {
  const hash = createHash('sha256').update(JSON.stringify([wheelsKey(build), flags, ...options, ...linked]));
  for (const file of sources(root)) hash.update(basename(file)).update(readFileSync(file));
  return hash.digest('hex');
}

/** @param {Module} module @param {string} root the checkout @param {Build} build */
function isReady(module, root, build) {
  const folder = tensorflowFolder(build);
  const stamp = readJson(module.stamp(folder));
  return stamp?.['key'] === keyOf(module, root, build) && hasSize(module.target(folder), stamp['size']);
}

/** @param {string} root the checkout @param {Build} build */
export const modulesReady = (root, build) => modules.every((module) => isReady(module, root, build));

/**
 * @returns {string} the C++ compiler to use
 * @throws {SetupProblem}
 */
export function findCompiler() {
  const chosen = process.env['CXX'];
  const compiler = findProgram(chosen ? [chosen] : ['c++', 'g++', 'clang++']);
  if (compiler) return compiler;
  throw chosen
    ? new SetupProblem(`CXX names a compiler that is not there (${chosen})`, 'unset CXX')
    : new SetupProblem('No C++ compiler was found (c++, g++ or clang++)', installCommand('g++'));
}

/**
 * Loads the binding in its own process, since a wrong library would end this one.
 * @param {string} path
 * @returns {Promise<string | null>} what went wrong
 */
async function tryBinding(path) {
  const program = 'process.stdout.write(String(require(process.argv[1]).TF_Version))';
  const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: '3' };
  const { code, stdout, stderr } = await run(process.execPath, ['-e', program, path], { env });
  if (code !== 0) return lastLines(stderr, 8);
  return stdout === tensorflow.cpu.version ? null : `it is version ${stdout}`;
}

/**
 * Compiles the modules that are missing. The caller holds the set-up lock.
 * @param {string} root the checkout
 * @param {Build} build
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function buildModules(root, build, report) {
  const compiler = findCompiler();
  const folder = tensorflowFolder(build);
  for (const module of modules) {
    if (isReady(module, root, build)) continue;
    const target = module.target(folder);
    const fresh = join(dirname(target), `fresh-${basename(target)}`);
    mkdirSync(dirname(target), { recursive: true });
    rmSync(module.stamp(folder), { force: true });
    if (module === binding)
      report.say(`Compiling TensorFlow's binding for Node with ${basename(compiler)} (once, about 20 s).`);
    const { code, stderr } = await run(compiler, [
      ...[...flags, ...module.options, `-I${join(folder, 'deps/include')}`, `-I${headersIn(root)}`],
      ...module.sources(root).filter((file) => file.endsWith('.cc')),
      ...['-o', fresh, `-L${join(folder, 'deps/lib')}`, ...module.linked.flat()],
    ]);
    const problem = code !== 0 ? stderr : module === binding ? await tryBinding(fresh) : null;
    if (problem !== null) {
      rmSync(fresh, { force: true });
      const log = join(cacheFolder(), 'binding.log');
      writeFileSync(log, `${stderr}\n${problem}\n`);
      const reason = /error: .*|.*No such file.*|.*version.*/.exec(problem)?.[0] ?? lastLines(problem, 1);
      throw new SetupProblem(
        `TensorFlow's binding could not be built with ${compiler} (${reason.trim()}; all of it: ${log})`,
        `${installCommand('g++')}, then npm run setup`,
      );
    }
    renameSync(fresh, target);
    writeFileSync(
      module.stamp(folder),
      JSON.stringify({ key: keyOf(module, root, build), size: statSync(target).size }),
    );
  }
}
