/**
 * A traced function as a graph: values, the nodes that make them, what is read from and assigned to variables. It is
 * written either into TensorFlow's main graph or as a function of its library (which XLA compiles, and loops call).
 */
import { opset } from './operations/opset.js';
import type { Attr, Attrs, FunctionDef, NodeDef } from './protobuf.js';
import type { Spec } from './operations/shape-rules.js';
import { DT, sizeOf, type Shape, type TypedArray } from './tensorflow.js';

/** One output of a node. */
export interface Value extends Spec {
  readonly node: Node;
  readonly index: number;
}

export interface Node {
  readonly id: number;
  readonly op: string;
  readonly inputs: readonly Value[];
  readonly attrs: Attrs;
  /** Functions called by this node (loops), written into the library with it. */
  readonly calls: readonly Graph[];
  /** What it begins after, besides its inputs. */
  readonly after: readonly (Node | Update)[];
  /** Which stretch of the function it is in (stretches.ts). */
  readonly stretch: number;
  /** Variables whose handles follow the inputs: of a read, or of a call of a function that has them. */
  readonly slots: readonly number[];
}

/** A change of variables where they are. Updates happen one after the other, after all reads of what they change. */
export interface Update {
  readonly place: number;
  readonly stretch: number;
  /** How many nodes there were before it. */
  readonly before: number;
  readonly op: string;
  /** The variables, which are its first inputs. */
  readonly slots: readonly number[];
  readonly inputs: readonly Value[];
  readonly attrs: Attrs;
}

/** What a function's arguments and variables are called where the graph is written. */
interface Names {
  /** Prefix of every node. */
  readonly prefix: string;
  input(i: number): string;
  variable(slot: number): string;
}

/** Ops that stand for what comes from outside; they become references, not nodes. */
export const ARGUMENT = 'Argument';

/** A call of a function that XLA compiles. */
export const CALL = 'StatefulPartitionedCall';

/** Constants above this many elements that repeat one value are written as Fill. */
const UNIFORM_FROM = 16;

/** Larger constants are not compared with each other: of one tensor there is one in each shape. */
export const SHARED_CONSTANT_BYTES = 4096;

/**
 * TensorFlow's graph optimizer leaves tf.data's functions alone. Ours must be left alone too: it would rewrite them
 * into operations that XLA does not have (TemporaryVariable for a sum, say), and XLA optimizes better.
 */
const RAW_FUNCTION: Attrs = { _tf_data_function: { kind: 'bool', value: true } };

export class Graph {
  readonly nodes: Node[] = [];
  readonly inputs: Value[] = [];
  readonly outputs: Value[] = [];
  /** Variables by slot: the value read at the start, if any. */
  readonly reads = new Map<number, Value>();
  /** Variables by slot: the value at the end, where it changed. */
  readonly assigns = new Map<number, Value>();
  readonly updates: Update[] = [];
  /** Variables by slot: the value read since its update. */
  private readonly readAgain = new Map<number, Value>();
  private readonly constants = new Map<string, Value>();
  /** By the tensor's data, then by shape. */
  private readonly largeConstants = new WeakMap<object, Map<string, Value>>();
  private readonly reshaped = new Map<string, Value>();
  private readonly casts = new Map<string, Value>();
  /** Nodes that change variables themselves, and run whether or not their results are used. */
  readonly changing: Node[] = [];
  /** The stretch that what is recorded now belongs to. */
  stretch = 0;
  /** How many stretches of each kind there are. */
  readonly stretches = new Map<string, number>();

  constructor(readonly name: string) {}

  addNode(
    op: string,
    inputs: readonly Value[],
    attrs: Attrs,
    rest: Partial<Pick<Node, 'calls' | 'after' | 'slots'>> = {},
  ): Node {
    const { calls = [], after = [], slots = [] } = rest;
    const node: Node = { id: this.nodes.length, op, inputs, attrs, calls, after, slots, stretch: this.stretch };
    this.nodes.push(node);
    return node;
  }

