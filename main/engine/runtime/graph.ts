/**
 * A traced function as a graph of nodes, with reads and assignments of variables. It is written either into TensorFlow's
 * main graph or as a function of its library, which XLA compiles and loops call.
 */
import { typeAttr, type Attrs, type FunctionDef, type NodeDef } from './saved-model.js';
import { operations, type Spec } from './operations.js';
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
  /** Functions that this node calls, written into the library with it. */
  readonly calls: readonly Graph[];
  /** Control inputs. */
  readonly after: readonly (Node | Update)[];
  readonly segment: number;
  /** Variables whose handles follow the inputs. */
  readonly slots: readonly number[];
}

/** An update of variables in place. Updates run in order, after all reads of the variables that they change. */
export interface Update {
  readonly index: number;
  readonly segment: number;
  /** The number of nodes before it. */
  readonly before: number;
  readonly op: string;
  /** Variables whose handles are its first inputs. */
  readonly slots: readonly number[];
  readonly inputs: readonly Value[];
  readonly attrs: Attrs;
}

/** Names of nodes, arguments and variables in the written graph. */
interface Names {
  /** Of every node. */
  readonly prefix: string;
  input(i: number): string;
  variable(slot: number): string;
}

/** An argument; it is written as a reference, not a node. */
export const ARGUMENT = 'Argument';

/** Calls a function that XLA compiles. */
export const CALL = 'StatefulPartitionedCall';

/** Larger constants of one repeated value are written as Fill. */
const UNIFORM_FROM = 16;

/** Larger constants are shared by tensor and shape, smaller ones by content. */
export const SHARED_CONSTANT_BYTES = 4096;

/** Keeps TensorFlow's graph optimizer, which spares tf.data's functions, from adding operations that XLA lacks. */
const RAW_FUNCTION: Attrs = { _tf_data_function: { kind: 'bool', value: true } };

export class Graph {
  readonly nodes: Node[] = [];
  readonly inputs: Value[] = [];
  readonly outputs: Value[] = [];
  /** Initial values of variables, by slot. */
  readonly reads = new Map<number, Value>();
  /** Final values of variables that are assigned to, by slot. */
  readonly assigns = new Map<number, Value>();
  readonly updates: Update[] = [];
  /** Values of variables since their last update, by slot. */
  private readonly readAgain = new Map<number, Value>();
  /** Small constants, reshapes and casts, each of which exists once. */
  private readonly shared = new Map<string, Value>();
  /** By the tensor's data, then by type and shape. */
  private readonly largeConstants = new WeakMap<object, Map<string, Value>>();
  /** Nodes that change variables, and run whether or not their results are used. */
  readonly changing: Node[] = [];
  /** The current segment (segments.ts). */
  segment = 0;
  /** The number of segments of each kind. */
  readonly segments = new Map<string, number>();

  constructor(readonly name: string) {}

  addNode(
    op: string,
    inputs: readonly Value[],
    attrs: Attrs,
    rest: Partial<Pick<Node, 'calls' | 'after' | 'slots'>> = {},
  ): Node {
    const { calls = [], after = [], slots = [] } = rest;
    const node: Node = { id: this.nodes.length, op, inputs, attrs, calls, after, slots, segment: this.segment };
    this.nodes.push(node);
    return node;
  }

  /** Adds a node and returns its outputs. */
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

  /** Adds a node with one output. */
  one(op: string, inputs: readonly Value[], attrs: Attrs, { dtype, shape }: Spec, after: Node['after'] = []): Value {
    return { node: this.addNode(op, inputs, attrs, { after }), index: 0, dtype, shape };
  }

  beginSegment(kind: string): void {
    this.segment++;
    this.segments.set(kind, (this.segments.get(kind) ?? 0) + 1);
  }

  /** Records `make` in the first segment. */
  atStart<T>(make: () => T): T {
    const { segment } = this;
    this.segment = 0;
    try {
      return make();
    } finally {
      this.segment = segment;
    }
  }

  /** Returns an argument, creating it if needed. */
  input(index: number, { dtype, shape }: Spec): Value {
    this.inputs[index] ??= this.one(ARGUMENT, [], { index: { kind: 'int', value: index } }, { dtype, shape });
    return this.inputs[index];
  }

  /** The last update of a variable. */
  updateOf(slot: number): Update | undefined {
    return this.updates.findLast(({ slots }) => slots.includes(slot));
  }

