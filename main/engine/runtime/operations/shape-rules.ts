/**
 * The shapes of operations' results, so that tracing computes nothing: a rule takes types, shapes, attributes and the
 * constants among the inputs. Reference: tensorflow/core/ops/*.cc (SetShapeFn).
 */
import type { Attr } from '../protobuf.js';
import { DT, sizeOf, type Shape } from '../tensorflow.js';

export interface Spec {
  readonly dtype: number;
  readonly shape: Shape;
}

/** An operation about to be added: what a shape rule may look at. */
export interface OpCall {
  readonly op: string;
  readonly inputs: readonly Spec[];
  attr(name: string): Attr | undefined;
  /** The values of input i, which must be a constant. */
  constant(i: number): readonly number[];
  /** How many outputs the caller asked for. */
  readonly outputs: number;
}

export interface OpRule {
  /** The name of the output argument, or of each. */
  readonly names: readonly string[];
  /** One argument that is a list: outputs are `name:0`, `name:1`, … */
  readonly list?: boolean;
  /** Attributes that tfjs-node leaves to TensorFlow's eager mode to infer: name and the input that has the type. */
  readonly types?: Readonly<Record<string, number>>;
  /** Left out: found by running the operation on zeros. */
  readonly shapes?: (call: OpCall) => readonly Spec[];
}

export const input = ({ inputs, op }: OpCall, i: number): Spec => {
  const spec = inputs[i];
  if (!spec) throw new Error(`${op} lacks input ${i}`);
  return spec;
};

const intAttr = (call: OpCall, name: string, otherwise: number): number => {
  const attr = call.attr(name);
  return attr?.kind === 'int' ? attr.value : otherwise;
};
const boolAttr = (call: OpCall, name: string): boolean => {
  const attr = call.attr(name);
  return attr?.kind === 'bool' && attr.value;
};
export const typeAttr = (call: OpCall, name: string, otherwise: number): number => {
  const attr = call.attr(name);
  return attr?.kind === 'type' ? attr.value : otherwise;
};

/** NumPy broadcasting. */
function broadcast(a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const x = a[i - rank + a.length] ?? 1;
    const y = b[i - rank + b.length] ?? 1;
    if (x !== y && x !== 1 && y !== 1) throw new Error(`shapes [${a.join()}] and [${b.join()}] do not fit together`);
    return x === 1 ? y : x;
  });
}

const axisOf = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);
const last = (shape: Shape, back: number): number => shape[shape.length - back] ?? 1;

export const unary = (name: string): OpRule => ({ names: [name], types: { T: 0 }, shapes: (call) => [input(call, 0)] });
export const binary: OpRule = {
  names: ['z'],
  types: { T: 0 },
  shapes: (call) => [{ dtype: input(call, 0).dtype, shape: broadcast(input(call, 0).shape, input(call, 1).shape) }],
};
export const comparison: OpRule = {
  names: ['z'],
  types: { T: 0 },
  shapes: (call) => [{ dtype: DT.BOOL, shape: broadcast(input(call, 0).shape, input(call, 1).shape) }],
};
export const logical: OpRule = { ...comparison, types: {} };
export const test: OpRule = {
  names: ['y'],
  types: { T: 0 },
  shapes: (call) => [{ dtype: DT.BOOL, shape: input(call, 0).shape }],
};

export const reduction: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const axes = new Set(call.constant(1).map((axis) => axisOf(axis, shape.length)));
    const kept = boolAttr(call, 'keep_dims')
      ? shape.map((size, i) => (axes.has(i) ? 1 : size))
      : shape.filter((_, i) => !axes.has(i));
    return [{ dtype, shape: kept }];
  },
};
export const argReduction: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { shape } = input(call, 0);
    const axis = axisOf(call.constant(1)[0] ?? 0, shape.length);
    return [{ dtype: typeAttr(call, 'output_type', DT.INT64), shape: shape.filter((_, i) => i !== axis) }];
  },
};

export const batchMatMul: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const a = input(call, 0);
    const b = input(call, 1);
    const rows = last(a.shape, boolAttr(call, 'adj_x') ? 1 : 2);
    const columns = last(b.shape, boolAttr(call, 'adj_y') ? 2 : 1);
    const batch = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
    return [{ dtype: typeAttr(call, 'Tout', a.dtype), shape: [...batch, rows, columns] }];
  },
};
export const matMul: OpRule = {
  names: ['product'],
  shapes: (call) => {
    const a = input(call, 0);
    const rows = last(a.shape, boolAttr(call, 'transpose_a') ? 1 : 2);
    const columns = last(input(call, 1).shape, boolAttr(call, 'transpose_b') ? 2 : 1);
    return [{ dtype: a.dtype, shape: [rows, columns] }];
  },
};

export const reshape: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const wanted = call.constant(1);
    const known = wanted.reduce((product, size) => (size < 0 ? product : product * size), 1);
    return [{ dtype, shape: wanted.map((size) => (size < 0 ? sizeOf(shape) / known : size)) }];
  },
};

