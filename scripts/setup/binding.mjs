// tfjs-node's native binding, compiled from the package's own C++ sources against the runtime in the cache folder.
// Only the C++ compiler is used: the N-API headers come from an npm package, so neither node-gyp nor Node's own headers
// are needed, and N-API keeps one build good for every Node. Built once per content of its inputs.
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
 * How a binding is compiled. It lies in lib/napi-v8 and finds the library from there; what Node itself has is found in the process
 * that loads it, which only macOS' linker must be told.
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
  // The binding's log-level.cc is to run before the library begins.
  runsFirst: platform === 'linux' ? ['-Wl,-z,initfirst'] : [],
});

const { flags, libraries, runsFirst } = compilerOptions(process.platform);

/** What changes functions inside a loaded library does so in Linux' format of libraries. */
const changesLibraries = process.platform === 'linux';
/** The binding makes its sessions with our options: session-options.cc. */
const ownOptions = '-DTF_NewSessionOptions=NewSessionOptions';

/** @param {string} root the checkout */
function inputs(root) {
  const sources = join(root, 'node_modules/@tensorflow/tfjs-node-gpu/binding');
  const headers = join(root, 'node_modules/node-api-headers/include');
  const files = [sources, headers].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(cc|h)$/.test(name))
      .sort()
      .map((name) => join(folder, name)),
  );
  for (const name of ['session-options.cc', 'log-level.cc', 'give-back.cc'])
    files.push(join(root, 'scripts/setup', name));
  return { headers, files };
}

/**
 * What the binding is made of, as one hash.
 * @param {string} root the checkout
 * @param {Build} build
 */
function bindingKey(root, build) {
  const hash = createHash('sha256').update(JSON.stringify([wheelsKey(build), flags, ownOptions, libraries, runsFirst]));
  for (const file of inputs(root).files) hash.update(basename(file)).update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * @param {string} root the checkout
 * @param {Build} build
 */
export function bindingReady(root, build) {
  const folder = tensorflowFolder(build);
  const stamp = readJson(bindingStamp(folder));
  return stamp?.['key'] === bindingKey(root, build) && hasSize(bindingFile(folder), stamp['size']);
}

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
 * Loads the binding in a process of its own, since a wrong library would end this one.
 * @param {string} path
 * @returns {Promise<string | null>} what went wrong
 */
async function tryBinding(path) {
  const program = 'process.stdout.write(String(require(process.argv[1]).TF_Version))';
  const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: '3' };
  const { code, stdout, stderr } = await run(process.execPath, ['-e', program, path], { env });
  if (code !== 0) return lastLines(stderr, 8);
  return stdout === tensorflow.cpu.version ? null : `it says that it is version ${stdout}`;
}