  /** Reads a variable: its initial value, or that since its last update. */
  read(slot: number, spec: Spec): Value {
    const update = this.updateOf(slot);
    const values = update ? this.readAgain : this.reads;
    const known = values.get(slot);
    if (known) return known;
    const rest = { after: update ? [update] : [], slots: [slot] };
    const node = this.addNode('ReadVariableOp', [], { dtype: typeAttr(spec.dtype) }, rest);
    const value: Value = { node, index: 0, dtype: spec.dtype, shape: spec.shape };
    values.set(slot, value);
    return value;
  }

  update(op: string, slots: readonly number[], inputs: readonly Value[], attrs: Attrs): void {
    const { segment } = this;
    this.updates.push({ index: this.updates.length, segment, before: this.nodes.length, op, slots, inputs, attrs });
    for (const slot of slots) this.readAgain.delete(slot);
  }

  /** Returns `value` with control inputs from `others` and the last update. */
  after(value: Value, others: readonly Value[]): Value {
    const last = this.updates.at(-1);
    const nodes = others.flatMap(({ node }) => (node.op === ARGUMENT || node.op === 'Const' ? [] : node));
    return this.one('Identity', [value], { T: typeAttr(value.dtype) }, value, [...nodes, ...(last ? [last] : [])]);
  }

  private once(key: string, make: () => Value, values: Map<string, Value> = this.shared): Value {
    const value = values.get(key) ?? make();
    values.set(key, value);
    return value;
  }

  /** Adds a constant. @param source identifies the data of large ones */
  constant(dtype: number, shape: Shape, data: TypedArray, source: object = data): Value {
    const isLarge = data.byteLength > SHARED_CONSTANT_BYTES;
    const bytes = isLarge ? [] : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const key = `${dtype}[${shape.join()}]${String.fromCharCode(...bytes)}`;
    const large = this.largeConstants.get(source) ?? new Map<string, Value>();
    if (isLarge) this.largeConstants.set(source, large);
    return this.once(key, () => this.newConstant(dtype, shape, data), isLarge ? large : this.shared);
  }

  private newConstant(dtype: number, shape: Shape, data: TypedArray): Value {
    const size = sizeOf(shape);
    if (size > UNIFORM_FROM && dtype !== DT.INT64 && data.every((x) => Object.is(x, data[0]))) {
      const dims = this.constant(DT.INT32, [shape.length], Int32Array.from(shape));
      const value = this.constant(dtype, [], data.slice(0, 1));
      const attrs: Attrs = { T: typeAttr(dtype), index_type: typeAttr(DT.INT32) };
      return this.one('Fill', [dims, value], attrs, { dtype, shape });
    }
    const value = { kind: 'tensor', dtype, shape, data: data.slice() } as const;
    return this.one('Const', [], { dtype: typeAttr(dtype), value }, { dtype, shape });
  }

  /** The same elements in another shape (tfjs's reshape and clone share data ids). */
  reshape(value: Value, shape: Shape): Value {
    const { dtype } = value;
    return this.once(`reshape ${value.node.id}:${value.index}[${shape.join()}]`, () => {
      const dims = this.constant(DT.INT32, [shape.length], Int32Array.from(shape));
      const attrs: Attrs = { T: typeAttr(dtype), Tshape: typeAttr(DT.INT32) };
      return this.one('Reshape', [value, dims], attrs, { dtype, shape });
    });
  }

  /** The bfloat16 value that an f32 value was cast from, if any. */
  narrow(value: Value): Value | undefined {
    const [source] = value.node.inputs;
    if (!source || value.dtype !== DT.FLOAT) return undefined;
    if (value.node.op === 'Cast') return source.dtype === DT.BFLOAT16 ? source : undefined;
    const inner = value.node.op === 'Reshape' ? this.narrow(source) : undefined;
    return inner && this.reshape(inner, value.shape);
  }

  cast(value: Value, dtype: number): Value {
    const narrow = dtype === DT.BFLOAT16 ? this.narrow(value) : undefined;
    if (narrow) return narrow;
    return this.once(`cast ${value.node.id}:${value.index} ${dtype}`, () => {
      const attrs: Attrs = { SrcT: typeAttr(value.dtype), DstT: typeAttr(dtype) };
      return this.one('Cast', [value], attrs, { dtype, shape: value.shape });
    });
  }

  /** All variables, in the order of a function's arguments. */
  slots(): number[] {
    const handed = this.nodes.flatMap(({ slots }) => slots);
    return [...new Set([...handed, ...this.changed()])].sort((a, b) => a - b);
  }

