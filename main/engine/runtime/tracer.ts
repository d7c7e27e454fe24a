/**
 * `tf.function` for tfjs-node: runs a tfjs function once on symbols and records its graph. tfjs's own code (broadcasting,
 * gradients, composite operations) runs as usual; where a kernel would call TensorFlow, the operation is added to the graph and
 * a tensor without memory is returned. Tensors are identified by data id. Only what depends on neither arguments nor variables
 * is computed, and becomes a constant, so tracing costs milliseconds and no memory.
 */
import * as tf from '@tensorflow/tfjs';
import type { DataId, Tensor, TensorInfo, Variable } from '@tensorflow/tfjs';
import { untraceable } from './errors.js';
import { Captures, Graph, type Value } from './graph.js';
import { completeAttrs, operations, type OpCall, type Spec } from './operations.js';
import { typeAttr, type Attrs } from './saved-model.js';
import type { Precision } from './types.js';
import {
  ATTR,
  DT,
  sameShape,
  sizeOf,
  tensorflowType,
  type Int64Scalar,
  type NodeBackend,
  type OpAttr,
  type TypedArray,
} from './tensorflow.js';

type Input = TensorInfo | Int64Scalar;
type Fn = (...args: Tensor[]) => readonly Tensor[];

/** A session, whose variables a function may use, by slot. */
export interface VariableOwner {
  readonly variables: readonly Variable[];
  /** The slot of the variable that has this data id outside of traces. */
  slotOf(id: DataId): number | undefined;
  /** Whether the variable is stored as bfloat16. */
  isNarrow(slot: number): boolean;
  readSlot(slot: number): TypedArray;
}

/** A function being traced. */
interface Frame {
  readonly graph: Graph;
  readonly owner: VariableOwner;
  readonly xla: boolean;
  /** Of matrix products. */
  readonly precision: Precision;
  readonly values: WeakMap<DataId, Value>;
  /** Of a loop's body or condition. */
  readonly loop?: { readonly outer: Frame; readonly captures: Captures };
}

/** By backend. */
const tracers = new WeakMap<object, Tracer>();

export const tracerOf = (backend: object): Tracer | undefined => tracers.get(backend);

const isInt64 = (input: Input): input is Int64Scalar => (input as Int64Scalar).dtype === 'int64';

/** Operations with large results of small inputs: these are only folded up to MAX_FOLDED elements. */
const mayBeLarge: ReadonlySet<string> = new Set(['Fill', 'Range', 'OneHot']);
const MAX_FOLDED = 4096;

export class Tracer {
  private readonly frames: Frame[] = [];
  private readonly owners = new Set<VariableOwner>();
  private readonly execute: NodeBackend['executeMultipleOutputs'];
  private readonly readNow: NodeBackend['readSync'];

  /** Intercepts the backend's calls into TensorFlow. */
  constructor(private readonly backend: NodeBackend) {
    tracers.set(backend, this);
    this.execute = backend.executeMultipleOutputs.bind(backend);
    this.readNow = backend.readSync.bind(backend);
    const single = backend.executeSingleOutput.bind(backend);
    backend.executeMultipleOutputs = (name, attrs, inputs, n) =>
      this.frame ? this.record(this.frame, name, attrs, inputs, n) : this.execute(name, attrs, inputs, n);
    backend.executeSingleOutput = (name, attrs, inputs) => {
      if (!this.frame) return single(name, attrs, inputs);
      const [output] = this.record(this.frame, name, attrs, inputs, 1);
      if (!output) throw new Error(`${name} has no output`);
      return output;
    };
    backend.readSync = (id) => this.readSync(id);
    backend.read = (id) => Promise.resolve(this.readSync(id));
    this.replaceGather();
  }

  private get frame(): Frame | undefined {
    return this.frames[this.frames.length - 1];
  }

  get tracing(): boolean {
    return this.frames.length > 0;
  }

  /** Whether XLA will compile the traced function. */
  get tracingForXla(): boolean {
    return this.frame?.xla ?? false;
  }

  addOwner(owner: VariableOwner): void {
    this.owners.add(owner);
  }

  removeOwner(owner: VariableOwner): void {
    this.owners.delete(owner);
  }

