/**
 * Puts traced functions and their variables into one TensorFlow graph: placeholders for arguments, a handle for each
 * variable, and each function as plain nodes, as one call that XLA compiles, or as several where it was cut.
 */
import { CALL, type Graph } from './graph.js';
import { opset } from './operations/opset.js';
import type { Spec } from './operations/shape-rules.js';
import { encodeFunction, encodeSavedModel, type Attr, type Attrs, type FunctionDef, type NodeDef } from './protobuf.js';
import type { Bytes } from './wire.js';
import { callAttributes, inStretches, isLong } from './stretches.js';
import { DT } from './tensorflow.js';

/** A traced function, ready to be put into a graph. */
export interface Program {
  readonly name: string;
  readonly graph: Graph;
  readonly xla: boolean;
  /** How many calls of it may run at once: it is in the graph so many times, and compiled once. */
  readonly copies: number;
}

/** Names by which a program is run; comma-separated, as the binding wants them. */
export interface Endpoint {
  readonly inputs: string;
  readonly outputs: string;
}

/** Names by which a variable is written (from JavaScript, or from another graph whose memory it shares) and read. */
export const variableEndpoints = (slot: number) => ({
  write: { inputs: `v${slot}/in:0`, outputs: `v${slot}/written:0` },
  share: { inputs: `v${slot}/theirs:0`, outputs: `v${slot}/shared:0` },
  read: { inputs: '', outputs: `v${slot}/read:0` },
  /** As JavaScript reads it: what is kept in bfloat16 is float32 there. */
  values: { inputs: '', outputs: `v${slot}/values:0` },
});

/** What JavaScript has of a variable: it knows no bfloat16. */
export const typeOutside = (dtype: number): number => (dtype === DT.BFLOAT16 ? DT.FLOAT : dtype);

const type = (value: number) => ({ kind: 'type', value }) as const;

const placeholder = (name: string, { dtype, shape }: Spec): NodeDef => ({
  name,
  op: 'Placeholder',
  inputs: [],
  attrs: { dtype: type(dtype), shape: { kind: 'shape', value: shape } },
});

/** Something to fetch that makes `after` run: the binding can only run what it fetches. */
const fetchable = (name: string, after: readonly string[]): NodeDef => ({
  name,
  op: 'Const',
  inputs: after.map((node) => `^${node}`),
  attrs: {
    dtype: type(DT.INT32),
    value: { kind: 'tensor', dtype: DT.INT32, shape: [], data: Int32Array.of(0) },
  },
});

/** Another type's nearest numbers; of the same type as they are. */
const converted = (name: string, from: string, source: number, dtype: number): NodeDef =>
  source === dtype
    ? { name, op: 'Identity', inputs: [from], attrs: { T: type(dtype) } }
    : { name, op: 'Cast', inputs: [from], attrs: { SrcT: type(source), DstT: type(dtype) } };

function variableNodes(slot: number, spec: Spec): NodeDef[] {
  const name = `v${slot}`;
  const [dtype, outside] = [type(spec.dtype), typeOutside(spec.dtype)];
  return [
    {
      name,
      op: 'VarHandleOp',
      inputs: [],
      attrs: {
        dtype,
        shape: { kind: 'shape', value: spec.shape },
        shared_name: { kind: 'string', value: name },
        container: { kind: 'string', value: '' },
      },
    },
    { name: `${name}/read`, op: 'ReadVariableOp', inputs: [name], attrs: { dtype } },
    converted(`${name}/values`, `${name}/read`, spec.dtype, outside),
    placeholder(`${name}/in`, { ...spec, dtype: outside }),
    // What is fed is JavaScript's memory; a variable must not keep it.
    outside === spec.dtype
      ? { name: `${name}/copy`, op: 'DeepCopy', inputs: [`${name}/in`], attrs: { T: dtype } }
      : converted(`${name}/copy`, `${name}/in`, outside, spec.dtype),
    { name: `${name}/assign`, op: 'AssignVariableOp', inputs: [name, `${name}/copy`], attrs: { dtype } },
    fetchable(`${name}/written`, [`${name}/assign`]),
    // TensorFlow's own memory is counted: who changes a variable that is not alone with it copies it first.
    placeholder(`${name}/theirs`, spec),
    { name: `${name}/share`, op: 'AssignVariableOp', inputs: [name, `${name}/theirs`], attrs: { dtype } },
    fetchable(`${name}/shared`, [`${name}/share`]),
  ];
}

/** A program as plain nodes of the graph. */
function inline({ graph }: Program, prefix: string) {
  const { nodes, outputs, effects, functions } = graph.toNodes({
    prefix: `${prefix}/`,
    input: (i) => `${prefix}/in${i}:0`,
    variable: (slot) => `v${slot}`,
  });
  const done = outputs.length === 0 ? [fetchable(`${prefix}/done`, effects)] : [];
  return { nodes: [...nodes, ...done], functions, outputs };
}

/** The bytes' digest, in letters and digits: of other bytes it is another one. */
export type Digest = (bytes: Bytes) => string;

/**
 * XLA's kept files (`compileCache`) go by names too: numbered in the order of tracing, the same function was compiled again by every
 * process that came to it another way (one that resumes, one that judges first). So names are made from what functions do:
 * the same functions, each called `name` with a digest of its own and of those that it calls.
 * @param functions callees first
 */
