/**
 * Cuts a long traced function into segments that XLA compiles one by one, since its compile time grows faster than the function.
 * The traced code marks segments (`segmentFrom`, `beginSegment`). Equal segments, such as a network's blocks, are one function,
 * compiled once. Reads, arguments and large constants stay outside and are passed in, as are values of other segments;
 * variables that a segment changes are passed as handles and change in place.
 */
import { ARGUMENT, CALL, Captures, Graph, SHARED_CONSTANT_BYTES, type Node, type Update, type Value } from './graph.js';
import type { Attrs } from './saved-model.js';
import { DT } from './tensorflow.js';

/** With fewer segments of each kind (twelve blocks have thirteen), one function compiles fast and is optimized as a whole. */
const MANY = 13;

/** Whether a function is long enough to cut, and no variable is changed in two segments. */
export function isLong({ segments, updates, assigns }: Graph): boolean {
  if (Math.max(0, ...segments.values()) < MANY) return false;
  const changing = new Map<number, number>();
  for (const { slots, segment } of updates) {
    for (const slot of slots) {
      if (assigns.has(slot) || (changing.get(slot) ?? segment) !== segment) return false;
      changing.set(slot, segment);
    }
  }
  return true;
}

/** Free operations, repeated in each segment that uses them. */
const FREE: ReadonlySet<string> = new Set(['Const', 'Reshape', 'Fill']);

/** Attributes of a call of a function that XLA compiles. */
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

interface Segment {
  readonly nodes: Node[];
  readonly updates: Update[];
  /** Variables that are assigned its values. */
  readonly assigns: Map<number, Value>;
  /** Values that others use. */
  readonly results: Value[];
}

/** Rewrites a function as calls of its segments. @param sameAs returns an earlier equal part, or the part itself */
export function inSegments(graph: Graph, sameAs: (part: Graph) => Graph): Graph {
  const outer = new Outer(graph);
  for (const [index, segment] of segmentsOf(graph)) outer.call(`${graph.name}_${index}`, segment, sameAs);
  return outer.finish();
}

const keyOf = ({ node, index }: Value): string => `${node.id}:${index}`;

/** Whether a node is an argument, a large constant, or a read that precedes the segment's own updates. */
function isOutside({ op, attrs, after, segment }: Node): boolean {
  if (op === ARGUMENT) return true;
  if (op === 'Const')
    return attrs['value']?.kind === 'tensor' && attrs['value'].data.byteLength > SHARED_CONSTANT_BYTES;
  if (op !== 'ReadVariableOp') return false;
  return after[0]?.segment !== segment;
}

const isFree = (node: Node): boolean =>
  !isOutside(node) &&
  (FREE.has(node.op) || (node.op === 'Cast' && node.inputs.every((input) => isOutside(input.node))));

const isOwn = (node: Node): boolean => !isOutside(node) && !isFree(node);

/** The value behind free operations. */
function source(value: Value): Value {
  const [input] = value.node.inputs;
  return input && isFree(value.node) ? source(input) : value;
}

function segmentsOf(graph: Graph): readonly (readonly [number, Segment])[] {
  const segments = new Map<number, Segment>();
  const at = (index: number): Segment => {
    const known = segments.get(index) ?? { nodes: [], updates: [], assigns: new Map(), results: [] };
    segments.set(index, known);
    return known;
  };
  for (const node of graph.needed()) if (isOwn(node)) at(node.segment).nodes.push(node);
  for (const update of graph.updates) at(update.segment).updates.push(update);
  for (const [slot, value] of graph.assigns) {
    const { node } = source(value);
    if (isOwn(node)) at(node.segment).assigns.set(slot, value);
  }
  const used = new Set<string>();
  const use = (value: Value, by: number | null): void => {
    const { node } = value;
    if (isFree(node)) {
      for (const input of node.inputs) use(input, by);
    } else if (!isOutside(node) && node.segment !== by && !used.has(keyOf(value))) {
      used.add(keyOf(value));
      at(node.segment).results.push(value);
    }
  };
  for (const [index, { nodes, updates }] of segments) {
    for (const { inputs } of [...nodes, ...updates]) for (const input of inputs) use(input, index);
  }
  for (const value of graph.outputs) use(value, null);
  for (const { results } of segments.values()) results.sort((a, b) => a.node.id - b.node.id || a.index - b.index);
  return [...segments].sort(([a], [b]) => a - b);
}

