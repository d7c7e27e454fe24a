/**
 * Faster kernels for tfjs's own CPU backend, which computes the index of each element from lists when it broadcasts or slices;
 * that took nine tenths of a step. Results are the same bits, since sums have the same order and rounding.
 */
import * as tf from '@tensorflow/tfjs';
import { sameShape, sizeOf } from './tensorflow.js';

type Values = Float32Array | Int32Array | Uint8Array;

interface CpuBackend {
  readonly data: { get(id: object): { readonly values: Values } };
  makeTensorInfo(shape: readonly number[], dtype: tf.DataType, values: Values): tf.TensorInfo;
  disposeIntermediateTensorInfo(info: tf.TensorInfo): void;
}

type Kernel = (params: {
  readonly inputs: Readonly<Record<string, tf.TensorInfo>>;
  readonly backend: CpuBackend;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly original: () => tf.TensorInfo | tf.TensorInfo[];
  readonly onOthers: (inputs: Readonly<Record<string, tf.TensorInfo>>) => tf.TensorInfo | tf.TensorInfo[];
}) => tf.TensorInfo | tf.TensorInfo[];

const BROADCAST = [
  ...['Add', 'Sub', 'Multiply', 'RealDiv', 'FloorDiv', 'Mod', 'Pow', 'Maximum', 'Minimum', 'SquaredDifference'],
  ...['Equal', 'NotEqual', 'Greater', 'GreaterEqual', 'Less', 'LessEqual', 'LogicalAnd', 'LogicalOr'],
] as const;

/** The backend sums this many products in 64 bits, then rounds to 32. */
const BLOCK = 48;

let isDone = false;

/** Replaces kernels of tfjs's `cpu` backend, once in a process. */
export function useFasterKernels(): void {
  if (isDone) return;
  isDone = true;
  for (const name of BROADCAST) replace(name, broadcast);
  replace('Slice', slice);
  replace('SplitV', splitV);
  replace('Transpose', transpose);
  replace('BatchMatMul', matMul);
  replace('Softmax', softmax);
  replace('UnsortedSegmentSum', segmentSums);
}

function replace(kernelName: string, kernel: Kernel): void {
  const { kernelFunc, ...config } = tf.getKernel(kernelName, 'cpu');
  tf.unregisterKernel(kernelName, 'cpu');
  tf.registerKernel({
    ...config,
    kernelFunc: (params) => {
      const inputs = params.inputs as Readonly<Record<string, tf.TensorInfo>>;
      if (Object.values(inputs).some(({ dtype }) => dtype === 'string' || dtype === 'complex64'))
        return kernelFunc(params);
      return kernel({
        inputs,
        backend: params.backend as CpuBackend,
        attrs: params.attrs ?? {},
        original: () => kernelFunc(params),
        onOthers: (others) => kernelFunc({ ...params, inputs: others as typeof params.inputs }),
      });
    },
  });
}

function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  for (let axis = shape.length - 1, step = 1; axis >= 0; step *= shape[axis--] ?? 1) strides[axis] = step;
  return strides;
}

/** Gathers a strided view of `values` from `offset` on. */
function gathered(values: Values, offset: number, shape: readonly number[], strides: readonly number[]): Values {
  const size = sizeOf(shape);
  const result = new (values.constructor as new (size: number) => Values)(size);
  const last = shape.length - 1;
  const [length, step] = last < 0 ? [1, 0] : [shape[last] ?? 1, strides[last] ?? 0];
  const at = new Int32Array(shape.length);
  let from = offset;
  for (let to = 0; to < size; to += length) {
    if (step === 1 && length > 16) result.set(values.subarray(from, from + length), to);
    else for (let i = 0; i < length; i++) result[to + i] = values[from + i * step] ?? 0;
    for (let axis = last - 1; axis >= 0; axis--) {
      const stride = strides[axis] ?? 0;
      from += stride;
      at[axis] = (at[axis] ?? 0) + 1;
      if ((at[axis] ?? 0) < (shape[axis] ?? 1)) break;
      from -= stride * (shape[axis] ?? 1);
      at[axis] = 0;
    }
  }
  return result;
}

