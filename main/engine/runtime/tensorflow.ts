/**
 * Types of tfjs-node's native binding and backend, as far as they are used.
 * Reference: tensorflow/core/framework/types.proto; tfjs-node's binding/tfjs_backend.cc.
 */
import type { backend_util, DataId, DataType, Tensor, TensorInfo } from '@tensorflow/tfjs';

/** tensorflow.DataType. */
export const DT = { FLOAT: 1, INT32: 3, INT64: 9, BOOL: 10, BFLOAT16: 14, RESOURCE: 20 } as const;

export type TypedArray = Float32Array | Int32Array | Uint8Array;
export type Shape = readonly number[];

/** TF_AttrType of the C API. */
export const ATTR = { INT: 1, BOOL: 3, TYPE: 4 } as const;

/** An attribute in the binding's form. */
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

/** tfjs-node's record of a data id. `id` is the native handle, or −1. */
interface TensorRecord {
  shape: Shape;
  dtype: number;
  id: number;
  values: backend_util.BackendValues | null;
  refCount: number;
}

/** An int64 scalar of tfjs-node's kernels. */
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

const byName: Partial<Record<DataType, number>> = { float32: DT.FLOAT, int32: DT.INT32, bool: DT.BOOL };

export function tensorflowType(dtype: DataType): number {
  const type = byName[dtype];
  if (type === undefined) throw new Error(`no TensorFlow type for ${dtype}`);
  return type;
}

export const sizeOf = (shape: Shape): number => shape.reduce((product, size) => product * size, 1);

export const sameShape = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((size, i) => size === b[i]);

/** The most numbers of a transfer between JavaScript and TensorFlow, unless one variable has more: 64 MiB. */
const MAX_TRANSFER = 2 ** 24;

/** Divides variables in order into as few transfers as possible. @param sizeOf the numbers of each */
export function inTransfers<T>(all: readonly T[], sizeOf: (one: T) => number): readonly (readonly T[])[] {
  const parts: T[][] = [[]];
  let elements = 0;
  for (const one of all) {
    const size = sizeOf(one);
    if (elements > 0 && elements + size > MAX_TRANSFER) {
      parts.push([]);
      elements = 0;
    }
    elements += size;
    parts.at(-1)?.push(one);
  }
  return parts;
}