/** The calling function under construction. */
class Outer {
  private readonly outer: Graph;
  /** Results of calls, by original value. */
  private readonly given = new Map<string, Value>();
  private readonly copies = new Map<Node, Node>();
  private readonly callOf = new Map<Update, Node>();
  /** Variables that a call changes, and its control inputs. */
  private readonly changes: { readonly slots: readonly number[]; readonly after: Node[] }[] = [];

  constructor(private readonly graph: Graph) {
    this.outer = new Graph(graph.name);
    graph.inputs.forEach((input, i) => this.outer.input(i, input));
  }

  call(name: string, segment: Segment, sameAs: (part: Graph) => Graph): void {
    const { part, inputs } = partOf(name, segment);
    const slots = part.slots();
    const changed = part.changed();
    const last = this.outer.changing.at(-1);
    const after = changed.length > 0 && last ? [last] : [];
    const same = sameAs(part);
    const attrs = callAttributes(same.name, inputs, slots, segment.results);
    const values = inputs.map((input) => this.value(input));
    const call = this.outer.addNode(CALL, values, attrs, { calls: [same], after, slots });
    segment.results.forEach((value, index) => this.given.set(keyOf(value), { ...value, node: call, index }));
    for (const update of segment.updates) this.callOf.set(update, call);
    if (changed.length === 0) return;
    this.changes.push({ slots: changed, after });
    this.outer.changing.push(call);
  }

  finish(): Graph {
    const { outer, graph } = this;
    outer.outputs.push(...graph.outputs.map((value) => this.value(value)));
    const assigned = new Set(this.changes.flatMap(({ slots }) => slots));
    for (const [slot, value] of graph.assigns) if (!assigned.has(slot)) outer.assigns.set(slot, this.value(value));
    // A variable's initial value is read before it changes.
    for (const { slots, after } of this.changes) {
      after.push(...slots.flatMap((slot) => outer.reads.get(slot)?.node ?? []));
    }
    return outer;
  }

  /** Returns the outer copy of a value. */
  private value(value: Value): Value {
    const { node } = value;
    const given = this.given.get(keyOf(value));
    if (given) return given;
    const copy = this.copies.get(node);
    if (copy) return { ...value, node: copy };
    if (isOwn(node)) throw new Error(`a segment needs a ${node.op} of a later one`);
    const place = node.attrs['index'];
    if (node.op === ARGUMENT && place?.kind === 'int') return this.outer.input(place.value, value);
    const [slot] = node.slots;
    if (slot !== undefined && node.after.length === 0) return this.outer.read(slot, value);
    const after = node.after.flatMap((other) => ('id' in other ? [] : (this.callOf.get(other) ?? [])));
    const inputs = node.inputs.map((input) => this.value(input));
    const made = this.outer.addNode(node.op, inputs, node.attrs, { after, slots: node.slots });
    this.copies.set(node, made);
    return { ...value, node: made };
  }
}

/** A segment as a function; `inputs` are the values that it is called with. */
function partOf(name: string, { nodes, updates, assigns, results }: Segment) {
  const part = new Graph(name);
  const captures = new Captures();
  const copies = new Map<Node, Node>();
  const own = new Set([...updates.flatMap(({ slots }) => slots), ...assigns.keys()]);

  const copy = (node: Node): Node => {
    const { op, attrs, calls, slots } = node;
    // Reads within a segment follow its updates.
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
