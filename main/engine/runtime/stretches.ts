/**
 * A traced function as several that XLA compiles one by one. A network repeats its block; in a trace each block is there, forward and
 * backward, and as one function all of them are compiled, at a cost that grows faster than their number. Where the traced code says
 * so (`stretchFrom`, `beginStretch`) a long function is cut. Stretches that do the same are one function, compiled once and called
 * as often as there are blocks: thirty layers compile as fast as one, and a process that finds them compiled begins at once.
 *
 * What is read of variables, arguments and large constants stays outside of the stretches and is handed to them, as is what one
 * stretch makes and another needs. Variables that a stretch changes go in as handles, so that they change where they are.
 */
import { ARGUMENT, CALL, Captures, Graph, SHARED_CONSTANT_BYTES, type Node, type Update, type Value } from './graph.js';
import type { Attrs } from './protobuf.js';
import { DT } from './tensorflow.js';

/** With fewer stretches of each kind one function is better: XLA sees all of it, and has soon compiled it. Twelve blocks are as many and one. */
const MANY = 13;

/** Whether a function is worth cutting, and can be: no variable is changed by two stretches, one after the other. */
export function isLong({ stretches, updates, assigns }: Graph): boolean {
  if (Math.max(0, ...stretches.values()) < MANY) return false;
  const changing = new Map<number, number>();
  for (const { slots, stretch } of updates) {
    for (const slot of slots) {
      if (assigns.has(slot) || (changing.get(slot) ?? stretch) !== stretch) return false;
      changing.set(slot, stretch);
    }
  }
  return true;
}

/** What costs nothing is made again by each stretch that uses it. */
const FREE: ReadonlySet<string> = new Set(['Const', 'Reshape', 'Fill']);

/** How a call of a function that XLA compiles is written. */
export const callAttributes = (
  name: string,
  inputs: readonly { readonly dtype: number }[],
  slots: readonly number[],
  outputs: readonly { readonly dtype: number }[],
): Attrs => ({
  Tin: { kind: 'types', value: [...inputs.map(({ dtype }) => dtype), ...slots.map(() => DT.RESOURCE)] },
  Tout: { kind: 'types', value: outputs.map(({ dtype }) => dtype) },
  f: { kind: 'function', value: name },
  config: { kind: 'string', value: '' },
  config_proto: { kind: 'string', value: '' },
  executor_type: { kind: 'string', value: '' },
  _XlaMustCompile: { kind: 'bool', value: true },
});

/** One stretch: its nodes and updates in order, the variables that are assigned what it makes, and what others use of it. */
interface Stretch {
  readonly nodes: Node[];
  readonly updates: Update[];
  readonly assigns: Map<number, Value>;
  readonly results: Value[];
}

/**
 * The same function, of calls: each has a graph of its own.
 * @param sameAs the part itself, or one before it that does the same
 */
export function inStretches(graph: Graph, sameAs: (part: Graph) => Graph): Graph {
  const outer = new Outer(graph);
  for (const [place, stretch] of stretchesOf(graph)) outer.call(`${graph.name}_${place}`, stretch, sameAs);
  return outer.finish();
}

const keyOf = ({ node, index }: Value): string => `${node.id}:${index}`;

/** Arguments, large constants, and variables as they were, or as another stretch left them. */
function isOutside({ op, attrs, after, stretch }: Node): boolean {
  if (op === ARGUMENT) return true;
  if (op === 'Const')
    return attrs['value']?.kind === 'tensor' && attrs['value'].data.byteLength > SHARED_CONSTANT_BYTES;
  if (op !== 'ReadVariableOp') return false;
  const [update] = after;
  return update?.stretch !== stretch;
}

const isFree = (node: Node): boolean =>
  !isOutside(node) &&
  (FREE.has(node.op) || (node.op === 'Cast' && node.inputs.every((input) => isOutside(input.node))));

const isOwn = (node: Node): boolean => !isOutside(node) && !isFree(node);

/** A value without what costs nothing on the way to it. */
function source(value: Value): Value {
  const [input] = value.node.inputs;
  return input && isFree(value.node) ? source(input) : value;
}

function stretchesOf(graph: Graph): readonly (readonly [number, Stretch])[] {
  const stretches = new Map<number, Stretch>();
  const at = (place: number): Stretch => {
    const known = stretches.get(place) ?? { nodes: [], updates: [], assigns: new Map(), results: [] };
    stretches.set(place, known);
    return known;
  };
  for (const node of graph.needed()) if (isOwn(node)) at(node.stretch).nodes.push(node);
  for (const update of graph.updates) at(update.stretch).updates.push(update);
  for (const [slot, value] of graph.assigns) {
    const { node } = source(value);
    if (isOwn(node)) at(node.stretch).assigns.set(slot, value);
  }
  const used = new Set<string>();
  const use = (value: Value, by: number | null): void => {
    const { node } = value;
    if (isFree(node)) {
      for (const input of node.inputs) use(input, by);
    } else if (!isOutside(node) && node.stretch !== by && !used.has(keyOf(value))) {
      used.add(keyOf(value));
      at(node.stretch).results.push(value);
    }
  };
  for (const [place, { nodes, updates }] of stretches) {
    for (const { inputs } of [...nodes, ...updates]) for (const input of inputs) use(input, place);
  }
  for (const value of graph.outputs) use(value, null);
  for (const { results } of stretches.values()) results.sort((a, b) => a.node.id - b.node.id || a.index - b.index);
  return [...stretches].sort(([a], [b]) => a - b);
}