  /** A node by what it gives. */
  add(
    op: string,
    inputs: readonly Value[],
    attrs: Attrs,
    outputs: readonly Spec[],
    calls: readonly Graph[] = [],
  ): Value[] {
    const node = this.addNode(op, inputs, attrs, { calls });
    return outputs.map(({ dtype, shape }, index) => ({ node, index, dtype, shape }));
  }

  /** The same of an operation that has one output. */
  one(op: string, inputs: readonly Value[], attrs: Attrs, { dtype, shape }: Spec, after: Node['after'] = []): Value {
    return { node: this.addNode(op, inputs, attrs, { after }), index: 0, dtype, shape };
  }

  /** What is recorded from here on is another stretch (stretches.ts). @param of its kind */
  beginStretch(of: string): void {
    this.stretch++;
    this.stretches.set(of, (this.stretches.get(of) ?? 0) + 1);
  }

  /** What `make` records is part of the first stretch. */
  atStart<T>(make: () => T): T {
    const { stretch } = this;
    this.stretch = 0;
    try {
      return make();
    } finally {
      this.stretch = stretch;
    }
  }

  /** A new argument, after those that there are. */
  input(spec: Spec): Value {
    return this.inputAt(this.inputs.length, spec);
  }

  /** Argument number `place`, which may be there already. */
  inputAt(place: number, { dtype, shape }: Spec): Value {
    this.inputs[place] ??= this.one(ARGUMENT, [], { index: { kind: 'int', value: place } }, { dtype, shape });
    return this.inputs[place];
  }

  /** The last update of a variable so far. */
  updateOf(slot: number): Update | undefined {
    return this.updates.findLast(({ slots }) => slots.includes(slot));
  }

  /** The value of a variable: at the start, or since it was updated. */
  read(slot: number, spec: Spec): Value {
    const update = this.updateOf(slot);
    const values = update ? this.readAgain : this.reads;
    const known = values.get(slot);
    if (known) return known;
    const attrs: Attrs = { dtype: { kind: 'type', value: spec.dtype } };
    const node = this.addNode('ReadVariableOp', [], attrs, { after: update ? [update] : [], slots: [slot] });
    const value: Value = { node, index: 0, dtype: spec.dtype, shape: spec.shape };
    values.set(slot, value);
    return value;
  }

  /** Changes the variables in `slots`: the first inputs of `op` are theirs, the others follow. */
  update(op: string, slots: readonly number[], inputs: readonly Value[], attrs: Attrs): void {
    const { stretch } = this;
    this.updates.push({ place: this.updates.length, stretch, before: this.nodes.length, op, slots, inputs, attrs });
    for (const slot of slots) this.readAgain.delete(slot);
  }

  /** `value`, not before `others` are there and the updates so far are done. */
  after(value: Value, others: readonly Value[]): Value {
    const last = this.updates.at(-1);
    const nodes = others.flatMap(({ node }) => (node.op === ARGUMENT || node.op === 'Const' ? [] : node));
    const attrs: Attrs = { T: { kind: 'type', value: value.dtype } };
    return this.one('Identity', [value], attrs, value, [...nodes, ...(last ? [last] : [])]);
  }

  /**
   * A constant; equal ones are one node, but for large ones that are not of one tensor.
   * @param source whose data it is: the same for the same data
   */
  constant(dtype: number, shape: Shape, data: TypedArray, source: object = data): Value {
    const isLarge = data.byteLength > SHARED_CONSTANT_BYTES;
    const among = isLarge ? this.largeOf(source) : this.constants;
    const key = `${dtype}[${shape.join()}]${isLarge ? '' : bytesAsText(data)}`;
    const known = among.get(key);
    if (known) return known;
    const value = this.newConstant(dtype, shape, data);
    among.set(key, value);
    return value;
  }

  private largeOf(source: object): Map<string, Value> {
    const known = this.largeConstants.get(source) ?? new Map<string, Value>();
    this.largeConstants.set(source, known);
    return known;
  }