/** Expands operands to the result's shape for the backend's own kernel. */
const broadcast: Kernel = ({ inputs, backend, original, onOthers }) => {
  const { a, b } = inputs as { a: tf.TensorInfo; b: tf.TensorInfo };
  if (sameShape(a.shape, b.shape) || a.shape.length === 0 || b.shape.length === 0) return original();
  const shape = tf.broadcast_util.assertAndGetBroadcastShape(a.shape, b.shape);
  const temporary: tf.TensorInfo[] = [];
  const expanded = (info: tf.TensorInfo): tf.TensorInfo => {
    if (sameShape(info.shape, shape)) return info;
    const inside = stridesOf(info.shape);
    const missing = shape.length - info.shape.length;
    const strides = shape.map((_, axis) => (info.shape[axis - missing] === 1 ? 0 : (inside[axis - missing] ?? 0)));
    const whole = backend.makeTensorInfo(shape, info.dtype, gathered(backend.data.get(info.dataId).values, 0, shape, strides)); // oxfmt-ignore
    temporary.push(whole);
    return whole;
  };
  const result = onOthers({ ...inputs, a: expanded(a), b: expanded(b) });
  for (const info of temporary) backend.disposeIntermediateTensorInfo(info);
  return result;
};

/** Copies a slice of `x`; null if it is contiguous, which the backend shares. */
function sliced(backend: CpuBackend, x: tf.TensorInfo, begin: readonly number[], size: number[]): tf.TensorInfo | null {
  if (tf.slice_util.isSliceContinous(x.shape, [...begin], size)) return null;
  const strides = stridesOf(x.shape);
  const offset = begin.reduce((sum, start, axis) => sum + start * (strides[axis] ?? 0), 0);
  return backend.makeTensorInfo(size, x.dtype, gathered(backend.data.get(x.dataId).values, offset, size, strides));
}

const slice: Kernel = ({ inputs, backend, attrs, original }) => {
  const { x } = inputs as { x: tf.TensorInfo };
  const given = [attrs['begin'], attrs['size']] as [number[], number[]];
  const [begin = [], size = []] = tf.slice_util.parseSliceParams(x as tf.Tensor, ...given); // oxfmt-ignore
  tf.slice_util.assertParamsValid(x, begin, size);
  return sliced(backend, x, begin, size) ?? original();
};

const splitV: Kernel = ({ inputs, backend, attrs, original }) => {
  const { x } = inputs as { x: tf.TensorInfo };
  const axis = tf.util.parseAxisParam(attrs['axis'] as number, x.shape)[0] ?? 0;
  const sizes = tf.backend_util.prepareSplitSize(x as tf.Tensor, attrs['numOrSizeSplits'] as number[] | number, axis);
  const begin = new Array<number>(x.shape.length).fill(0);
  const parts: tf.TensorInfo[] = [];
  for (const length of sizes) {
    const part = sliced(backend, x, begin, x.shape.map((size, at) => (at === axis ? length : size))); // oxfmt-ignore
    if (part === null) {
      for (const made of parts) backend.disposeIntermediateTensorInfo(made);
      return original();
    }
    parts.push(part);
    begin[axis] = (begin[axis] ?? 0) + length;
  }
  return parts;
};

const transpose: Kernel = ({ inputs, backend, attrs }) => {
  const { x } = inputs as { x: tf.TensorInfo };
  const perm = attrs['perm'] as readonly number[];
  const strides = stridesOf(x.shape);
  const shape = perm.map((axis) => x.shape[axis] ?? 1);
  const steps = perm.map((axis) => strides[axis] ?? 0);
  return backend.makeTensorInfo(shape, x.dtype, gathered(backend.data.get(x.dataId).values, 0, shape, steps));
};

const matMul: Kernel = ({ inputs, backend, attrs, original }) => {
  const { a, b } = inputs as { a: tf.TensorInfo; b: tf.TensorInfo };
  if (a.dtype !== 'float32' || b.dtype !== 'float32') return original();
  const [transposeA, transposeB] = [attrs['transposeA'] === true, attrs['transposeB'] === true];
  const [rowsA = 1, columnsA = 1] = a.shape.slice(-2);
  const [rowsB = 1, columnsB = 1] = b.shape.slice(-2);
  const [left, shared] = transposeA ? [columnsA, rowsA] : [rowsA, columnsA];
  const [right, sharedB] = transposeB ? [rowsB, columnsB] : [columnsB, rowsB];
  if (shared !== sharedB) return original();
  const batchShape = tf.broadcast_util.assertAndGetBroadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const [batchesA, batchesB] = [sizeOf(a.shape.slice(0, -2)), sizeOf(b.shape.slice(0, -2))];
  const batches = Math.max(batchesA, batchesB);
  const result = new Float32Array(batches * left * right);
  const [first, second] = [a, b].map(({ dataId }) => backend.data.get(dataId).values) as [Float32Array, Float32Array];
  const row = new Float64Array(Math.min(BLOCK, shared));
  const sums = new Float64Array(right);
  const [stepRow, stepShared] = transposeA ? [1, left] : [shared, 1];
  for (let batch = 0; batch < batches; batch++) {
    const fromA = (batch % batchesA) * left * shared;
    const fromB = (batch % batchesB) * right * shared;
    for (let i = 0; i < left; i++) {
      const to = (batch * left + i) * right;
      for (let k0 = 0; k0 < shared; k0 += BLOCK) {
        const count = Math.min(BLOCK, shared - k0);
        for (let k = 0; k < count; k++) row[k] = first[fromA + i * stepRow + (k0 + k) * stepShared] ?? 0;
        if (transposeB) sumsOfRows(row, second, fromB + k0, shared, count, sums);
        else sumsOfColumns(row, second, fromB + k0 * right, count, sums);
        for (let j = 0; j < right; j++) result[to + j] = (result[to + j] ?? 0) + (sums[j] ?? 0);
      }
    }
  }
  return backend.makeTensorInfo([...batchShape, left, right], 'float32', result);
};

