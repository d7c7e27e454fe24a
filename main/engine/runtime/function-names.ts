/**
 * Names of functions that XLA compiles, made from what they do. XLA's kept files (`compileCache`) go by names too: numbered in
 * the order of tracing, the same function was compiled again by every process that came to it another way (one that resumes,
 * one that judges first).
 */
import { type Attr, type Attrs, encodeFunction, type FunctionDef, type NodeDef } from './protobuf.js';
import type { Bytes } from './wire.js';

/** The bytes' digest, in letters and digits: of other bytes it is another one. */
export type Digest = (bytes: Bytes) => string;

/**
 * The same functions, each called `name` with a digest of its own and of those that it calls.
 * @param functions callees first
 */
export function namedByContent(name: string, functions: readonly FunctionDef[], digest: Digest): FunctionDef[] {
  const names = new Map<string, string>();
  return functions.map((def) => {
    const nodes = def.nodes.map((node): NodeDef => ({ ...node, attrs: renamed(node.attrs, names) }));
    const content = { ...def, name, nodes };
    const own = `${name}_${digest(encodeFunction(content))}`;
    names.set(def.name, own);
    return { ...content, name: own };
  });
}

function renamed(attrs: Attrs, names: ReadonlyMap<string, string>): Attrs {
  const rename = (attr: Attr): Attr =>
    attr.kind === 'function' ? { ...attr, value: names.get(attr.value) ?? attr.value } : attr;
  return Object.fromEntries(Object.entries(attrs).map(([key, attr]) => [key, rename(attr)]));
}