/** The function that calls, as it grows. */
class Outer {
  private readonly outer: Graph;
  /** What calls gave, by the value that it was. */
  private readonly given = new Map<string, Value>();
  private readonly copies = new Map<Node, Node>();
  private readonly callOf = new Map<Update, Node>();
  /** Which variables a call changes, and what it waits for. */
  private readonly changes: { readonly slots: readonly number[]; readonly after: Node[] }[] = [];

  constructor(private readonly graph: Graph) {
    this.outer = new Graph(graph.name);
    for (const input of graph.inputs) this.outer.input(input);
  }

  call(name: string, stretch: Stretch, sameAs: (part: Graph) => Graph): void {
    const { part, inputs } = partOf(name, stretch);
    const slots = part.slots();
    const changed = part.changed();
    const last = this.outer.changing.at(-1);
    const after = changed.length > 0 && last ? [last] : [];
    const same = sameAs(part);
    const attrs = callAttributes(same.name, inputs, slots, stretch.results);
    const values = inputs.map((input) => this.value(input));
    const call = this.outer.addNode(CALL, values, attrs, { calls: [same], after, slots });
    stretch.results.forEach((value, index) => this.given.set(keyOf(value), { ...value, node: call, index }));
    for (const update of stretch.updates) this.callOf.set(update, call);
    if (changed.length === 0) return;
    this.changes.push({ slots: changed, after });
    this.outer.changing.push(call);
  }

  finish(): Graph {
    const { outer, graph } = this;
    outer.outputs.push(...graph.outputs.map((value) => this.value(value)));
    const assigned = new Set(this.changes.flatMap(({ slots }) => slots));
    for (const [slot, value] of graph.assigns) if (!assigned.has(slot)) outer.assigns.set(slot, this.value(value));
    // What a variable was is read before it is changed.
    for (const { slots, after } of this.changes) {
      after.push(...slots.flatMap((slot) => outer.reads.get(slot)?.node ?? []));
    }
    return outer;
  }

  /** A value outside of the stretches. */
  private value(value: Value): Value {
    const { node } = value;
    const given = this.given.get(keyOf(value));
    if (given) return given;
    const copy = this.copies.get(node);
    if (copy) return { ...value, node: copy };
    if (isOwn(node)) throw new Error(`a stretch needs a ${node.op} that a later one makes`);
    const place = node.attrs['index'];
    if (node.op === ARGUMENT && place?.kind === 'int') return this.outer.inputAt(place.value, value);
    const [slot] = node.slots;
    if (slot !== undefined && node.after.length === 0) return this.outer.read(slot, value);
    const after = node.after.flatMap((other) => ('id' in other ? [] : (this.callOf.get(other) ?? [])));
    const inputs = node.inputs.map((input) => this.value(input));
    const made = this.outer.addNode(node.op, inputs, node.attrs, { after, slots: node.slots });
    this.copies.set(node, made);
    return { ...value, node: made };
  }
}

/** A stretch as a function; `inputs` are the values that it is called with. */
function partOf(name: string, { nodes, updates, assigns, results }: Stretch) {
  const part = new Graph(name);
  const captures = new Captures();
  const copies = new Map<Node, Node>();
  const own = new Set([...updates.flatMap(({ slots }) => slots), ...assigns.keys()]);

  const copy = (node: Node): Node => {
    const { op, attrs, calls, slots } = node;
    // A read that is part of a stretch is one of what was updated there.
    const after = slots.flatMap((slot) => part.updateOf(slot) ?? []);
    const made = part.addNode(op, node.inputs.map(value), attrs, { calls, slots, after });
    copies.set(node, made);
    return made;
  };
  const value = (wanted: Value): Value => {
    const { node } = wanted;
    const known = copies.get(node);
    if (known) return { ...wanted, node: known };
    if (isFree(node)) return { ...wanted, node: copy(node) };
    const [slot] = node.slots;
    if (slot !== undefined && own.has(slot) && !part.updateOf(slot) && node.after.length === 0) {
      const read = part.read(slot, wanted);
      copies.set(node, read.node);
      return read;
    }
    return captures.argument(part, wanted);
  };
  const update = ({ op, slots, inputs, attrs }: Update): void => part.update(op, slots, inputs.map(value), attrs);

  const waiting = [...updates];
  for (const node of nodes) {
    for (; waiting[0] && waiting[0].before <= node.id; waiting.shift()) update(waiting[0]);
    copy(node);
  }
  waiting.forEach(update);
  for (const [slot, to] of assigns) part.assigns.set(slot, value(to));
  part.outputs.push(...results.map(value));
  return { part, inputs: captures.values };
}