  /** Variables that are assigned or updated. */
  changed(): number[] {
    return [...new Set([...this.assigns.keys(), ...this.updates.flatMap(({ slots }) => slots)])];
  }

  /** The values of a constant; undefined for other values. */
  static constantOf({ node, shape }: Value): TypedArray | undefined {
    const attr = node.attrs['value'];
    if (node.op === 'Const' && attr?.kind === 'tensor') return attr.data;
    const [, one] = node.op === 'Fill' && shape.length === 1 ? node.inputs : [];
    return one && Graph.constantOf(one)?.constructor === Int32Array
      ? new Int32Array(sizeOf(shape)).fill(Graph.constantOf(one)?.[0] ?? 0)
      : undefined;
  }

  /** Estimates XLA's work: kinds of operations by input shapes, and a tenth for each more of a kind, as measured. */
  operations(): number {
    const own = this.calledParts().length > 0 ? [] : this.needed();
    const nodes = [...own, ...this.callees().flatMap((graph) => graph.needed())];
    const kinds = new Set(nodes.map(({ op, inputs }) => `${op} ${inputs.map(({ shape }) => shape.join()).join(' ')}`));
    return Math.round(kinds.size + (nodes.length - kinds.size) / 10);
  }

  /** The nodes that outputs, assignments and updates need, in order. */
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

  /** The distinct functions of a segmented graph. */
  calledParts(): Graph[] {
    return [...new Set(this.nodes.flatMap(({ op, calls }) => (op === CALL ? calls : [])))];
  }

  /** All called functions, callees first. */
  private callees(): Graph[] {
    const called = new Set(this.needed().flatMap(({ calls }) => calls));
    return [...new Set([...called].flatMap((graph) => [...graph.callees(), graph]))];
  }

  /**
   * Writes nodes, updates and assignments; `where` names values.
   * @param copyArguments copies an argument that is assigned unchanged, since a variable must not keep JavaScript's memory (XLA
   *   copies by itself)
   */
  private body(names: Names, where: (value: Value) => string, copyArguments: boolean) {
    const name = (node: Node): string => `${names.prefix}n${node.id}`;
    const updateName = ({ index }: Update): string => `${names.prefix}update${index}`;
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
      copies.push({ name: copy, op: 'DeepCopy', inputs: [where(value)], attrs: { T: typeAttr(value.dtype) } });
      return `${copy}:0`;
    };
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
      attrs: { dtype: typeAttr(value.dtype) },
    }));
    const effects = [...updates, ...assigns];
    return {
      nodes: [...nodes, ...copies, ...effects],
      effects: [...this.changing.map(name), ...effects.map((effect) => effect.name)],
    };
  }

  /** Writes nodes of the main graph; `outputs` and `effects` are names. */
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
      attrs: { T: typeAttr(value.dtype) },
    }));
    const functions = this.callees().map((graph) => graph.toFunction());
    return { nodes: [...nodes, ...outputs], outputs: outputs.map(({ name }) => `${name}:0`), effects, functions };
  }

  /** Writes a library function of the arguments, then a resource for each of `slots()`. */
  toFunction(): FunctionDef {
    // Numbered within the function, so that its name does not depend on the session (program.ts).
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

/** Whether a value shares an argument's memory. */
function isArgument({ node }: Value): boolean {
  if (node.op === ARGUMENT) return true;
  const [source] = node.inputs;
  return source !== undefined && ['Reshape', 'Identity', 'ExpandDims'].includes(node.op) && isArgument(source);
}

/** `argument:index` of a node's output in a function body. */
function outputName(op: string, index: number): string {
  const rule = operations.get(op);
  if (!rule) throw new Error(`no rule for ${op}`);
  return rule.list ? `${rule.names[0] ?? ''}:${index}` : `${rule.names[index] ?? ''}:0`;
}

/** Outer values that a called function uses, passed as extra arguments; in the same order to both functions of a loop. */
export class Captures {
  readonly values: Value[] = [];

  /** @param stateSize the number of arguments before them */
  constructor(private readonly stateSize = 0) {}

  /** Returns the argument of `graph` for an outer value. */
  argument(graph: Graph, outside: Value): Value {
    let place = this.values.indexOf(outside);
    if (place < 0) place = this.values.push(outside) - 1;
    return graph.input(this.stateSize + place, outside);
  }

  /** Adds an argument to `graph` for each captured value, used or not. */
  complete(graph: Graph): readonly Value[] {
    return this.values.map((outside) => this.argument(graph, outside));
  }
}
