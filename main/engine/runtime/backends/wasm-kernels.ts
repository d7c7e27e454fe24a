/**
 * Kernels that tfjs's WASM backend lacks or computes slowly. Sums have a fixed order, so results are the same bytes in every run.
 * A view of the heap is valid until the next tensor is made, so outputs are made before inputs are looked at.
 */
import * as tf from '@tensorflow/tfjs';
import { sameShape, sizeOf, type Shape, type TypedArray } from '../tensorflow.js';

/** tfjs's BackendWasm. */
export interface WasmBackend {
  readonly wasm: {
    _malloc(bytes: number): number;
    readonly HEAPU8: Uint8Array;
    cwrap(name: string, result: null, types: readonly string[]): (...args: readonly unknown[]) => void;
    readonly tfjs: { registerTensor(id: number, size: number, offset: number): void; disposeData(id: number): void };
  };
  readonly dataIdMap: { get(id: object): { readonly memoryOffset: number } };
  dataIdNextNumber: number;
  makeOutput(shape: Shape, dtype: tf.DataType): tf.TensorInfo;
  typedArrayFromHeap(info: tf.TensorInfo): TypedArray;
  incRef(id: object): void;
  disposeData(id: object): void;
}

type Inputs = Readonly<Record<string, tf.TensorInfo>>;

interface Call<Names extends string> {
  readonly inputs: Readonly<Record<Names, tf.TensorInfo>>;
  readonly attrs: Readonly<Record<string, unknown>>;
  /** The backend's own kernel. */
  readonly own: (inputs: Inputs, attrs?: object) => tf.TensorInfo;
}

/** The backend broadcasts these operands one number at a time. */
const BROADCAST = [
  ...['FloorDiv', 'Pow', 'Maximum', 'Minimum', 'LogicalAnd', 'LogicalOr'],
  ...['Equal', 'NotEqual', 'Greater', 'GreaterEqual', 'Less', 'LessEqual'],
] as const;

/** Registers the kernels for the backend, once in a process. */
export function useFasterKernels(backend: WasmBackend): void {
  const kernels = { ...movingKernels(backend), ...rowKernels(backend) };
  replace('BatchMatMul', createMatMul(backend));
  replace('Transpose', kernels.transpose);
  replace('Slice', kernels.slice);
  replace('SplitV', kernels.split);
  replace('GatherV2', kernels.gatherRows);
  replace('OneHot', kernels.oneHot);
  replace('UnsortedSegmentSum', kernels.segmentSums);
  replace('Identity', kernels.identity);
  for (const name of BROADCAST) replace(name, kernels.broadcast);
}

function replace<Names extends string>(
  kernelName: string,
  kernel: (call: Call<Names>) => tf.TensorInfo | tf.TensorInfo[],
): void {
  const stock = tf.getKernel(kernelName, 'wasm') ?? { kernelName, backendName: 'wasm' };
  if ('kernelFunc' in stock) tf.unregisterKernel(kernelName, 'wasm');
  tf.registerKernel({
    ...stock,
    kernelFunc: ({ inputs, backend, attrs = {} }) =>
      kernel({
        inputs: inputs as Inputs,
        attrs,
        own: (others, other = attrs) =>
          stock.kernelFunc({
            inputs: others as tf.NamedTensorInfoMap,
            backend,
            attrs: other as tf.NamedAttrMap,
          }) as tf.TensorInfo,
      }),
  });
}