export const gather: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const indices = input(call, 1).shape;
    const axis = axisOf(call.constant(2)[0] ?? 0, shape.length);
    const shared = intAttr(call, 'batch_dims', 0);
    return [{ dtype, shape: [...shape.slice(0, axis), ...indices.slice(shared), ...shape.slice(axis + 1)] }];
  },
};

export const slice: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const sizes = call.constant(2);
    // The begin may be computed; only a size of −1 ("the rest") needs it.
    const rest = (i: number): number => (shape[i] ?? 0) - (call.constant(1)[i] ?? 0);
    return [{ dtype, shape: sizes.map((size, i) => (size === -1 ? rest(i) : size)) }];
  },
};

export const concat: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const first = input(call, 0);
    const parts = call.inputs.slice(0, -1);
    const axis = axisOf(call.constant(parts.length)[0] ?? 0, first.shape.length);
    const total = parts.reduce((sum, { shape }) => sum + (shape[axis] ?? 0), 0);
    return [{ dtype: first.dtype, shape: first.shape.map((size, i) => (i === axis ? total : size)) }];
  },
};

export const split: OpRule = {
  names: ['output'],
  list: true,
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const sizes = call.constant(1);
    const axis = axisOf(call.constant(2)[0] ?? 0, shape.length);
    return sizes.map((part) => ({ dtype, shape: shape.map((size, i) => (i === axis ? part : size)) }));
  },
};

export const pack: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const axis = axisOf(intAttr(call, 'axis', 0), shape.length + 1);
    return [{ dtype, shape: [...shape.slice(0, axis), call.inputs.length, ...shape.slice(axis)] }];
  },
};

export const unpack: OpRule = {
  names: ['output'],
  list: true,
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const axis = axisOf(intAttr(call, 'axis', 0), shape.length);
    const part = { dtype, shape: shape.filter((_, i) => i !== axis) };
    return Array.from({ length: shape[axis] ?? 0 }, () => part);
  },
};

export const oneHot: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { shape } = input(call, 0);
    const depth = call.constant(1)[0] ?? 0;
    const axis = intAttr(call, 'axis', -1);
    const at = axis === -1 ? shape.length : axis;
    return [{ dtype: input(call, 2).dtype, shape: [...shape.slice(0, at), depth, ...shape.slice(at)] }];
  },
};

export const withShapeOf = (i: number, dtypeOf: number, name = 'output'): OpRule => ({
  names: [name],
  shapes: (call) => [{ dtype: input(call, dtypeOf).dtype, shape: input(call, i).shape }],
});

export const fromConstantShape = (shapeInput: number, dtype: (call: OpCall) => number): OpRule => ({
  names: ['output'],
  shapes: (call) => [{ dtype: dtype(call), shape: call.constant(shapeInput) }],
});

export const pad: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const paddings = call.constant(1);
    return [{ dtype, shape: shape.map((size, i) => size + (paddings[2 * i] ?? 0) + (paddings[2 * i + 1] ?? 0)) }];
  },
};

export const tile: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const multiples = call.constant(1);
    return [{ dtype, shape: shape.map((size, i) => size * (multiples[i] ?? 1)) }];
  },
};

export const topK: OpRule = {
  names: ['values', 'indices'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const kept = [...shape.slice(0, -1), call.constant(1)[0] ?? 0];
    return [
      { dtype, shape: kept },
      { dtype: DT.INT32, shape: kept },
    ];
  },
};

export const range: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const [start = 0, limit = 0, delta = 1] = [0, 1, 2].map((i) => call.constant(i)[0]);
    return [{ dtype: input(call, 0).dtype, shape: [Math.max(0, Math.ceil((limit - start) / delta))] }];
  },
};

export const transpose: OpRule = {
  names: ['y'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    return [{ dtype, shape: call.constant(1).map((axis) => shape[axis] ?? 0) }];
  },
};

export const expandDims: OpRule = {
  names: ['output'],
  types: { T: 0 },
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const axis = axisOf(call.constant(1)[0] ?? 0, shape.length + 1);
    return [{ dtype, shape: [...shape.slice(0, axis), 1, ...shape.slice(axis)] }];
  },
};

export const select: OpRule = {
  names: ['output'],
  types: { T: 1 },
  shapes: (call) => [{ dtype: input(call, 1).dtype, shape: input(call, 1).shape }],
};

export const selectBroadcast: OpRule = {
  names: ['output'],
  types: { T: 1 },
  shapes: (call) => {
    const branches = broadcast(input(call, 1).shape, input(call, 2).shape);
    return [{ dtype: input(call, 1).dtype, shape: broadcast(input(call, 0).shape, branches) }];
  },
};

export const segmentSum: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    return [{ dtype, shape: [call.constant(2)[0] ?? 0, ...shape.slice(input(call, 1).shape.length)] }];
  },
};

export const gatherNd: OpRule = {
  names: ['output'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const indices = input(call, 1).shape;
    return [{ dtype, shape: [...indices.slice(0, -1), ...shape.slice(last(indices, 1))] }];
  },
};

export const sparseCrossEntropy: OpRule = {
  names: ['loss', 'backprop'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    return [
      { dtype, shape: shape.slice(0, -1) },
      { dtype, shape },
    ];
  },
};