  /** Runs `fn` on symbols. Variables that it assigns to are restored afterwards. */
  trace(
    name: string,
    fn: Fn,
    specs: readonly Spec[],
    owner: VariableOwner,
    { xla, precision }: { readonly xla: boolean; readonly precision: Precision },
  ): Graph {
    const graph = new Graph(name);
    const frame: Frame = { graph, owner, xla, precision, values: new WeakMap() };
    const before = owner.variables.map((variable) => variable.clone());
    const allowRandom = forbidRandom();
    this.frames.push(frame);
    try {
      tf.tidy(() => {
        const args = specs.map((spec, i) => this.symbol(frame, graph.input(i, spec)));
        for (const result of fn(...args)) graph.outputs.push(this.valueOf(frame, result));
        owner.variables.forEach((variable, slot) => {
          if (variable.dataId === before[slot]?.dataId) return;
          if (owner.isNarrow(slot)) throw assignsNarrow();
          graph.assigns.set(slot, this.valueOf(frame, variable));
        });
      });
      return graph;
    } finally {
      this.frames.pop();
      allowRandom();
      owner.variables.forEach((variable, slot) => {
        const original = before[slot];
        if (original && variable.dataId !== original.dataId) variable.assign(original);
      });
      tf.dispose(before);
    }
  }

  /** Records a loop, whose functions cannot assign to variables. @returns the last state; undefined outside of traces */
  whileLoop(condition: Fn, body: Fn, state: readonly Tensor[]): Tensor[] | undefined {
    const outer = this.frame;
    if (!outer) return undefined;
    const initial = state.map((tensor) => this.valueOf(outer, tensor));
    const captures = new Captures(state.length);
    const name = `${outer.graph.name}_loop${outer.graph.nodes.length}`;
    const bodyGraph = this.traceLoopFunction(`${name}_body`, body, outer, initial, captures);
    const conditionGraph = this.traceLoopFunction(`${name}_condition`, condition, outer, initial, captures);
    bodyGraph.outputs.forEach((value, i) => {
      const before = initial[i];
      if (before && before.dtype === value.dtype && sameShape(before.shape, value.shape)) return;
      throw untraceable(
        'A loop',
        `the body must return as many tensors as the state has, each of the same type and shape; number ${i} differs.`,
        'Make the state of the loop large enough from the start.',
      );
    });
    captures.complete(conditionGraph);
    bodyGraph.outputs.push(...captures.complete(bodyGraph));
    const inputs = [...initial, ...captures.values];
    const attrs: Attrs = {
      T: { kind: 'types', value: inputs.map(({ dtype }) => dtype) },
      cond: { kind: 'function', value: conditionGraph.name },
      body: { kind: 'function', value: bodyGraph.name },
      output_shapes: { kind: 'shapes', value: inputs.map(({ shape }) => shape) },
      parallel_iterations: { kind: 'int', value: 1 },
    };
    const outputs = outer.graph.add('StatelessWhile', inputs, attrs, inputs, [conditionGraph, bodyGraph]);
    return outputs.slice(0, state.length).map((value) => this.symbol(outer, value));
  }

  /** Records an operation that takes variables first, then `inputs`, and updates the variables in place. */
  update(op: string, variables: readonly Tensor[], inputs: readonly Tensor[], attrs: Attrs): void {
    const { frame } = this;
    if (!frame) throw new Error(`${op} outside of a trace`);
    const slots = variables.map(({ dataId }) => frame.owner.slotOf(dataId));
    if (slots.some((slot) => slot !== undefined && frame.owner.isNarrow(slot))) throw assignsNarrow();
    if (frame.loop || !slots.every((slot) => slot !== undefined)) {
      throw untraceable(op, 'only variables of the session can be updated, outside of loops.', 'Use assign.');
    }
    const values = inputs.map((input) => this.valueOf(frame, input));
    frame.graph.update(op, slots, values, attrs);
  }

  /** Begins a segment (segments.ts); loops have none. */
  beginSegment(kind: string): void {
    const { frame } = this;
    if (frame && !frame.loop) frame.graph.beginSegment(kind);
  }

  /** Records `make` in the first segment. @returns undefined outside of traces */
  atStart<T>(make: () => T): T | undefined {
    return this.frame?.graph.atStart(make);
  }

  /** Returns `x`, computed after the others and all updates so far. A value cast from bfloat16 waits in bfloat16. */
  after(x: Tensor, others: readonly Tensor[]): Tensor {
    const { frame } = this;
    if (!frame || !this.symbolic(frame, x.dataId)) return x;
    const { graph } = frame;
    const value = this.valueOf(frame, x);
    const narrow = graph.narrow(value);
    const dependencies = others.flatMap((other) =>
      this.symbolic(frame, other.dataId) ? this.valueOf(frame, other) : [],
    );
    const same = this.orderedAfter(frame, narrow ?? value, dependencies);
    return this.symbol(frame, narrow ? graph.cast(same, DT.FLOAT) : same);
  }