/** Products of `row` with rows of `b`, `length` apart. */
function sumsOfRows(
  row: Float64Array,
  b: Float32Array,
  from: number,
  length: number,
  count: number,
  sums: Float64Array,
): void {
  // oxfmt-ignore
  for (let j = 0; j < sums.length; j++) {
    let sum = 0;
    for (let k = 0, at = from + j * length; k < count; k++) sum += (row[k] ?? 0) * (b[at + k] ?? 0);
    sums[j] = sum;
  }
}

/** Products of `row` with columns of `b`, in the order of memory. */
function sumsOfColumns(row: Float64Array, b: Float32Array, from: number, count: number, sums: Float64Array): void {
  sums.fill(0);
  for (let k = 0; k < count; k++) {
    const factor = row[k] ?? 0;
    for (let j = 0, at = from + k * sums.length; j < sums.length; j++) sums[j] = (sums[j] ?? 0) + factor * (b[at + j] ?? 0); // oxfmt-ignore
  }
}

const softmax: Kernel = ({ inputs, backend, attrs, original }) => {
  const { logits } = inputs as { logits: tf.TensorInfo };
  const { shape } = logits;
  const axis = attrs['dim'] as number;
  if (logits.dtype !== 'float32' || (axis !== -1 && axis !== shape.length - 1)) return original();
  const values = backend.data.get(logits.dataId).values;
  const length = shape[shape.length - 1] ?? 1;
  const result = new Float32Array(values.length);
  for (let from = 0; from < values.length; from += length) {
    let most = values[from] ?? 0;
    for (let i = from; i < from + length; i++) {
      const value = values[i] ?? 0;
      if (Number.isNaN(value) || value > most) most = value;
    }
    let sum = 0;
    // Intermediate values are rounded to 32 bits, as in the backend's softmax.
    for (let i = from; i < from + length; i++) sum += result[i] = Math.fround(Math.exp(Math.fround((values[i] ?? 0) - most))); // oxfmt-ignore
    sum = Math.fround(sum);
    for (let i = from; i < from + length; i++) result[i] = (result[i] ?? 0) / sum;
  }
  return backend.makeTensorInfo(shape, 'float32', result);
};

/** Sums rows by segment in one pass; the backend makes one pass per segment. */
const segmentSums: Kernel = ({ inputs, backend, attrs, original }) => {
  const { x, segmentIds } = inputs as { x: tf.TensorInfo; segmentIds: tf.TensorInfo };
  const values = backend.data.get(x.dataId).values;
  // The backend multiplies rows of other segments by 0, which keeps NaN and infinity.
  if (x.dtype !== 'float32' || segmentIds.shape.length !== 1 || !values.every(Number.isFinite)) return original();
  const [count, segments] = [segmentIds.shape[0] ?? 0, attrs['numSegments'] as number];
  const ids = backend.data.get(segmentIds.dataId).values;
  const width = sizeOf(x.shape.slice(1));
  const sums = new Float64Array(segments * width);
  for (let row = 0; row < count; row++) {
    const segment = ids[row] ?? -1;
    if (segment < 0 || segment >= segments) continue;
    for (let i = 0, from = row * width, to = segment * width; i < width; i++)
      sums[to + i] = (sums[to + i] ?? 0) + (values[from + i] ?? 0);
  }
  return backend.makeTensorInfo([segments, ...x.shape.slice(1)], 'float32', new Float32Array(sums));
};