/** Kernels that only move numbers. */
function movingKernels(backend: WasmBackend) {
  const heap = (info: tf.TensorInfo) => backend.typedArrayFromHeap(info);

  /** Copies a strided view of `x`. */
  const gathered = (x: tf.TensorInfo, shape: Shape, strides: Shape, offset = 0): tf.TensorInfo => {
    const result = backend.makeOutput(shape, x.dtype);
    gather(heap(x).subarray(offset), heap(result), shape, strides);
    return result;
  };

  const sliced = (x: tf.TensorInfo, begin: Shape, size: Shape): tf.TensorInfo => {
    const strides = stridesOf(x.shape);
    return gathered(x, size, strides, begin.reduce((sum, start, axis) => sum + start * (strides[axis] ?? 0), 0)); // oxfmt-ignore
  };

  return {
    /** Expands operands to the result's shape. */
    broadcast({ inputs: { a, b }, own }: Call<'a' | 'b'>) {
      const shape = tf.broadcast_util.assertAndGetBroadcastShape([...a.shape], [...b.shape]);
      const copies: tf.TensorInfo[] = [];
      const [wholeA, wholeB] = [a, b].map((info) => {
        if (sameShape(info.shape, shape)) return info;
        const inside = stridesOf(info.shape);
        const missing = shape.length - info.shape.length;
        const strides = shape.map((_, axis) => (info.shape[axis - missing] === 1 ? 0 : (inside[axis - missing] ?? 0)));
        const copy = gathered(info, shape, strides);
        copies.push(copy);
        return copy;
      }) as [tf.TensorInfo, tf.TensorInfo];
      const result = own({ a: wholeA, b: wholeB });
      for (const { dataId } of copies) backend.disposeData(dataId);
      return result;
    },

    /** The backend has loops for up to four axes only. */
    transpose({ inputs: { x }, attrs, own }: Call<'x'>) {
      if (x.shape.length <= 4) return own({ x });
      const perm = attrs['perm'] as Shape;
      const strides = stridesOf(x.shape);
      return gathered(x, perm.map((axis) => x.shape[axis] ?? 1), perm.map((axis) => strides[axis] ?? 0)); // oxfmt-ignore
    },

    slice({ inputs: { x }, attrs }: Call<'x'>) {
      const [begin = [], size = []] = tf.slice_util.parseSliceParams(
        x as tf.Tensor,
        attrs['begin'] as number[],
        attrs['size'] as number[],
      );
      tf.slice_util.assertParamsValid(x, begin, size);
      return sliced(x, begin, size);
    },

    split({ inputs: { x }, attrs }: Call<'x'>) {
      const axis = tf.util.parseAxisParam(attrs['axis'] as number, x.shape)[0] ?? 0;
      const lengths = tf.backend_util.prepareSplitSize(
        x as tf.Tensor,
        attrs['numOrSizeSplits'] as number[] | number,
        axis,
      );
      let start = 0;
      return lengths.map((length) => {
        const begin = x.shape.map((_, at) => (at === axis ? start : 0));
        start += length;
        return sliced(x, begin, x.shape.map((all, at) => (at === axis ? length : all))); // oxfmt-ignore
      });
    },
  };
}

function rowKernels(backend: WasmBackend) {
  const heap = (info: tf.TensorInfo) => backend.typedArrayFromHeap(info);

  return {
    /** Copies whole rows. */
    gatherRows({ inputs: { x, indices }, attrs, own }: Call<'x' | 'indices'>) {
      const [rows = 0, ...rest] = x.shape;
      if (attrs['axis'] !== 0 || attrs['batchDims'] !== 0 || !heap(indices).every((id) => id >= 0 && id < rows))
        return own({ x, indices });
      const result = backend.makeOutput([...indices.shape, ...rest], x.dtype);
      const [width, from, to] = [sizeOf(rest), heap(x), heap(result)];
      heap(indices).forEach((id, row) => {
        to.set(from.subarray(id * width, (id + 1) * width), row * width);
      });
      return result;
    },

    /** The backend writes int32 into memory for bool. */
    oneHot({ inputs: { indices }, attrs }: Call<'indices'>) {
      const depth = attrs['depth'] as number;
      const result = backend.makeOutput([...indices.shape, depth], attrs['dtype'] as tf.DataType);
      const values = heap(result).fill(attrs['offValue'] as number);
      heap(indices).forEach((id, row) => {
        if (id >= 0 && id < depth) values[row * depth + id] = attrs['onValue'] as number;
      });
      return result;
    },

    /** Sums rows in 64 bits. The backend has none. */
    segmentSums({ inputs: { x, segmentIds }, attrs }: Call<'x' | 'segmentIds'>) {
      const segments = attrs['numSegments'] as number;
      if (segmentIds.shape.length !== 1) throw new Error('segments are numbered in a list');
      const shape = [segments, ...x.shape.slice(1)];
      const result = backend.makeOutput(shape, x.dtype);
      const [width, values] = [sizeOf(x.shape.slice(1)), heap(x)];
      const sums = new Float64Array(sizeOf(shape));
      heap(segmentIds).forEach((segment, row) => {
        if (segment < 0 || segment >= segments) return;
        for (let i = 0, from = row * width, to = segment * width; i < width; i++)
          sums[to + i] = (sums[to + i] ?? 0) + (values[from + i] ?? 0);
      });
      heap(result).set(sums);
      return result;
    },

    /** The backend copies. */
    identity({ inputs: { x } }: Call<'x'>) {
      backend.incRef(x.dataId);
      return { ...x };
    },
  };
}