  private newConstant(dtype: number, shape: Shape, data: TypedArray): Value {
    const size = sizeOf(shape);
    if (size > UNIFORM_FROM && dtype !== DT.INT64 && data.every((x) => Object.is(x, data[0]))) {
      const dims = this.constant(DT.INT32, [shape.length], Int32Array.from(shape));
      const value = this.constant(dtype, [], data.slice(0, 1));
      const attrs: Attrs = { T: { kind: 'type', value: dtype }, index_type: { kind: 'type', value: DT.INT32 } };
      return this.one('Fill', [dims, value], attrs, { dtype, shape });
    }
    const tensor: Attr = { kind: 'tensor', dtype, shape, data: data.slice() };
    return this.one('Const', [], { dtype: { kind: 'type', value: dtype }, value: tensor }, { dtype, shape });
  }

  /** The same elements in another shape (tfjs's reshape and clone share data ids). */
  reshape(value: Value, shape: Shape): Value {
    const key = `${value.node.id}:${value.index}[${shape.join()}]`;
    const known = this.reshaped.get(key);
    if (known) return known;
    const dims = this.constant(DT.INT32, [shape.length], Int32Array.from(shape));
    const attrs: Attrs = { T: { kind: 'type', value: value.dtype }, Tshape: { kind: 'type', value: DT.INT32 } };
    const reshaped = this.one('Reshape', [value, dims], attrs, { dtype: value.dtype, shape });
    this.reshaped.set(key, reshaped);
    return reshaped;
  }

  /** The bfloat16 numbers that a value of f32 was made from without a change, if it was. */
  narrow(value: Value): Value | undefined {
    const [source] = value.node.inputs;
    if (!source || value.dtype !== DT.FLOAT) return undefined;
    if (value.node.op === 'Cast') return source.dtype === DT.BFLOAT16 ? source : undefined;
    const inner = value.node.op === 'Reshape' ? this.narrow(source) : undefined;
    return inner && this.reshape(inner, value.shape);
  }

  /** The same elements in another type; of one value and type there is one. */
  cast(value: Value, dtype: number): Value {
    const narrow = dtype === DT.BFLOAT16 ? this.narrow(value) : undefined;
    if (narrow) return narrow;
    const key = `${value.node.id}:${value.index}${dtype}`;
    const known = this.casts.get(key);
    if (known) return known;
    const attrs: Attrs = { SrcT: { kind: 'type', value: value.dtype }, DstT: { kind: 'type', value: dtype } };
    const cast = this.one('Cast', [value], attrs, { dtype, shape: value.shape });
    this.casts.set(key, cast);
    return cast;
  }

  /** Variables in the order in which a function takes them. */
  slots(): number[] {
    const handed = this.nodes.flatMap(({ slots }) => slots);
    return [...new Set([...handed, ...this.changed()])].sort((a, b) => a - b);
  }

  /** Variables that it assigns or updates. */
  changed(): number[] {
    return [...new Set([...this.assigns.keys(), ...this.updates.flatMap(({ slots }) => slots)])];
  }

  /** Values of the constant behind `value`, if it is one. */
  static constantOf({ node, shape }: Value): TypedArray | undefined {
    const attr = node.attrs['value'];
    if (node.op === 'Const' && attr?.kind === 'tensor') return attr.data;
    // A list of equal numbers is kept as one of them.
    const [, one] = node.op === 'Fill' && shape.length === 1 ? node.inputs : [];
    return one && Graph.constantOf(one)?.constructor === Int32Array
      ? new Int32Array(sizeOf(shape)).fill(Graph.constantOf(one)?.[0] ?? 0)
      : undefined;
  }

  /**
   * What XLA has to compile: kinds of operations, by their inputs' shapes. One more of a kind counts a tenth, as XLA takes about that
   * for it, and each function that is called counts once.
   */
  operations(): number {
    const own = this.calledParts().length > 0 ? [] : this.needed();
    const nodes = [...own, ...this.callees().flatMap((graph) => graph.needed())];
    const kinds = new Set(nodes.map(({ op, inputs }) => `${op} ${inputs.map(({ shape }) => shape.join()).join(' ')}`));
    return Math.round(kinds.size + (nodes.length - kinds.size) / 10);
  }

