/** Links traced functions and variables into one TensorFlow graph: each function as plain nodes or as calls that XLA compiles. */
import { CALL, type Graph } from './graph.js';
import { operations, type Spec } from './operations.js';
import type { Bytes } from './protobuf.js';
import {
  encodeFunction,
  encodeSavedModel,
  typeAttr,
  type Attr,
  type Attrs,
  type FunctionDef,
  type NodeDef,
} from './saved-model.js';
import { callAttributes, inSegments, isLong } from './segments.js';
import { DT } from './tensorflow.js';

/** A traced function. */
export interface Program {
  readonly name: string;
  readonly graph: Graph;
  readonly xla: boolean;
  /** The number of concurrent calls: the graph has as many copies, compiled once. */
  readonly copies: number;
}

/** Names of what a run feeds and fetches; comma-separated, as the binding expects. */
export interface Endpoint {
  readonly inputs: string;
  readonly outputs: string;
}

/** Endpoints of a variable: written from JavaScript, shared from another graph's memory, read. */
export const variableEndpoints = (slot: number) => ({
  write: { inputs: `v${slot}/in:0`, outputs: `v${slot}/written:0` },
  share: { inputs: `v${slot}/theirs:0`, outputs: `v${slot}/shared:0` },
  read: { inputs: '', outputs: `v${slot}/read:0` },
  /** As JavaScript reads it: bfloat16 as float32. */
  values: { inputs: '', outputs: `v${slot}/values:0` },
});

/** The type of a variable in JavaScript, which has no bfloat16. */
export const typeOutside = (dtype: number): number => (dtype === DT.BFLOAT16 ? DT.FLOAT : dtype);

const placeholder = (name: string, { dtype, shape }: Spec): NodeDef => ({
  name,
  op: 'Placeholder',
  inputs: [],
  attrs: { dtype: typeAttr(dtype), shape: { kind: 'shape', value: shape } },
});

/** A constant whose fetching runs `after`, since the binding only runs what it fetches. */
const fetchable = (name: string, after: readonly string[]): NodeDef => ({
  name,
  op: 'Const',
  inputs: after.map((node) => `^${node}`),
  attrs: {
    dtype: typeAttr(DT.INT32),
    value: { kind: 'tensor', dtype: DT.INT32, shape: [], data: Int32Array.of(0) },
  },
});

const converted = (name: string, from: string, source: number, dtype: number): NodeDef =>
  source === dtype
    ? { name, op: 'Identity', inputs: [from], attrs: { T: typeAttr(dtype) } }
    : { name, op: 'Cast', inputs: [from], attrs: { SrcT: typeAttr(source), DstT: typeAttr(dtype) } };

function variableNodes(slot: number, spec: Spec): NodeDef[] {
  const name = `v${slot}`;
  const [dtype, outside] = [typeAttr(spec.dtype), typeOutside(spec.dtype)];
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
    // A variable must not keep JavaScript's memory, which is fed.
    outside === spec.dtype
      ? { name: `${name}/copy`, op: 'DeepCopy', inputs: [`${name}/in`], attrs: { T: dtype } }
      : converted(`${name}/copy`, `${name}/in`, outside, spec.dtype),
    { name: `${name}/assign`, op: 'AssignVariableOp', inputs: [name, `${name}/copy`], attrs: { dtype } },
    fetchable(`${name}/written`, [`${name}/assign`]),
    // TensorFlow counts references to its memory and copies shared values before it changes them.
    placeholder(`${name}/theirs`, spec),
    { name: `${name}/share`, op: 'AssignVariableOp', inputs: [name, `${name}/theirs`], attrs: { dtype } },
    fetchable(`${name}/shared`, [`${name}/share`]),
  ];
}

/** Writes a program as plain nodes. */
function inline({ graph }: Program, prefix: string) {
  const { nodes, outputs, effects, functions } = graph.toNodes({
    prefix: `${prefix}/`,
    input: (i) => `${prefix}/in${i}:0`,
    variable: (slot) => `v${slot}`,
  });
  const done = outputs.length === 0 ? [fetchable(`${prefix}/done`, effects)] : [];
  return { nodes: [...nodes, ...done], functions, outputs };
}

/** A collision-free digest in letters and digits. */
export type Digest = (bytes: Bytes) => string;

/**
 * Names functions by their content. XLA's cache depends on names, and numbers in the order of tracing would differ between
 * processes that trace in another order, such as one that resumes.
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

/** Cuts a long function into segments for XLA, equal ones shared. */
export function forXla(graph: Graph, digest: Digest): Graph {
  if (!isLong(graph)) return graph;
  const parts = new Map<string, Graph>();
  return inSegments(graph, (part) => {
    const content = namedByContent('part', part.toFunctions(), digest).at(-1)?.name ?? part.name;
    const same = parts.get(content) ?? part;
    parts.set(content, same);
    return same;
  });
}

/** Operations that TensorFlow translates for XLA through MLIR, in 5 to 6 ms each per process; others take at most a tenth. */
const THROUGH_MLIR: ReadonlySet<string> = new Set([
  ...['Abs', 'Exp', 'Expm1', 'Floor', 'Log1p', 'Reciprocal', 'Rsqrt', 'Sigmoid', 'Sign', 'Sqrt', 'Tanh'],
  ...['LogSoftmax', 'Relu', 'Softmax', 'Select', 'XlaOptimizationBarrier'],
]);

/**
 * Replaces each of these operations by a call of a one-operation function that may not be inlined: TensorFlow translates it once
 * per shape, and XLA inlines it first, so the machine code is the same. Four graphs of thirty layers reach XLA in 1.1 s of CPU
 * time instead of 4.4.
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

/** A function of one operation and its first result; null if the operation has no type attribute. */
function functionOf({ op, attrs }: NodeDef): FunctionDef | null {
  const { T } = attrs;
  const types = T?.kind === 'types' ? T.value : T?.kind === 'type' ? [T.value] : [];
  const [dtype] = types;
  if (dtype === undefined) return null;
  const inputTypes = op === 'Select' ? [DT.BOOL, dtype, dtype] : types;
  const inputs = inputTypes.map((of, i) => ({ name: `in${i}`, dtype: of }));
  const result = operations.get(op)?.names[0] ?? '';
  return {
    name: `${op}_${types.join('_')}`,
    attrs: { _noinline: { kind: 'bool', value: true } },
    inputs,
    outputs: [{ name: result, dtype, from: `alone:${result}:0` }],
    effects: [],
    nodes: [{ name: 'alone', op, inputs: inputs.map(({ name }) => name), attrs }],
  };
}

/** Writes a segmented program as calls of functions that XLA compiles one by one. */
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

/** Writes a program as one call of a function that XLA compiles. */
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

/** Links programs and the variables that they use. @returns the model and the endpoints of each copy of each program */
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
