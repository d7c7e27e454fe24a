/**
 * TensorFlow as this folder sees it: the parts of tfjs-node's native binding and backend that are used, and the
 * numbers TensorFlow gives its data types. Types only, plus a few lookups; nothing here loads anything.
 * Reference: tensorflow/core/framework/types.proto; tfjs-node's binding/tfjs_backend.cc.
 */
import type { backend_util, DataId, DataType, Tensor, TensorInfo } from '@tensorflow/tfjs';

/** tensorflow.DataType, as far as needed. */
export const DT = {
  FLOAT: 1,
  INT32: 3,
  UINT8: 4,
  STRING: 7,
  COMPLEX64: 8,
  INT64: 9,
  BOOL: 10,
  BFLOAT16: 14,
  RESOURCE: 20,
  UINT32: 22,
} as const;

export type TypedArray = Float32Array | Int32Array | Uint8Array;
export type Shape = readonly number[];

/** TF_AttrType of the C API. */
export const ATTR = { STRING: 0, INT: 1, FLOAT: 2, BOOL: 3, TYPE: 4, SHAPE: 5 } as const;

/** An attribute of an operation in the binding's form. */
export interface OpAttr {
  readonly name: string;
  readonly type: number;
  readonly value: unknown;
}

export interface OutputMetadata {
  readonly id: number;
  readonly shape: number[];
  readonly dtype: number;
}

export interface Binding {
  readonly TF_Version: string;
  isUsingGpuDevice(): boolean;
  createTensor(shape: Shape, dtype: number, values: TypedArray): number;
  deleteTensor(id: number): void;
  tensorDataSync(id: number): TypedArray;
  executeOp(name: string, attrs: readonly OpAttr[], inputs: readonly number[], outputs: number): OutputMetadata[];
  loadSavedModel(directory: string, tags: string): number;
  deleteSavedModel(id: number): void;
  runSavedModel(id: number, inputs: readonly number[], inputNames: string, outputNames: string): OutputMetadata[];
  getNumOfTensors(): number;
  getNumOfSavedModels(): number;
}

/** What tfjs-node keeps for each data id. `id` is the native handle, −1 where there is none (yet). */
interface TensorRecord {
  shape: Shape;
  dtype: number;
  id: number;
  values: backend_util.BackendValues | null;
  refCount: number;
}

/** A scalar that stands for an int64 in some of tfjs-node's kernels. */
export interface Int64Scalar {
  readonly dtype: 'int64';
  readonly valueArray: Int32Array;
}

/** tfjs-node's NodeJSKernelBackend. */
export interface NodeBackend {
  readonly binding: Binding;
  readonly tensorMap: {
    get(id: DataId): TensorRecord;
    has(id: DataId): boolean;
    set(id: DataId, r: TensorRecord): void;
  };
  createOutputTensor(metadata: OutputMetadata): Tensor;
  getInputTensorIds(tensors: readonly (TensorInfo | Int64Scalar)[]): number[];
  executeSingleOutput(name: string, attrs: OpAttr[], inputs: (TensorInfo | Int64Scalar)[]): Tensor;
  executeMultipleOutputs(name: string, attrs: OpAttr[], inputs: (TensorInfo | Int64Scalar)[], n: number): Tensor[];
  readSync(id: DataId): backend_util.BackendValues;
  read(id: DataId): Promise<backend_util.BackendValues>;
}

const byName: Partial<Record<DataType, number>> = {
  float32: DT.FLOAT,
  int32: DT.INT32,
  bool: DT.BOOL,
  string: DT.STRING,
  complex64: DT.COMPLEX64,
};

export function tensorflowType(dtype: DataType): number {
  const type = byName[dtype];
  if (type === undefined) throw new Error(`no TensorFlow type for ${dtype}`);
  return type;
}

export const sizeOf = (shape: Shape): number => shape.reduce((product, size) => product * size, 1);

export const sameShape = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((size, i) => size === b[i]);

/** Numbers that go between JavaScript and TensorFlow at once, unless one variable alone has more: 64 MiB. */
const AT_ONCE = 2 ** 24;

/** In their order, as few parts as there may be of which none has more numbers than that. @param numbersOf how many each has */
export function inParts<T>(all: readonly T[], numbersOf: (one: T) => number): readonly (readonly T[])[] {
  const parts: T[][] = [[]];
  let elements = 0;
  for (const one of all) {
    const size = numbersOf(one);
    if (elements > 0 && elements + size > AT_ONCE) {
      parts.push([]);
      elements = 0;
    }
    elements += size;
    parts.at(-1)?.push(one);
  }
  return parts;
}