  /** The nodes that outputs and assignments need, in order. */
  needed(): Node[] {
    const wanted = new Set<Node>();
    const updates = this.updates.flatMap(({ inputs }) => inputs);
    const pending = [...this.outputs, ...this.assigns.values(), ...updates].map(({ node }) => node);
    pending.push(...this.changing);
    for (let node = pending.pop(); node; node = pending.pop()) {
      if (wanted.has(node)) continue;
      wanted.add(node);
      pending.push(...node.inputs.map((value) => value.node), ...node.after.filter((other) => 'id' in other));
    }
    return this.nodes.filter((node) => wanted.has(node));
  }

  /** Operations that cannot be in a function, because the names of their outputs are not known. */
  unnamed(): string[] {
    const known = new Set([...opset.keys(), ARGUMENT, 'Const', 'ReadVariableOp', 'StatelessWhile']);
    return this.needed().flatMap(({ op, calls }) => [
      ...(known.has(op) ? [] : [op]),
      ...calls.flatMap((graph) => graph.unnamed()),
    ]);
  }

  /** Of a function that was cut, the parts, each once. */
  calledParts(): Graph[] {
    return [...new Set(this.nodes.flatMap(({ op, calls }) => (op === CALL ? calls : [])))];
  }

  /** All functions called from here, callees first, each once. */
  private callees(): Graph[] {
    const called = new Set(this.needed().flatMap(({ calls }) => calls));
    return [...new Set([...called].flatMap((graph) => [...graph.callees(), graph]))];
  }

  /**
   * Node definitions of the body and its assignments; `where` says how a value is named there.
   * @param copyArguments copy an argument that is assigned as it is: what is fed is JavaScript's memory, which a
   *   variable must not keep (XLA copies by itself)
   */
  private body(names: Names, where: (value: Value) => string, copyArguments: boolean) {
    const name = (node: Node): string => `${names.prefix}n${node.id}`;
    const updateName = ({ place }: Update): string => `${names.prefix}update${place}`;
    const waits = (others: Node['after']) => others.map((one) => `^${'id' in one ? name(one) : updateName(one)}`);
    const nodes = this.needed().flatMap((node): NodeDef[] => {
      if (node.op === ARGUMENT) return [];
      const inputs = [...node.inputs.map(where), ...node.slots.map((slot) => names.variable(slot))];
      return [{ name: name(node), op: node.op, inputs: [...inputs, ...waits(node.after)], attrs: node.attrs }];
    });
    const present = new Set(nodes.map((node) => node.name));
    const copies: NodeDef[] = [];
    const stored = (slot: number, value: Value): string => {
      if (!copyArguments || !isArgument(value)) return where(value);
      const copy = `${names.prefix}copy_${names.variable(slot)}`;
      copies.push({
        name: copy,
        op: 'DeepCopy',
        inputs: [where(value)],
        attrs: { T: { kind: 'type', value: value.dtype } },
      });
      return `${copy}:0`;
    };
    // The old value is read before the new one is in place.
    const afterRead = (slot: number): string[] => {
      const read = this.reads.get(slot);
      return read && present.has(name(read.node)) ? [`^${name(read.node)}`] : [];
    };
    const updates = this.updates.map((update, place): NodeDef => {
      const before = this.updates[place - 1];
      const after = [...new Set(update.slots.flatMap(afterRead)), ...(before ? [`^${updateName(before)}`] : [])];
      const inputs = [...update.slots.map((slot) => names.variable(slot)), ...update.inputs.map(where), ...after];
      return { name: updateName(update), op: update.op, inputs, attrs: update.attrs };
    });
    const assigns = [...this.assigns].map(([slot, value]): NodeDef => ({
      name: `${names.prefix}assign_${names.variable(slot)}`,
      op: 'AssignVariableOp',
      inputs: [names.variable(slot), stored(slot, value), ...afterRead(slot)],
      attrs: { dtype: { kind: 'type', value: value.dtype } },
    }));
    const effects = [...updates, ...assigns];
    return {
      nodes: [...nodes, ...copies, ...effects],
      effects: [...this.changing.map(name), ...effects.map((effect) => effect.name)],
    };
  }

