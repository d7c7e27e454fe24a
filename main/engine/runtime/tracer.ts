/**
 * "tf.function" for tfjs-node: runs a plain tfjs function once on symbols instead of numbers and records the graph that
 * it describes. tfjs's own code (broadcasting, gradients, composite operations) runs as ever; below it, where a kernel
 * would call TensorFlow, the operation is added to the graph and a tensor without memory comes back.
 *
 * A tensor is known by its data id. What depends on no argument and no variable is computed at once, by TensorFlow, and
 * becomes a constant where it meets something that does. Nothing else is executed: tracing costs milliseconds and no
 * memory, whatever the shapes.
 */
import * as tf from '@tensorflow/tfjs';
import type { DataId, Tensor, TensorInfo, Variable } from '@tensorflow/tfjs';
import { untraceable } from './errors.js';
import { completeAttrs } from './operations/attributes.js';
import { Captures, Graph, type Value } from './graph.js';
import { irreproducible, opset } from './operations/opset.js';
import type { Attrs } from './protobuf.js';
import type { OpCall, Spec } from './operations/shape-rules.js';
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

/** Variables that a function may use: those of its session, by slot. */
export interface VariableOwner {
  readonly variables: readonly Variable[];
  /** The slot of the variable that has this data id outside of traces. */
  slotOf(id: DataId): number | undefined;
  /** Whether that variable is kept in bfloat16. */
  isNarrow(slot: number): boolean;
  /** Reads a variable's values. */
  readSlot(slot: number): TypedArray;
}

/** A function being traced. */
interface Frame {
  readonly graph: Graph;
  readonly owner: VariableOwner;
  readonly xla: boolean;
  /** How matrix products are computed. */
  readonly precision: Precision;
  readonly values: WeakMap<DataId, Value>;
  /** For the body or condition of a loop: how it reaches what is outside. */
  readonly loop?: { readonly outer: Frame; readonly captures: Captures };
}

/** The tracer of each backend, for operations that are written differently in a graph. */
const tracers = new WeakMap<object, Tracer>();

export const tracerOf = (backend: object): Tracer | undefined => tracers.get(backend);

const isInt64 = (input: Input): input is Int64Scalar => (input as Int64Scalar).dtype === 'int64';

/** Operations that make something large out of nothing: above so many elements the graph makes it, not the tracer. */
const mayBeLarge: ReadonlySet<string> = new Set(['Fill', 'Range', 'BroadcastTo', 'Tile', 'OneHot']);
const MAX_FOLDED = 4096;

const NO_READ_HINT =
  'Return the tensor from the compiled function and read it outside, or compute the value with tensor operations.';

export class Tracer {
  private readonly frames: Frame[] = [];
  private readonly owners = new Set<VariableOwner>();
  private readonly execute: NodeBackend['executeMultipleOutputs'];
  private readonly readNow: NodeBackend['readSync'];

