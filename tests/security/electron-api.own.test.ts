/**
 * What the app uses of Electron, by the types of the Electron that people get: the tests run in an older one, so what was
 * removed since would be seen there by nobody. The type check refuses what is gone; this finds what is about to go, and holds
 * that the types are those of the pinned version.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { electronRuntime } from '../../main/installation/pinned.mjs';
import { checkout } from '../scripts/helpers.js';

const types = join(checkout, 'node_modules/electron/electron.d.ts');
const files = [
  'main/index.ts',
  ...['main/app', 'main/preload'].flatMap((folder) =>
    readdirSync(join(checkout, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  ),
].map((name) => join(checkout, name));

/** Each use of something that Electron declares: where, what, and whether it is to go. */
interface Use {
  readonly place: string;
  readonly name: string;
  readonly deprecated: boolean;
}

/** @param paths of sources; what they import besides Electron is not looked at, and has no types here. */
function usesOfElectron(paths: readonly string[], read: (path: string) => string | undefined = ts.sys.readFile): Use[] {
  const options: ts.CompilerOptions = { target: ts.ScriptTarget.ES2022, strict: true, noEmit: true, types: ['node'] };
  const host = ts.createCompilerHost(options);
  host.readFile = read;
  host.getSourceFile = (path, version) => {
    const text = read(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, version, true);
  };
  host.fileExists = (path) => read(path) !== undefined;
  host.resolveModuleNameLiterals = (names) =>
    names.map(({ text }) => ({
      resolvedModule:
        text === 'electron'
          ? { resolvedFileName: types, extension: ts.Extension.Dts, isExternalLibraryImport: true }
          : undefined,
    }));
  const program = ts.createProgram([...paths, types], options, host);
  const checker = program.getTypeChecker();
  const isElectrons = (declaration: ts.Node | undefined) => declaration?.getSourceFile().fileName === types;
  const isDeprecated = (declaration: ts.Node) => ts.getJSDocDeprecatedTag(declaration) !== undefined;
  const uses: Use[] = [];
  for (const path of paths) {
    const add = (name: string, declarations: readonly ts.Node[]) => {
      const own = declarations.filter(isElectrons);
      if (own.length > 0) uses.push({ place: relative(checkout, path), name, deprecated: own.every(isDeprecated) });
    };
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const symbol = checker.getSymbolAtLocation(node);
        // An import stands for what it names.
        const named = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        add(node.text, named?.declarations ?? []);
      }
      if (ts.isCallExpression(node)) {
        // Of several forms the one that is called: an event has its own.
        const declaration = checker.getResolvedSignature(node)?.declaration;
        if (declaration !== undefined) add(node.getText().replace(/\s+/g, ' ').slice(0, 40), [declaration]);
      }
      ts.forEachChild(node, visit);
    };
    const source = program.getSourceFile(path);
    if (source) visit(source);
  }
  return uses;
}

test('the types that the app is checked against are those of the Electron that people get', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    devDependencies: { electron: string };
  };
  expect(readFileSync(types, 'utf8')).toMatch(`// Type definitions for Electron ${devDependencies.electron}\n`);
  expect(parseInt(electronRuntime.electronVersion)).toBeLessThan(parseInt(devDependencies.electron));
});

test('nothing that the app uses of Electron is about to be removed', () => {
  const planted = join(checkout, 'main/app/planted.ts');
  const text = "import { protocol } from 'electron';\nprotocol.unregisterProtocol('x');";
  const uses = usesOfElectron([...files, planted], (path) => (path === planted ? text : ts.sys.readFile(path)));
  // It sees what is there: objects, what is got from them, and events.
  for (const name of ['whenReady', 'BrowserWindow', 'setPermissionRequestHandler', 'contextBridge', 'webContents'])
    expect(uses.map((use) => use.name)).toContain(name);
  expect(uses.some(({ name }) => name.startsWith("app.on('second-instance',"))).toBe(true);
  const old = uses.filter(({ deprecated }) => deprecated).map(({ place, name }) => `${place}: ${name}`);
  expect(old.filter((name) => name.includes('planted'))).toContain('main/app/planted.ts: unregisterProtocol');
  expect(old.filter((name) => !name.includes('planted'))).toEqual([
    // `protocol.handle` takes its place.
    expect.stringMatching(/^main\/app\/page.ts: protocol\.registerBufferProtocol\(/),
    'main/app/page.ts: registerBufferProtocol',
  ]);
});