/**
 * Builds the binding into the runtime folder. The caller holds the set-up lock.
 * @param {string} root the checkout
 * @param {Build} build
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function buildBinding(root, build, report) {
  const compiler = findCompiler();
  const folder = tensorflowFolder(build);
  const target = bindingFile(folder);
  const fresh = join(dirname(target), 'fresh.node');
  const { headers, files } = inputs(root);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(bindingStamp(folder), { force: true });
  const started = performance.now();
  report.say(`Compiling TensorFlow's binding for Node with ${basename(compiler)} (once, about 20 s).`);
  const result = await run(compiler, [
    ...flags,
    ownOptions,
    ...[`-I${join(folder, 'deps/include')}`, `-I${headers}`],
    ...files.filter((file) => file.endsWith('.cc')),
    ...['-o', fresh, `-L${join(folder, 'deps/lib')}`],
    ...[...libraries, ...runsFirst],
  ]);
  const problem = result.code === 0 ? await tryBinding(fresh) : result.stderr;
  if (problem !== null) {
    rmSync(fresh, { force: true });
    const log = join(cacheFolder(), 'binding.log');
    writeFileSync(log, `${result.stderr}\n${problem}\n`);
    const reason = /error: .*|.*No such file.*|.*version.*/.exec(problem)?.[0] ?? lastLines(problem, 1);
    throw new SetupProblem(
      `TensorFlow's binding could not be built with ${compiler} (${reason.trim()}; all of it: ${log})`,
      `${installCommand('g++')}, then npm run setup`,
    );
  }
  renameSync(fresh, target);
  const stamp = { key: bindingKey(root, build), size: statSync(target).size };
  writeFileSync(bindingStamp(folder), JSON.stringify(stamp));
  report.say(`Compiled and loaded in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
}

/** @param {string} root the checkout */
const largeBlocksSource = (root) => join(root, 'scripts/setup/large-blocks.cc');

/** Replaces functions in TensorFlow's tables, for large blocks and for the collectives. @param {string} root the checkout */
const replacingHeader = (root) => join(root, 'scripts/setup/replace-functions.h');

/** @param {string} root the checkout */
const largeBlocksKey = (root) =>
  createHash('sha256')
    .update(JSON.stringify(flags))
    .update(readFileSync(largeBlocksSource(root)))
    .update(readFileSync(replacingHeader(root)))
    .digest('hex');

/** @param {string} folder */
const largeBlocksStamp = (folder) => join(folder, 'large-blocks.json');

/**
 * @param {string} root the checkout
 * @param {Build} build
 */
export function largeBlocksReady(root, build) {
  if (!changesLibraries) return true;
  const folder = tensorflowFolder(build);
  const stamp = readJson(largeBlocksStamp(folder));
  return stamp?.['key'] === largeBlocksKey(root) && hasSize(largeBlocksFile(folder), stamp['size']);
}

/**
 * Builds what makes TensorFlow fit into Electron, a second's work. The caller holds the set-up lock.
 * @param {string} root the checkout
 * @param {Build} build
 * @throws {SetupProblem}
 */
export async function buildLargeBlocks(root, build) {
  const compiler = findCompiler();
  const folder = tensorflowFolder(build);
  const target = largeBlocksFile(folder);
  const fresh = `${target}.fresh`;
  const include = `-I${inputs(root).headers}`;
  const { code, stderr } = await run(compiler, [...flags, include, largeBlocksSource(root), '-o', fresh]);
  if (code !== 0) {
    throw new SetupProblem(
      `A part of TensorFlow's binding could not be built with ${compiler} (${lastLines(stderr, 1)})`,
      `${installCommand('g++')}, then npm run setup`,
    );
  }
  renameSync(fresh, target);
  const stamp = { key: largeBlocksKey(root), size: statSync(target).size };
  writeFileSync(largeBlocksStamp(folder), JSON.stringify(stamp));
}

/** @param {string} root the checkout */
const collectivesSource = (root) => join(root, 'scripts/setup/collectives.cc');

/**
 * @param {string} root the checkout
 * @param {Build} build
 */
function collectivesKey(root, build) {
  const hash = createHash('sha256').update(JSON.stringify([wheelsKey(build), flags, libraries]));
  for (const file of [collectivesSource(root), replacingHeader(root)]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

/** @param {string} folder */
const collectivesStamp = (folder) => join(folder, 'collectives.json');

/**
 * @param {string} root the checkout
 * @param {Build} build
 */
export function collectivesReady(root, build) {
  if (!changesLibraries) return true;
  const folder = tensorflowFolder(build);
  const stamp = readJson(collectivesStamp(folder));
  return stamp?.['key'] === collectivesKey(root, build) && hasSize(collectivesFile(folder), stamp['size']);
}

/**
 * Builds what lets several processes work together, some seconds' work. The caller holds the set-up lock.
 * @param {string} root the checkout
 * @param {Build} build
 * @throws {SetupProblem}
 */
export async function buildCollectives(root, build) {
  const compiler = findCompiler();
  const folder = tensorflowFolder(build);
  const target = collectivesFile(folder);
  const fresh = `${target}.fresh`;
  const { code, stderr } = await run(compiler, [
    ...flags,
    ...[`-I${join(folder, 'deps/include')}`, `-I${inputs(root).headers}`],
    collectivesSource(root),
    ...['-o', fresh, `-L${join(folder, 'deps/lib')}`],
    ...libraries,
  ]);
  if (code !== 0) {
    throw new SetupProblem(
      `A part of TensorFlow's binding could not be built with ${compiler} (${lastLines(stderr, 1)})`,
      `${installCommand('g++')}, then npm run setup`,
    );
  }
  renameSync(fresh, target);
  const stamp = { key: collectivesKey(root, build), size: statSync(target).size };
  writeFileSync(collectivesStamp(folder), JSON.stringify(stamp));
}
