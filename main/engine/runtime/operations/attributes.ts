/** Attributes of operations: from the form that tfjs-node's kernels give them to the graph's. */
import type { Value } from '../graph.js';
import { opset } from './opset.js';
import type { Attr, Attrs } from '../protobuf.js';
import { ATTR, type OpAttr, type Shape } from '../tensorflow.js';

/** All attributes of an operation, with those types that TensorFlow's eager mode would infer. */
export function completeAttrs(op: string, opAttrs: readonly OpAttr[], inputs: readonly Value[]): Attrs {
  const attrs: Record<string, Attr> = Object.fromEntries(opAttrs.map((attr) => [attr.name, graphAttr(attr)]));
  for (const [name, i] of Object.entries(opset.get(op)?.types ?? {})) {
    const source = inputs[i];
    if (source) attrs[name] ??= { kind: 'type', value: source.dtype };
  }
  return attrs;
}

function graphAttr({ name, type, value }: OpAttr): Attr {
  if (type === ATTR.TYPE && typeof value === 'number') return { kind: 'type', value };
  if (type === ATTR.BOOL && typeof value === 'boolean') return { kind: 'bool', value };
  if (type === ATTR.STRING && typeof value === 'string') return { kind: 'string', value };
  if (type === ATTR.FLOAT && typeof value === 'number') return { kind: 'float', value };
  if (type === ATTR.INT && typeof value === 'number') return { kind: 'int', value };
  if (type === ATTR.INT && Array.isArray(value)) return { kind: 'ints', value: value as number[] };
  if (type === ATTR.SHAPE && Array.isArray(value)) return { kind: 'shape', value: value as Shape };
  // tfjs-node leaves some booleans undefined, which TensorFlow's eager mode takes for false.
  if (type === ATTR.BOOL) return { kind: 'bool', value: Boolean(value) };
  throw new Error(`attribute ${name} of type ${type} is not known to the tracer`);
}
