/**
 * TensorFlow's operations as far as the engine uses them: names, types and shapes of outputs, so that tracing computes nothing.
 * Reference: tensorflow/core/ops/*.cc (REGISTER_OP, SetShapeFn).
 */
import type { Attr, Attrs } from './saved-model.js';
import { ATTR, DT, sizeOf, type OpAttr, type Shape } from './tensorflow.js';

export interface Spec {
  readonly dtype: number;
  readonly shape: Shape;
}

/** An operation about to be added. */
export interface OpCall {
  readonly op: string;
  readonly inputs: readonly Spec[];
  attr(name: string): Attr | undefined;
  /** The values of input i, which must be a constant. */
  constant(i: number): readonly number[];
}

interface OpRule {
  /** Names of the output arguments. */
  readonly names: readonly string[];
  /** The only argument is a list, whose outputs are `name:0`, `name:1`, … */
  readonly list?: boolean;
  /** Type attributes that TensorFlow's eager mode infers: name and the input that has the type. */
  readonly types?: Readonly<Record<string, number>>;
  /** Absent for operations that the tracer adds itself. */
  readonly shapes?: (call: OpCall) => readonly Spec[];
}

const input = ({ inputs, op }: OpCall, i: number): Spec => {
  const spec = inputs[i];
  if (!spec) throw new Error(`${op} lacks input ${i}`);
  return spec;
};

const intAttr = (call: OpCall, name: string, fallback: number): number => {
  const attr = call.attr(name);
  return attr?.kind === 'int' ? attr.value : fallback;
};
const boolAttr = (call: OpCall, name: string): boolean => {
  const attr = call.attr(name);
  return attr?.kind === 'bool' && attr.value;
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

const broadcastInputs = (call: OpCall): Shape => broadcast(input(call, 0).shape, input(call, 1).shape);
const axisOf = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

type ShapeOf = (shape: Shape, call: OpCall) => Shape;

/** One output of the type of input `like`; `shapeOf` gets the shape of that input. */
const rule = (name: string, shapeOf: ShapeOf, types: Record<string, number> = {}, like = 0): OpRule => ({
  names: [name],
  types,
  shapes: (call) => {
    const { dtype, shape } = input(call, like);
    return [{ dtype, shape: shapeOf(shape, call) }];
  },
});
const unary = (name: string, types = { T: 0 } as Record<string, number>): OpRule => rule(name, (shape) => shape, types);
const test = (name: string, shapeOf: (call: OpCall) => Shape, types: Record<string, number>): OpRule => ({
  names: [name],
  types,
  shapes: (call) => [{ dtype: DT.BOOL, shape: shapeOf(call) }],
});

const reduction = rule('output', (shape, call) => {
  const axes = new Set(call.constant(1).map((axis) => axisOf(axis, shape.length)));
  return boolAttr(call, 'keep_dims')
    ? shape.map((size, i) => (axes.has(i) ? 1 : size))
    : shape.filter((_, i) => !axes.has(i));
});

const batchMatMul = rule('output', (a, call) => {
  const b = input(call, 1).shape;
  const rows = a.at(boolAttr(call, 'adj_x') ? -1 : -2) ?? 1;
  const columns = b.at(boolAttr(call, 'adj_y') ? -2 : -1) ?? 1;
  return [...broadcast(a.slice(0, -2), b.slice(0, -2)), rows, columns];
});

const reshape = rule('output', (shape, call) => {
  const sizes = call.constant(1);
  const known = sizes.reduce((product, size) => (size < 0 ? product : product * size), 1);
  return sizes.map((size) => (size < 0 ? sizeOf(shape) / known : size));
});

const gather = rule('output', (shape, call) => {
  const axis = axisOf(call.constant(2)[0] ?? 0, shape.length);
  const indices = input(call, 1).shape.slice(intAttr(call, 'batch_dims', 0));
  return [...shape.slice(0, axis), ...indices, ...shape.slice(axis + 1)];
});

/** The start may be computed; only a size of −1, the rest, needs it. */
const slice = rule('output', (shape, call) =>
  call.constant(2).map((size, i) => (size === -1 ? (shape[i] ?? 0) - (call.constant(1)[i] ?? 0) : size)),
);

const concat = rule('output', (shape, call) => {
  const parts = call.inputs.slice(0, -1);
  const axis = axisOf(call.constant(parts.length)[0] ?? 0, shape.length);
  const total = parts.reduce((sum, part) => sum + (part.shape[axis] ?? 0), 0);
  return shape.map((size, i) => (i === axis ? total : size));
});

const split: OpRule = {
  names: ['output'],
  list: true,
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const axis = axisOf(call.constant(2)[0] ?? 0, shape.length);
    return call.constant(1).map((part) => ({ dtype, shape: shape.map((size, i) => (i === axis ? part : size)) }));
  },
};

const pack = rule('output', (shape, call) => {
  const axis = axisOf(intAttr(call, 'axis', 0), shape.length + 1);
  return [...shape.slice(0, axis), call.inputs.length, ...shape.slice(axis)];
});

const unpack: OpRule = {
  names: ['output'],
  list: true,
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const axis = axisOf(intAttr(call, 'axis', 0), shape.length);
    return Array.from({ length: shape[axis] ?? 0 }, () => ({ dtype, shape: shape.filter((_, i) => i !== axis) }));
  },
};

const oneHot = rule(
  'output',
  (_, call) => {
    const { shape } = input(call, 0);
    const axis = intAttr(call, 'axis', -1);
    const at = axis === -1 ? shape.length : axis;
    return [...shape.slice(0, at), call.constant(1)[0] ?? 0, ...shape.slice(at)];
  },
  {},
  2,
);