  private orderedAfter({ xla, graph }: Frame, value: Value, dependencies: readonly Value[]): Value {
    if (!xla) return graph.after(value, dependencies);
    const floats = dependencies.filter(({ dtype }) => dtype === DT.FLOAT);
    if (value.dtype === DT.FLOAT && floats.length > 0) return timesOne(graph, value, floats);
    // Keeps XLA from merging a recomputation with the original.
    const inputs = [value, ...dependencies];
    const attrs: Attrs = { T: { kind: 'types', value: inputs.map(({ dtype }) => dtype) } };
    const [same] = graph.add('XlaOptimizationBarrier', inputs, attrs, inputs);
    if (!same) throw new Error('a barrier has outputs');
    return same;
  }

  private traceLoopFunction(name: string, fn: Fn, outer: Frame, state: readonly Spec[], captures: Captures): Graph {
    const graph = new Graph(name);
    const frame: Frame = { ...outer, graph, values: new WeakMap(), loop: { outer, captures } };
    const before = outer.owner.variables.map(({ dataId }) => dataId);
    this.frames.push(frame);
    try {
      tf.tidy(() => {
        const args = state.map((spec, i) => this.symbol(frame, graph.input(i, spec)));
        for (const result of fn(...args)) graph.outputs.push(this.valueOf(frame, result));
      });
    } finally {
      this.frames.pop();
    }
    if (outer.owner.variables.some(({ dataId }, slot) => dataId !== before[slot])) {
      throw untraceable('assign', 'a loop cannot change variables.', 'Assign after the loop.');
    }
    return graph;
  }

  /** Creates a tensor without memory for a value. */
  private symbol(frame: Frame, value: Value): Tensor {
    const tensor = this.backend.createOutputTensor({ id: -1, shape: [...value.shape], dtype: value.dtype });
    frame.values.set(tensor.dataId, value);
    return tensor;
  }

  /** Returns a tensor's value in its recorded shape if it depends on arguments or variables. */
  private symbolic(frame: Frame, id: DataId): Value | undefined {
    const known = frame.values.get(id);
    if (known) return known;
    if (frame.loop) {
      const outside = this.symbolic(frame.loop.outer, id);
      return outside && frame.loop.captures.argument(frame.graph, outside);
    }
    const slot = frame.owner.slotOf(id);
    if (slot !== undefined) {
      const { shape, dtype } = this.backend.tensorMap.get(id);
      if (!frame.owner.isNarrow(slot)) return frame.graph.read(slot, { shape, dtype });
      return frame.graph.cast(frame.graph.read(slot, { shape, dtype: DT.BFLOAT16 }), DT.FLOAT);
    }
    const record = this.backend.tensorMap.get(id);
    if (record.id >= 0 || record.values !== null) return undefined;
    throw untraceable(
      'A tensor',
      'it belongs to another session, or to a compiled function that has returned.',
      'Pass it as an argument, or make it a variable of this session.',
    );
  }

  private valueOf(frame: Frame, input: Input): Value {
    if (isInt64(input)) return frame.graph.constant(DT.INT64, [], input.valueArray);
    const value = this.symbolic(frame, input.dataId);
    if (value) return sameShape(value.shape, input.shape) ? value : frame.graph.reshape(value, input.shape);
    const data = this.readNow(input.dataId);
    if (!ArrayBuffer.isView(data)) {
      throw untraceable('A text tensor', 'graphs hold numbers only.', 'Encode the text as numbers first.');
    }
    return frame.graph.constant(tensorflowType(input.dtype), input.shape, data as TypedArray, input.dataId);
  }

  private record(frame: Frame, op: string, opAttrs: readonly OpAttr[], inputs: Input[], n: number): Tensor[] {
    const shapesOf = operations.get(op)?.shapes;
    if (!shapesOf) throw untraceable(op, 'the tracer has no rule for it.', 'Add one to operations.ts.');
    const isConstant = inputs.every((input) => isInt64(input) || !this.symbolic(frame, input.dataId));
    // XLA's own operations exist in compiled graphs only.
    const isFoldable = isConstant && !op.startsWith('Xla');
    if (isFoldable && !mayBeLarge.has(op)) return this.execute(op, [...opAttrs], inputs, n);
    const values = inputs.map((input) => this.valueOf(frame, input));
    const attrs = completeAttrs(op, opAttrs, values);
    const specs = shapesOf(callOf(op, values, attrs));
    const size = specs.reduce((sum, { shape }) => sum + sizeOf(shape), 0);
    if (isFoldable && size <= MAX_FOLDED) return this.execute(op, [...opAttrs], inputs, n);
    const isRounded =
      frame.precision === 'bf16' && op === 'BatchMatMulV2' && values.every(({ dtype }) => dtype === DT.FLOAT);
    const added = isRounded
      ? specs.map((spec) => productInBfloat16(frame.graph, op, values, attrs, spec))
      : frame.graph.add(op, values, attrs, specs);
    return added.map((value) => this.symbol(frame, value));
  }

