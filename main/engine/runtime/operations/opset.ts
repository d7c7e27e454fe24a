/**
 * What the tracer knows of TensorFlow's operations: the names of their outputs, which a function's body needs, and
 * their shapes. An operation that is not here still runs in a function compiled without XLA: its shape is then found by
 * running it once on zeros. Reference: tensorflow/core/ops/*.cc (REGISTER_OP).
 */
import {
  argReduction,
  batchMatMul,
  binary,
  comparison,
  concat,
  expandDims,
  fromConstantShape,
  gather,
  gatherNd,
  input,
  logical,
  matMul,
  oneHot,
  pack,
  pad,
  range,
  reduction,
  reshape,
  segmentSum,
  select,
  selectBroadcast,
  slice,
  sparseCrossEntropy,
  split,
  test,
  tile,
  topK,
  transpose,
  typeAttr,
  unary,
  unpack,
  withShapeOf,
  type OpRule,
} from './shape-rules.js';
import { DT } from '../tensorflow.js';

const table = (rule: OpRule, names: string): [string, OpRule][] => names.split(' ').map((name) => [name, rule]);

/** What is known, by operation. */
export const opset: ReadonlyMap<string, OpRule> = new Map<string, OpRule>([
  ...table(
    unary('y'),
    'Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh DeepCopy Digamma Erf Erfc Exp Expm1 Floor Invert Inv Lgamma ' +
      'Log Log1p Neg OnesLike Reciprocal Rint Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh ZerosLike',
  ),
  ...table(unary('output'), 'Identity StopGradient PreventGradient'),
  ...table(unary('activations'), 'Relu Relu6 Elu Selu Softplus Softsign LeakyRelu'),
  ...table(unary('softmax'), 'Softmax'),
  ...table(unary('logsoftmax'), 'LogSoftmax'),
  ...table(unary('out'), 'Cumsum Cumprod'),
  ...table(unary('sum'), 'AddN'),
  ...table(unary('output'), 'ReverseV2 ClipByValue'),
  ...table({ ...unary('y'), types: {} }, 'LogicalNot'),
  ...table(
    binary,
    'Add AddV2 Sub Mul Div DivNoNan RealDiv FloorDiv TruncateDiv FloorMod Mod Maximum Minimum Pow SquaredDifference ' +
      'Atan2 BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift',
  ),
  ...table(comparison, 'Equal NotEqual Greater GreaterEqual Less LessEqual'),
  ...table(logical, 'LogicalAnd LogicalOr'),
  ...table(test, 'IsNan IsInf IsFinite'),
  ...table(reduction, 'Sum Mean Max Min Prod All Any'),
  ...table(argReduction, 'ArgMax ArgMin'),
  ...table(batchMatMul, 'BatchMatMul BatchMatMulV2 BatchMatMulV3'),
  ...table(matMul, 'MatMul'),
  ...table(reshape, 'Reshape'),
  ...table(gather, 'GatherV2'),
  ...table(gatherNd, 'GatherNd'),
  ...table(slice, 'Slice'),
  ...table(concat, 'ConcatV2'),
  ...table(split, 'SplitV'),
  ...table(pack, 'Pack'),
  ...table(unpack, 'Unpack'),
  ...table(oneHot, 'OneHot'),
  ...table(pad, 'Pad PadV2'),
  ...table(tile, 'Tile'),
  ...table(range, 'Range'),
  ...table({ names: ['output'] }, 'StridedSlice Einsum'),
  ...table(topK, 'TopKV2'),
  ...table(transpose, 'Transpose'),
  ...table(expandDims, 'ExpandDims'),
  ...table(select, 'Select'),
  ...table(selectBroadcast, 'SelectV2'),
  ...table(segmentSum, 'UnsortedSegmentSum'),
  ...table(sparseCrossEntropy, 'SparseSoftmaxCrossEntropyWithLogits'),
  // Its results are its inputs: a list. The tracer adds it itself.
  ...table({ names: ['output'], list: true }, 'XlaOptimizationBarrier'),
  ...table({ names: ['output'], shapes: (call) => [{ dtype: input(call, 0).dtype, shape: [] }] }, 'L2Loss'),
  ...table(withShapeOf(0, 0), 'TensorScatterUpdate TensorScatterAdd XlaDynamicUpdateSlice'),
  ...table(withShapeOf(0, 0, 'backprops'), 'ReluGrad'),
  ...table(
    fromConstantShape(0, (call) => input(call, 1).dtype),
    'Fill',
  ),
  ...table(
    fromConstantShape(1, (call) => input(call, 0).dtype),
    'BroadcastTo',
  ),
  ...table(
    fromConstantShape(2, (call) => input(call, 1).dtype),
    'ScatterNd',
  ),
  ...table(
    fromConstantShape(2, (call) => input(call, 0).dtype),
    'XlaDynamicSlice',
  ),
  ...table(
    fromConstantShape(0, (call) => typeAttr(call, 'dtype', DT.FLOAT)),
    'StatelessRandomUniform',
  ),
  ...table(
    { names: ['y'], shapes: (call) => [{ dtype: typeAttr(call, 'DstT', 0), shape: input(call, 0).shape }] },
    'Cast',
  ),
]);

/** Operations whose result is not a function of their inputs: never folded, and refused, since they would not repeat. */
export const irreproducible: ReadonlySet<string> = new Set([
  'Multinomial',
  'RandomUniform',
  'RandomUniformInt',
  'RandomStandardNormal',
  'RandomShuffle',
  'TruncatedNormal',
  'RandomGamma',
  'RandomPoissonV2',
]);