  /** Puts itself between tfjs's kernels and the backend's calls into TensorFlow. */
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
    this.checkIndicesOnlyWhereKnown();
  }

  private get frame(): Frame | undefined {
    return this.frames[this.frames.length - 1];
  }

  get tracing(): boolean {
    return this.frames.length > 0;
  }

  /** Whether what is being traced will be compiled by XLA. */
  get tracingForXla(): boolean {
    return this.frame?.xla ?? false;
  }

  /** Announces a session, so that its variables are recognised. */
  addOwner(owner: VariableOwner): void {
    this.owners.add(owner);
  }

  removeOwner(owner: VariableOwner): void {
    this.owners.delete(owner);
  }

  /** Runs `fn` on symbols of the given shapes. Variables are as before afterwards, whatever `fn` assigned. */
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
        const args = specs.map((spec) => this.symbol(frame, graph.input(spec)));
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

  /**
   * A loop inside the function being traced: while `condition` holds, `body` makes the next state from the last.
   * Both may use everything around them; they cannot assign to variables.
   * @returns the last state; undefined outside of traces
   */
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

  /**
   * Changes variables where they are, in the function being traced: `op` takes them first, then `inputs`. What is read of
   * them afterwards is new.
   * @returns false outside of traces
   */
  update(op: string, variables: readonly Tensor[], inputs: readonly Tensor[], attrs: Attrs): boolean {
    const { frame } = this;
    if (!frame) return false;
    const slots = variables.map(({ dataId }) => frame.owner.slotOf(dataId));
    if (slots.some((slot) => slot !== undefined && frame.owner.isNarrow(slot))) throw assignsNarrow();
    if (frame.loop || !slots.every((slot) => slot !== undefined)) {
      throw untraceable(op, 'only the session’s variables can be updated, once, outside of loops.', NO_READ_HINT);
    }
    frame.graph.update(
      op,
      slots,
      inputs.map((input) => this.valueOf(frame, input)),
      attrs,
    );
    return true;
  }

  /** What is recorded from here on is another stretch of the function (stretches.ts), unless it is a loop's. */
  beginStretch(of: string): void {
    const { frame } = this;
    if (frame && !frame.loop) frame.graph.beginStretch(of);
  }

  /** What `make` records is part of the function's first stretch. Undefined outside of traces. */
  atStart<T>(make: () => T): T | undefined {
    const { frame } = this;
    return frame && frame.graph.atStart(make);
  }

  /**
   * The same tensor, not before the others and all updates so far; `x` itself where that goes without saying. What was
   * made of bfloat16 waits as such, in half the memory.
   */
  after(x: Tensor, others: readonly Tensor[]): Tensor {
    const { frame } = this;
    if (!frame || !this.symbolic(frame, x.dataId)) return x;
    const { graph } = frame;
    const value = this.valueOf(frame, x);
    const narrow = graph.narrow(value);
    const waited = others.flatMap((other) => (this.symbolic(frame, other.dataId) ? this.valueOf(frame, other) : []));
    const same = this.sameAfter(frame, narrow ?? value, waited);
    return this.symbol(frame, narrow ? graph.cast(same, DT.FLOAT) : same);
  }

  private sameAfter({ xla, graph }: Frame, value: Value, waited: readonly Value[]): Value {
    if (!xla) return graph.after(value, waited);
    const numbers = waited.filter(({ dtype }) => dtype === DT.FLOAT);
    if (value.dtype === DT.FLOAT && numbers.length > 0) return timesOne(graph, value, numbers);
    // XLA computes what is computed twice once, unless it cannot see that it is the same.
    const inputs = [value, ...waited];
    const attrs: Attrs = { T: { kind: 'types', value: inputs.map(({ dtype }) => dtype) } };
    const [same] = graph.add('XlaOptimizationBarrier', inputs, attrs, inputs);
    if (!same) throw new Error('a barrier has outputs');
    return same;
  }

  private traceLoopFunction(name: string, fn: Fn, outer: Frame, state: readonly Spec[], captures: Captures): Graph {
    const graph = new Graph(name);
    const frame: Frame = {
      graph,
      owner: outer.owner,
      xla: outer.xla,
      precision: outer.precision,
      values: new WeakMap(),
      loop: { outer, captures },
    };
    const before = outer.owner.variables.map(({ dataId }) => dataId);
    this.frames.push(frame);
    try {
      tf.tidy(() => {
        const args = state.map((spec, i) => this.symbol(frame, graph.inputAt(i, spec)));
        for (const result of fn(...args)) graph.outputs.push(this.valueOf(frame, result));
      });
    } finally {
      this.frames.pop();
    }
    if (outer.owner.variables.some(({ dataId }, slot) => dataId !== before[slot])) {
      throw untraceable(
        'assign',
        'a loop cannot change variables.',
        'Return the value from the loop and assign after it.',
      );
    }
    return graph;
  }

  /** A tensor without memory that stands for `value`. */
  private symbol(frame: Frame, value: Value): Tensor {
    const tensor = this.backend.createOutputTensor({ id: -1, shape: [...value.shape], dtype: value.dtype });
    frame.values.set(tensor.dataId, value);
    return tensor;
  }

  /** What a tensor is in the graph, if it depends on arguments or variables. Shape as recorded. */
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
    if (irreproducible.has(op)) {
      throw untraceable(op, 'it draws numbers that nothing can repeat.', 'Use statelessUniform with a key.');
    }
    const isConstant = inputs.every((input) => isInt64(input) || !this.symbolic(frame, input.dataId));
    // XLA's own operations exist in compiled graphs only.
    const foldable = isConstant && !op.startsWith('Xla');
    if (foldable && !mayBeLarge.has(op)) return this.execute(op, [...opAttrs], inputs, n);
    const values = inputs.map((input) => this.valueOf(frame, input));
    const attrs = completeAttrs(op, opAttrs, values);
    const specs = this.shapes(op, opAttrs, attrs, values, n);
    const size = specs.reduce((sum, { shape }) => sum + sizeOf(shape), 0);
    if (foldable && size <= MAX_FOLDED) return this.execute(op, [...opAttrs], inputs, n);
    const added =
      frame.precision === 'bf16' && isMatrixProduct(op, values)
        ? [this.productInBfloat16(frame.graph, op, values, attrs, specs)]
        : frame.graph.add(op, values, attrs, specs);
    return added.map((value) => this.symbol(frame, value));
  }

  /**
   * A product of f32 matrices with their elements rounded to bfloat16. Sums are kept in f32, and only rounded where
   * TensorFlow's own kernel gives bfloat16 back; XLA's gives f32.
   */
  private productInBfloat16(
    graph: Graph,
    op: string,
    values: readonly Value[],
    attrs: Attrs,
    specs: readonly Spec[],
  ): Value {
    const [spec] = specs;
    if (!spec) throw new Error(`${op} has no output`);
    const rounded = values.map((value) => graph.cast(value, DT.BFLOAT16));
    const narrow: Attrs = { ...attrs, T: { kind: 'type', value: DT.BFLOAT16 } };
    return graph.cast(graph.one(op, rounded, narrow, { ...spec, dtype: DT.BFLOAT16 }), DT.FLOAT);
  }

  private shapes(op: string, opAttrs: readonly OpAttr[], attrs: Attrs, values: readonly Value[], n: number) {
    const rule = opset.get(op)?.shapes;
    if (!rule) return this.shapesByRunning(op, opAttrs, values, n);
    const call: OpCall = {
      op,
      inputs: values,
      outputs: n,
      attr: (name) => attrs[name],
      constant: (i) => {
        const value = values[i];
        const data = value && Graph.constantOf(value);
        if (data) return Array.from(data);
        throw untraceable(op, 'the shape of its result depends on values.', NO_READ_HINT);
      },
    };
    return rule(call);
  }

  /** Runs an operation of unknown shape once; symbols are zeros there, constants themselves. */
  private shapesByRunning(op: string, opAttrs: readonly OpAttr[], values: readonly Value[], n: number): Spec[] {
    const { binding } = this.backend;
    const ids = values.map((value) => {
      const data = Graph.constantOf(value) ?? zeros(value);
      return binding.createTensor(value.shape, value.dtype, data);
    });
    try {
      const outputs = binding.executeOp(op, opAttrs, ids, n);
      for (const { id } of outputs) binding.deleteTensor(id);
      return outputs.map(({ dtype, shape }) => ({ dtype, shape }));
    } finally {
      for (const id of ids) binding.deleteTensor(id);
    }
  }

  private readSync(id: DataId): tf.backend_util.BackendValues {
    for (const frame of this.frames) {
      if (frame.values.has(id) || frame.owner.slotOf(id) !== undefined) {
        throw untraceable('Reading values (dataSync, arraySync, data, print)', 'there are none yet.', NO_READ_HINT);
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

  /** tfjs-node's gather reads its indices to check them; while tracing they have no values. */
  private checkIndicesOnlyWhereKnown(): void {
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

/**
 * The same numbers, times a one that XLA cannot know and that needs the others first. Its own barrier goes before it looks for
 * what is computed twice, and then keeps for the backward pass what was to be computed again.
 */
function timesOne(graph: Graph, value: Value, others: readonly Value[]): Value {
  const scalar = { dtype: DT.FLOAT, shape: [] };
  const T: Attrs = { T: { kind: 'type', value: DT.FLOAT } };
  const place = (n: number) => graph.constant(DT.INT32, [1], Int32Array.of(n));
  const firstOf = (other: Value): Value => {
    const flat = graph.reshape(other, [sizeOf(other.shape)]);
    const attrs: Attrs = { ...T, Index: { kind: 'type', value: DT.INT32 } };
    return graph.reshape(graph.one('Slice', [flat, place(0), place(1)], attrs, { dtype: DT.FLOAT, shape: [1] }), []);
  };
  const number = (n: number) => graph.constant(DT.FLOAT, [], Float32Array.of(n));
  const factor = others.reduce(
    (sum, other) => graph.one('AddV2', [sum, graph.one('Mul', [firstOf(other), number(0)], T, scalar)], T, scalar),
    number(1),
  );
  return graph.one('Mul', [value, factor], T, value);
}

const assignsNarrow = () =>
  untraceable('assign', 'a variable in bfloat16 stays as it is.', 'Make it a variable of float32.');

const isMatrixProduct = (op: string, values: readonly Spec[]): boolean =>
  (op === 'MatMul' || op === 'BatchMatMul' || op === 'BatchMatMulV2') &&
  values.every(({ dtype }) => dtype === DT.FLOAT);

function zeros({ dtype, shape }: Spec): TypedArray {
  const size = sizeOf(shape);
  if (dtype === DT.FLOAT) return new Float32Array(size);
  if (dtype === DT.BOOL) return new Uint8Array(size);
  if (dtype === DT.INT64) return new Int32Array(2 * size);
  return new Int32Array(size);
}

/** tfjs draws its random numbers in JavaScript: they would be frozen into the graph. Returns what undoes it. */
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