/**
 * Multiplies matrices by XNNPACK, with transposed copies. The backend only does so for one pair without transposes; its other loop
 * is ten times as slow, and does not broadcast.
 */
function createMatMul(backend: WasmBackend) {
  const types = ['number', 'array', 'number', 'number', 'array', 'number', 'number', 'number', 'number'];
  const multiply = backend.wasm.cwrap('BatchMatMul', null, types);
  const { registerTensor, disposeData } = backend.wasm.tfjs;
  const straight = { transposeA: false, transposeB: false };
  /** Names a matrix inside of a tensor. */
  const view = (info: tf.TensorInfo, size: number, place: number): number => {
    const id = backend.dataIdNextNumber++;
    registerTensor(id, size, backend.dataIdMap.get(info.dataId).memoryOffset + 4 * size * place);
    return id;
  };
  return ({ inputs, attrs, own }: Call<'a' | 'b'>): tf.TensorInfo => {
    const a = attrs['transposeA'] === true ? transposed(inputs.a) : inputs.a;
    const b = attrs['transposeB'] === true ? transposed(inputs.b) : inputs.b;
    const [batchesA, batchesB] = [a.shape.slice(0, -2), b.shape.slice(0, -2)];
    const batchShape = tf.broadcast_util.assertAndGetBroadcastShape(batchesA, batchesB);
    const [rows = 1, shared = 1] = a.shape.slice(-2);
    const columns = b.shape.at(-1) ?? 1;
    let product: tf.TensorInfo;
    if (sizeOf(batchShape) === 1) {
      // The backend packs a tensor that is multiplied again, such as a weight, once.
      product = own({ a, b }, straight);
    } else {
      product = backend.makeOutput([...batchShape, rows, columns], 'float32');
      const [shapeA, shapeB] = [bytesOf([1, rows, shared]), bytesOf([1, shared, columns])];
      for (let batch = 0; batch < sizeOf(batchShape); batch++) {
        const left = view(a, rows * shared, batch % sizeOf(batchesA));
        const right = view(b, shared * columns, batch % sizeOf(batchesB));
        const result = view(product, rows * columns, batch);
        multiply(left, shapeA, 3, right, shapeB, 3, false, false, result);
        for (const id of [left, right, result]) disposeData(id);
      }
    }
    if (a !== inputs.a) backend.disposeData(a.dataId);
    if (b !== inputs.b) backend.disposeData(b.dataId);
    return product;
  };
}

function transposed(x: tf.TensorInfo): tf.TensorInfo {
  const axes = x.shape.map((_, axis) => axis);
  const perm = [...axes.slice(0, -2), ...axes.slice(-2).reverse()];
  const { kernelFunc } = tf.getKernel('Transpose', 'wasm');
  return kernelFunc({ inputs: { x }, attrs: { perm }, backend: tf.backend() }) as tf.TensorInfo;
}

const bytesOf = (shape: Shape): Uint8Array => new Uint8Array(Int32Array.from(shape).buffer);

function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  for (let axis = shape.length - 1, step = 1; axis >= 0; step *= shape[axis--] ?? 1) strides[axis] = step;
  return strides;
}

/** Copies elements in the order of `shape`, which are `strides` apart in `from`. */
function gather(from: TypedArray, to: TypedArray, shape: Shape, strides: Shape): void {
  const last = shape.length - 1;
  const [length, step] = last < 0 ? [1, 0] : [shape[last] ?? 1, strides[last] ?? 0];
  const at = new Int32Array(shape.length);
  for (let place = 0, start = 0; place < to.length; place += length) {
    if (step === 1 && length > 16) to.set(from.subarray(start, start + length), place);
    else for (let i = 0; i < length; i++) to[place + i] = from[start + i * step] ?? 0;
    for (let axis = last - 1; axis >= 0; axis--) {
      const stride = strides[axis] ?? 0;
      start += stride;
      at[axis] = (at[axis] ?? 0) + 1;
      if ((at[axis] ?? 0) < (shape[axis] ?? 1)) break;
      start -= stride * (shape[axis] ?? 1);
      at[axis] = 0;
    }
  }
}