const pad = rule('output', (shape, call) => {
  const paddings = call.constant(1);
  return shape.map((size, i) => size + (paddings[2 * i] ?? 0) + (paddings[2 * i + 1] ?? 0));
});

const topK: OpRule = {
  names: ['values', 'indices'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    const best = [...shape.slice(0, -1), call.constant(1)[0] ?? 0];
    return [dtype, DT.INT32].map((type) => ({ dtype: type, shape: best }));
  },
};

const range = rule('output', (_, call) => {
  const [start = 0, limit = 0, delta = 1] = [0, 1, 2].map((i) => call.constant(i)[0]);
  return [Math.max(0, Math.ceil((limit - start) / delta))];
});

const transpose = rule('y', (shape, call) => call.constant(1).map((axis) => shape[axis] ?? 0));

const expandDims = rule(
  'output',
  (shape, call) => {
    const axis = axisOf(call.constant(1)[0] ?? 0, shape.length + 1);
    return [...shape.slice(0, axis), 1, ...shape.slice(axis)];
  },
  { T: 0 },
);

const segmentSum = rule('output', (shape, call) => [
  call.constant(2)[0] ?? 0,
  ...shape.slice(input(call, 1).shape.length),
]);

const sparseCrossEntropy: OpRule = {
  names: ['loss', 'backprop'],
  shapes: (call) => {
    const { dtype, shape } = input(call, 0);
    return [shape.slice(0, -1), shape].map((of) => ({ dtype, shape: of }));
  },
};

const cast: OpRule = {
  names: ['y'],
  shapes: (call) => {
    const type = call.attr('DstT');
    return [{ dtype: type?.kind === 'type' ? type.value : 0, shape: input(call, 0).shape }];
  },
};

export const operations: ReadonlyMap<string, OpRule> = new Map(
  (
    [
      [unary('y'), 'Abs DeepCopy Erf Exp Expm1 Floor Log Log1p Neg OnesLike Reciprocal Round Rsqrt Sigmoid'.split(' ')],
      [unary('y'), 'Sign Sqrt Square Tanh ZerosLike'.split(' ')],
      [unary('y', {}), ['LogicalNot']],
      [unary('output'), ['Identity']],
      [unary('activations'), ['Relu']],
      [unary('softmax'), ['Softmax']],
      [unary('logsoftmax'), ['LogSoftmax']],
      [unary('out'), ['Cumsum']],
      [unary('sum'), ['AddN']],
      [
        rule('z', (_, call) => broadcastInputs(call), { T: 0 }),
        'Add AddV2 Sub Mul RealDiv FloorDiv FloorMod Maximum Minimum Pow BitwiseAnd BitwiseXor RightShift'.split(' '),
      ],
      [test('z', broadcastInputs, { T: 0 }), 'Equal NotEqual Greater GreaterEqual Less LessEqual'.split(' ')],
      [test('z', broadcastInputs, {}), ['LogicalAnd', 'LogicalOr']],
      [test('y', (call) => input(call, 0).shape, { T: 0 }), ['IsNan', 'IsInf', 'IsFinite']],
      [reduction, 'Sum Mean Max Min Prod All Any'.split(' ')],
      [batchMatMul, ['BatchMatMulV2']],
      [reshape, ['Reshape']],
      [gather, ['GatherV2']],
      [slice, ['Slice']],
      [concat, ['ConcatV2']],
      [split, ['SplitV']],
      [pack, ['Pack']],
      [unpack, ['Unpack']],
      [oneHot, ['OneHot']],
      [pad, ['Pad', 'PadV2']],
      [topK, ['TopKV2']],
      [range, ['Range']],
      [transpose, ['Transpose']],
      [expandDims, ['ExpandDims']],
      [rule('output', (shape) => shape, { T: 1 }, 1), ['Select']],
      [segmentSum, ['UnsortedSegmentSum']],
      [sparseCrossEntropy, ['SparseSoftmaxCrossEntropyWithLogits']],
      [rule('output', () => []), ['L2Loss']],
      [unary('output', {}), ['TensorScatterUpdate', 'XlaDynamicUpdateSlice']],
      [rule('output', (_, call) => call.constant(0), {}, 1), ['Fill']],
      [cast, ['Cast']],
      [{ names: ['value'] }, ['ReadVariableOp']],
      [{ names: ['output'] }, ['Const']],
      [{ names: ['output'], list: true }, ['StatelessWhile', 'XlaOptimizationBarrier']],
    ] satisfies [OpRule, string[]][]
  ).flatMap(([of, names]) => names.map((name): [string, OpRule] => [name, of])),
);

/** Converts an operation's attributes to the graph's form, and adds inferred types. */
export function completeAttrs(op: string, opAttrs: readonly OpAttr[], inputs: readonly Spec[]): Attrs {
  const attrs: Record<string, Attr> = Object.fromEntries(opAttrs.map((attr) => [attr.name, graphAttr(attr)]));
  for (const [name, i] of Object.entries(operations.get(op)?.types ?? {})) {
    const source = inputs[i];
    if (source) attrs[name] ??= { kind: 'type', value: source.dtype };
  }
  return attrs;
}

function graphAttr({ name, type, value }: OpAttr): Attr {
  if (type === ATTR.TYPE && typeof value === 'number') return { kind: 'type', value };
  // tfjs-node leaves some booleans undefined.
  if (type === ATTR.BOOL) return { kind: 'bool', value: Boolean(value) };
  if (type === ATTR.INT && typeof value === 'number') return { kind: 'int', value };
  throw new Error(`attribute ${name} of type ${type} is not known to the tracer`);
}
