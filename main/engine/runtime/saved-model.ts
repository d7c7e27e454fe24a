/**
 * Writes TensorFlow's graph messages: only the fields in use, some of which tfjs-node's generated code lacks.
 * Reference: tensorflow/core/framework/{graph,node_def,attr_value,function,op_def}.proto.
 */
import { concatBytes } from '../../../shared/base/bytes.js';
import { DT, type Shape, type TypedArray } from './tensorflow.js';
import { type Bytes, bytes, int, message, text } from './protobuf.js';

export type Attr =
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'type'; readonly value: number }
  | { readonly kind: 'shape'; readonly value: Shape }
  | { readonly kind: 'tensor'; readonly dtype: number; readonly shape: Shape; readonly data: TypedArray }
  | { readonly kind: 'function'; readonly value: string }
  | { readonly kind: 'types'; readonly value: readonly number[] }
  | { readonly kind: 'shapes'; readonly value: readonly Shape[] };

export type Attrs = Readonly<Record<string, Attr>>;

/** @param value one of `DT` */
export const typeAttr = (value: number) => ({ kind: 'type', value }) as const;

export interface NodeDef {
  readonly name: string;
  readonly op: string;
  readonly inputs: readonly string[];
  readonly attrs: Attrs;
}

export interface FunctionDef {
  readonly name: string;
  readonly attrs: Attrs;
  readonly inputs: readonly { readonly name: string; readonly dtype: number }[];
  /** `from` is `argument` or `node:output:index`. */
  readonly outputs: readonly { readonly name: string; readonly dtype: number; readonly from: string }[];
  /** Nodes that run whether or not an output needs them. */
  readonly effects: readonly string[];
  readonly nodes: readonly NodeDef[];
}

const shapeParts = (shape: Shape): Bytes[] => shape.map((size) => message(2, [int(1, size)]));

function tensorParts(dtype: number, shape: Shape, data: TypedArray): Bytes[] {
  const content = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return [int(1, dtype), message(2, shapeParts(shape)), bytes(4, content)];
}

const list = <T>(values: readonly T[], part: (value: T) => Bytes): Bytes[] => [message(1, values.map(part))];

function attrParts(attr: Attr): Bytes[] {
  switch (attr.kind) {
    case 'string':
      return [text(2, attr.value)];
    case 'int':
      return [int(3, attr.value)];
    case 'bool':
      return [int(5, attr.value ? 1 : 0)];
    case 'type':
      return [int(6, attr.value)];
    case 'shape':
      return [message(7, shapeParts(attr.value))];
    case 'tensor':
      return [message(8, tensorParts(attr.dtype, attr.shape, attr.data))];
    case 'function':
      return [message(10, [text(1, attr.value)])];
    case 'types':
      return list(attr.value, (value) => int(6, value));
    case 'shapes':
      return list(attr.value, (value) => message(7, shapeParts(value)));
  }
}

const attrEntries = (field: number, attrs: Attrs): Bytes[] =>
  Object.entries(attrs).map(([name, attr]) => message(field, [text(1, name), message(2, attrParts(attr))]));

const node = (field: number, { name, op, inputs, attrs }: NodeDef): Bytes =>
  message(field, [text(1, name), text(2, op), ...inputs.map((input) => text(3, input)), ...attrEntries(5, attrs)]);

const encodedNodes = new WeakMap<readonly NodeDef[], Bytes>();

/** Cached, because a function is encoded again with the same nodes under its final name (program.ts). */
function nodesOf({ nodes }: FunctionDef): Bytes {
  const known = encodedNodes.get(nodes);
  if (known) return known;
  const encoded = concatBytes(nodes.map((def) => node(3, def)));
  encodedNodes.set(nodes, encoded);
  return encoded;
}

function functionParts(def: FunctionDef): Bytes[] {
  const { name, attrs, inputs, outputs, effects } = def;
  const signature = [
    text(1, name),
    ...inputs.map((input) => message(2, [text(1, input.name), int(3, input.dtype)])),
    ...outputs.map((output) => message(3, [text(1, output.name), int(3, output.dtype)])),
    ...(effects.length > 0 || inputs.some(({ dtype }) => dtype === DT.RESOURCE) ? [int(17, 1)] : []),
    ...effects.map((effect) => text(20, effect)),
  ];
  return [
    message(1, signature),
    ...attrEntries(5, attrs),
    nodesOf(def),
    ...outputs.map((output) => message(4, [text(1, output.name), text(2, output.from)])),
    ...effects.map((effect) => message(6, [text(1, effect), text(2, effect)])),
  ];
}

/** A function of a graph's library. */
export const encodeFunction = (def: FunctionDef): Bytes => concatBytes(functionParts(def));

/** TensorFlow 2.21's; newer libraries read older graphs. */
const GRAPH_PRODUCER = 1882;

/** A `saved_model.pb` with the tag `serve`, without signatures or stored variables. */
export function encodeSavedModel(nodes: readonly NodeDef[], functions: readonly FunctionDef[]): Bytes {
  const graph = [
    ...nodes.map((def) => node(1, def)),
    message(
      2,
      functions.map((def) => message(1, functionParts(def))),
    ),
    message(4, [int(1, GRAPH_PRODUCER)]),
  ];
  const metaInfo = message(1, [text(4, 'serve')]);
  return concatBytes([int(1, 1), message(2, [metaInfo, message(2, graph)])]);
}