  private readSync(id: DataId): tf.backend_util.BackendValues {
    for (const frame of this.frames) {
      if (frame.values.has(id) || frame.owner.slotOf(id) !== undefined) {
        throw untraceable(
          'Reading values (dataSync, print, …)',
          'there are none yet.',
          'Return the tensor and read it.',
        );
      }
    }
    const record = this.backend.tensorMap.has(id) ? this.backend.tensorMap.get(id) : undefined;
    if (record && record.id < 0 && record.values === null) {
      for (const owner of this.owners) {
        const slot = owner.slotOf(id);
        if (slot !== undefined) return owner.readSlot(slot);
      }
    }
    return this.readNow(id);
  }

  /** tfjs-node's gather reads its indices, which have no values during a trace. */
  private replaceGather(): void {
    const kernel = tf.getKernel('GatherV2', 'tensorflow');
    tf.unregisterKernel('GatherV2', 'tensorflow');
    tf.registerKernel({
      ...kernel,
      kernelFunc: (params) => {
        const { frame } = this;
        const { x, indices } = params.inputs as { x: TensorInfo; indices: TensorInfo };
        if (!frame || !this.symbolic(frame, indices.dataId)) return kernel.kernelFunc(params);
        const { axis, batchDims } = params.attrs as { axis: number; batchDims: number };
        const axisTensor = tf.scalar(axis, 'int32');
        const attrs: OpAttr[] = [
          { name: 'batch_dims', type: ATTR.INT, value: batchDims },
          { name: 'Tparams', type: ATTR.TYPE, value: tensorflowType(x.dtype) },
          { name: 'Tindices', type: ATTR.TYPE, value: tensorflowType(indices.dtype) },
          { name: 'Taxis', type: ATTR.TYPE, value: DT.INT32 },
        ];
        const result = this.backend.executeSingleOutput('GatherV2', attrs, [x, indices, axisTensor]);
        axisTensor.dispose();
        return result;
      },
    });
  }
}

const callOf = (op: string, inputs: readonly Value[], attrs: Attrs): OpCall => ({
  op,
  inputs,
  attr: (name) => attrs[name],
  constant: (i) => {
    const value = inputs[i];
    const data = value && Graph.constantOf(value);
    if (data) return Array.from(data);
    throw untraceable(op, 'the shape of its result depends on values.', 'Use operations of known shapes.');
  },
});

/** Rounds the elements of f32 matrices to bfloat16. Sums are f32; TensorFlow's kernel rounds them, XLA's does not. */
function productInBfloat16(graph: Graph, op: string, values: readonly Value[], attrs: Attrs, spec: Spec): Value {
  const rounded = values.map((value) => graph.cast(value, DT.BFLOAT16));
  const narrow: Attrs = { ...attrs, T: typeAttr(DT.BFLOAT16) };
  return graph.cast(graph.one(op, rounded, narrow, { ...spec, dtype: DT.BFLOAT16 }), DT.FLOAT);
}

/**
 * Multiplies by a one that depends on the others and that XLA cannot fold. XLA removes its own barrier before it merges equal
 * computations, and would then store for the backward pass what was to be recomputed.
 */
function timesOne(graph: Graph, value: Value, others: readonly Value[]): Value {
  const scalar = { dtype: DT.FLOAT, shape: [] };
  const T: Attrs = { T: typeAttr(DT.FLOAT) };
  const place = (n: number) => graph.constant(DT.INT32, [1], Int32Array.of(n));
  const firstOf = (other: Value): Value => {
    const flat = graph.reshape(other, [sizeOf(other.shape)]);
    const attrs: Attrs = { ...T, Index: typeAttr(DT.INT32) };
    return graph.reshape(graph.one('Slice', [flat, place(0), place(1)], attrs, { dtype: DT.FLOAT, shape: [1] }), []);
  };
  const number = (n: number) => graph.constant(DT.FLOAT, [], Float32Array.of(n));
  const factor = others.reduce(
    (sum, other) => graph.one('AddV2', [sum, graph.one('Mul', [firstOf(other), number(0)], T, scalar)], T, scalar),
    number(1),
  );
  return graph.one('Mul', [value, factor], T, value);
}

const assignsNarrow = () => untraceable('assign', 'bfloat16 variables are constant.', 'Use a float32 variable.');

/** Refuses tfjs's random numbers, which would be frozen into the graph. @returns a function that allows them again */
function forbidRandom(): () => void {
  const before = Object.getOwnPropertyDescriptor(Math, 'random');
  const value = () => {
    throw untraceable('A random number', 'it would be the same in every call.', 'Use statelessUniform with a key.');
  };
  Object.defineProperty(Math, 'random', { value, configurable: true, writable: true });
  return () => {
    if (before) Object.defineProperty(Math, 'random', before);
  };
}