  /** As nodes of the main graph. Returns the names of the outputs there. */
  toNodes(names: Names): { nodes: NodeDef[]; outputs: string[]; effects: string[]; functions: FunctionDef[] } {
    const where = (value: Value): string => {
      const index = value.node.attrs['index'];
      if (value.node.op === ARGUMENT && index?.kind === 'int') return names.input(index.value);
      return `${names.prefix}n${value.node.id}:${value.index}`;
    };
    const { nodes, effects } = this.body(names, where, true);
    const after = effects.map((effect) => `^${effect}`);
    const outputs = this.outputs.map((value, i): NodeDef => ({
      name: `${names.prefix}out${i}`,
      op: 'Identity',
      inputs: [where(value), ...after],
      attrs: { T: { kind: 'type', value: value.dtype } },
    }));
    const functions = this.callees().map((graph) => graph.toFunction());
    return { nodes: [...nodes, ...outputs], outputs: outputs.map(({ name }) => `${name}:0`), effects, functions };
  }

  /** As a function of the library: arguments first, then a resource for each of `slots()`. */
  toFunction(): FunctionDef {
    // By its place among those of this function, which says nothing of what else the session has (program.ts).
    const places = new Map(this.slots().map((slot, place) => [slot, place]));
    const names: Names = {
      prefix: '',
      input: (i) => `in${i}`,
      variable: (slot) => `var${places.get(slot) ?? NaN}`,
    };
    const where = ({ node, index }: Value): string => {
      const position = node.attrs['index'];
      if (node.op === ARGUMENT && position?.kind === 'int') return names.input(position.value);
      return `n${node.id}:${outputName(node.op, index)}`;
    };
    const { nodes, effects } = this.body(names, where, false);
    return {
      name: this.name,
      attrs: RAW_FUNCTION,
      inputs: [
        ...this.inputs.map(({ dtype }, i) => ({ name: names.input(i), dtype })),
        ...this.slots().map((slot) => ({ name: names.variable(slot), dtype: DT.RESOURCE as number })),
      ],
      outputs: this.outputs.map((value, i) => ({ name: `out${i}`, dtype: value.dtype, from: where(value) })),
      effects,
      nodes,
    };
  }

  /** This function and those it calls, callees first. */
  toFunctions(): FunctionDef[] {
    return [...this.callees(), this].map((graph) => graph.toFunction());
  }
}

/** Whether a value is an argument's own memory, perhaps in another shape. */
function isArgument({ node }: Value): boolean {
  if (node.op === ARGUMENT) return true;
  const [source] = node.inputs;
  return source !== undefined && ['Reshape', 'Identity', 'ExpandDims'].includes(node.op) && isArgument(source);
}

/** `argument:index` of a node's output, as function bodies name it. */
function outputName(op: string, index: number): string {
  if (op === 'ReadVariableOp') return 'value:0';
  if (op === 'Const') return 'output:0';
  if (op === 'StatelessWhile') return `output:${index}`;
  const rule = opset.get(op);
  if (!rule) throw new Error(`the outputs of ${op} have no known names`);
  return rule.list ? `${rule.names[0] ?? ''}:${index}` : `${rule.names[index] ?? ''}:0`;
}

/** The bytes of an array as a string, for comparing constants. */
function bytesAsText(data: TypedArray): string {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/**
 * How functions that are called reach what is around them: values from outside that they use. They are arguments, of both of a loop's
 * functions in the same order.
 */
export class Captures {
  readonly values: Value[] = [];

  /** @param stateSize how many arguments come before them */
  constructor(private readonly stateSize = 0) {}

  /** The argument that stands for `outside` in `graph`, one of the functions. */
  argument(graph: Graph, outside: Value): Value {
    let place = this.values.indexOf(outside);
    if (place < 0) place = this.values.push(outside) - 1;
    return graph.inputAt(this.stateSize + place, outside);
  }

  /** Gives `graph` an argument for each capture, used there or not. */
  complete(graph: Graph): readonly Value[] {
    return this.values.map((outside) => this.argument(graph, outside));
  }
}