function namedByContent(name: string, functions: readonly FunctionDef[], digest: Digest): FunctionDef[] {
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

/** A function that XLA is to compile, cut where it is long (stretches.ts). */
export function forXla(graph: Graph, digest: Digest): Graph {
  if (!isLong(graph)) return graph;
  const parts = new Map<string, Graph>();
  return inStretches(graph, (part) => {
    const content = namedByContent('part', part.toFunctions(), digest).at(-1)?.name ?? part.name;
    const same = parts.get(content) ?? part;
    parts.set(content, same);
    return same;
  });
}

/**
 * Operations that TensorFlow translates for XLA through MLIR, one by one and anew in every process: 5 to 6 ms of the processor
 * each, where others take a tenth of that or less.
 */
const THROUGH_MLIR: ReadonlySet<string> = new Set([
  ...['Abs', 'Exp', 'Expm1', 'Floor', 'Log1p', 'Reciprocal', 'Rsqrt', 'Sigmoid', 'Sign', 'Sqrt', 'Tanh'],
  ...['LogSoftmax', 'Relu', 'Softmax', 'Select', 'SelectV2', 'XlaOptimizationBarrier'],
]);

/**
 * Each of these operations becomes a call of a function which is nothing else. TensorFlow translates a function once for each shape
 * of its arguments, if it must not put it in the place of its calls; XLA does that itself, before all else, so that the machine code
 * is the same. Four graphs of thirty layers come to XLA in 1.1 seconds of the processor then, where they took 4.4.
 */
function translatedOnce(functions: readonly FunctionDef[]): FunctionDef[] {
  const shared = new Map<string, FunctionDef>();
  const call = (node: NodeDef): NodeDef => {
    const alone = THROUGH_MLIR.has(node.op) ? functionOf(node) : null;
    if (alone === null) return node;
    shared.set(alone.name, alone);
    return { ...node, op: alone.name, attrs: {} };
  };
  const calling = functions.map((def) => ({ ...def, nodes: def.nodes.map(call) }));
  return [...shared.values(), ...calling];
}

/** A function of one operation, whose first result is its own; null where the operation does not say its type. */
function functionOf({ op, attrs }: NodeDef): FunctionDef | null {
  const { T } = attrs;
  const types = T?.kind === 'types' ? T.value : T?.kind === 'type' ? [T.value] : [];
  const [dtype] = types;
  if (dtype === undefined) return null;
  const inputs = (op.startsWith('Select') ? [DT.BOOL, dtype, dtype] : types).map((of, i) => ({
    name: `in${i}`,
    dtype: of,
  }));
  const result = opset.get(op)?.names[0] ?? '';
  return {
    name: `${op}_${types.join('_')}`,
    attrs: { _noinline: { kind: 'bool', value: true } },
    inputs,
    outputs: [{ name: result, dtype, from: `alone:${result}:0` }],
    effects: [],
    nodes: [{ name: 'alone', op, inputs: inputs.map(({ name }) => name), attrs }],
  };
}

/** A program that was cut: as calls of functions that XLA compiles one by one. */
function compiledInParts(program: Program, prefix: string, digest: Digest) {
  const names = new Map<string, string>();
  const functions = program.graph.calledParts().flatMap((part) => {
    const defs = translatedOnce(namedByContent(program.name, part.toFunctions(), digest));
    names.set(part.name, defs.at(-1)?.name ?? part.name);
    return defs;
  });
  const { nodes, outputs } = inline(program, prefix);
  return { nodes: nodes.map((node) => ({ ...node, attrs: renamed(node.attrs, names) })), functions, outputs };
}

/** A program as one call of a function that XLA compiles. */
function compiled({ graph, name }: Program, prefix: string, digest: Digest) {
  const slots = graph.slots();
  const functions = translatedOnce(namedByContent(name, graph.toFunctions(), digest));
  const attrs = callAttributes(functions.at(-1)?.name ?? graph.name, graph.inputs, slots, graph.outputs);
  const call: NodeDef = {
    name: `${prefix}/${name}`,
    op: CALL,
    inputs: [...graph.inputs.map((_, i) => `${prefix}/in${i}:0`), ...slots.map((slot) => `v${slot}`)],
    attrs,
  };
  const outputs = graph.outputs.map((_, i) => `${call.name}:${i}`);
  const done = outputs.length === 0 ? [fetchable(`${prefix}/done`, [call.name])] : [];
  return { nodes: [call, ...done], functions, outputs };
}

/**
 * One graph of all programs; `variables` gives the type and shape of each variable that they use.
 * @returns for each program the names by which each of its copies is run
 */
export function linkPrograms(
  programs: readonly Program[],
  variables: ReadonlyMap<number, Spec>,
  digest: Digest,
): { model: Bytes; endpoints: Endpoint[][] } {
  const nodes: NodeDef[] = [...variables].flatMap(([slot, spec]) => variableNodes(slot, spec));
  const functions = new Map<string, FunctionDef>();
  const place = (program: Program, prefix: string): Endpoint => {
    const inputs = program.graph.inputs.map((spec, n) => placeholder(`${prefix}/in${n}`, spec));
    const compile = program.graph.calledParts().length > 0 ? compiledInParts : compiled;
    const body = program.xla ? compile(program, prefix, digest) : inline(program, prefix);
    nodes.push(...inputs, ...body.nodes);
    for (const def of body.functions) functions.set(def.name, def);
    return {
      inputs: inputs.map(({ name }) => `${name}:0`).join(),
      outputs: body.outputs.length > 0 ? body.outputs.join() : `${prefix}/done:0`,
    };
  };
  const endpoints = programs.map((program, i) =>
    Array.from({ length: program.copies }, (_, copy) => place(program, `p${i}c${copy}`)),
  );
  return { model: encodeSavedModel(nodes, [...functions.values()]), endpoints };
}
