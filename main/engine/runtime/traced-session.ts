/**
 * A session whose functions are TensorFlow graphs, with variables inside TensorFlow: a call feeds arguments, runs one graph and
 * fetches results. A loaded graph cannot grow, so functions traced later are loaded as a new generation. Each generation holds a
 * version of each variable, and a call first updates stale ones from the generation that has the newest.
 */
import type { DataId, Tensor, Variable } from '@tensorflow/tfjs';
import { runError } from './errors.js';
import type { Spec } from './operations.js';
import {
  forXla,
  linkPrograms,
  typeOutside,
  variableEndpoints,
  type Digest,
  type Endpoint,
  type Program,
} from './program.js';
import type { Bytes } from './protobuf.js';
import {
  DT,
  inTransfers,
  sizeOf,
  tensorflowType,
  type NodeBackend,
  type OutputMetadata,
  type Shape,
} from './tensorflow.js';
import type { Tracer, VariableOwner } from './tracer.js';
import { flatten, type Flattened, type TensorTree } from './tree.js';
import type { CompileOptions, Compiled, Precision, Session, SessionOptions, Values, VariableType } from './types.js';
import { copyAs, ownVariable, takeValues } from './variables.js';

/** What a session needs from the machine. */
export interface GraphHost {
  readonly backend: NodeBackend;
  readonly tracer: Tracer;
  /** Loads a serialized SavedModel. @param rewritten whether TensorFlow's graph optimizer runs. @returns the binding's id */
  load(model: Bytes, rewritten: boolean): number;
  /** Empties the compile cache. @returns whether it had any files */
  forgetCompiled(): boolean;
  /** The number of functions in the compile cache; null without one. */
  countCompiled(): number | null;
  readonly digest: Digest;
  collectGarbage(): void;
}

/** Values that are read and checked when they are loaded. */
interface Pending {
  take(): Float32Array;
}

interface VariableState {
  readonly variable: Variable;
  readonly spec: Spec;
  /** Counts assignments. */
  version: number;
  /** Holds the newest values. */
  source: Generation | Pending;
}

/** A loaded graph. */
interface Generation {
  readonly id: number;
  /** Of variables, by slot. */
  readonly versions: Map<number, number>;
}

interface TracedProgram extends Program {
  readonly reads: readonly number[];
  readonly assigns: readonly number[];
  /** Whether TensorFlow's graph optimizer pays off: it fuses bfloat16 products, and is slow on graphs that XLA compiles. */
  readonly rewritten: boolean;
  loaded: { readonly generation: Generation; readonly endpoints: readonly Endpoint[]; ran: boolean } | null;
}

/** XLA measured faster for all functions (README.md, Figures), but has no bfloat16 products on a processor. */
const compilesWithXla = (precision: Precision, host: GraphHost): boolean =>
  precision === 'f32' || host.backend.binding.isUsingGpuDevice();

export class TracedSession implements Session, VariableOwner {
  readonly variables: Variable[] = [];
  private readonly states: VariableState[] = [];
  private readonly slots = new WeakMap<DataId, number>();
  private readonly generations: Generation[] = [];
  private unloaded: TracedProgram[] = [];
  private readonly loadedPrograms: TracedProgram[] = [];
  private zeros = new Float32Array();
  private functionsSoFar = 0;
  private triedAgain = false;
  private disposed = false;

  constructor(
    private readonly host: GraphHost,
    private readonly options: SessionOptions,
  ) {
    host.tracer.addOwner(this);
  }

  variable(name: string, shape: readonly number[], values?: Values, dtype: VariableType = 'float32'): Variable {
    this.assertOpen();
    const spec = { dtype: dtype === 'bfloat16' ? DT.BFLOAT16 : DT.FLOAT, shape };
    const source = { take: this.valuesOf(name, shape, values) };
    // A tensor without memory.
    const symbol = this.host.backend.createOutputTensor({ id: -1, shape: [...shape], dtype: typeOutside(spec.dtype) });
    const variable = ownVariable(symbol, name);
    symbol.dispose();
    this.slots.set(variable.dataId, this.states.length);
    this.states.push({ variable, spec, version: 0, source });
    this.variables.push(variable);
    return variable;
  }

  /** Checks values in memory at once, so that an error points to the caller. */
  private valuesOf(name: string, shape: Shape, values: Values | undefined): Pending['take'] {
    if (values && 'data' in values) return () => takeValues(name, shape, values);
    const inMemory = values ? takeValues(name, shape, values) : this.zerosOf(sizeOf(shape));
    return () => inMemory;
  }

  /** Zeros, shared by all variables without values until these are loaded. */
  private zerosOf(size: number): Float32Array {
    if (this.zeros.length < size) this.zeros = new Float32Array(size);
    return this.zeros.subarray(0, size);
  }

  compile<A extends readonly TensorTree[], const R extends TensorTree>(
    fn: (...args: A) => R,
    options: CompileOptions,
  ): Compiled<A, R> {
    const functions = new Map<string, { readonly program: TracedProgram; readonly rebuild: Flattened<R>['rebuild'] }>();
    const functionFor = ({ structure, leaves, rebuild }: Flattened<A>) => {
      let key = structure;
      for (const { dtype, shape } of leaves) key += `${dtype}[${shape.join()}]`;
      const known = functions.get(key);
      if (known) return known;
      this.assertOpen();
      let result: Flattened<R> | undefined;
      const onLists = (...args: Tensor[]): readonly Tensor[] => (result = flatten(fn(...rebuild(args)))).leaves;
      const program = this.trace(onLists, leaves, options);
      if (!result) throw new Error(`${options.name} was not traced`);
      const traced = { program, rebuild: result.rebuild };
      functions.set(key, traced);
      return traced;
    };
    const together = (calls: readonly A[]): R[] => {
      // Within a trace a compiled function is inlined.
      if (this.host.tracer.tracing) return calls.map((args) => fn(...args));
      const flat = calls.map((args) => flatten(args));
      const [first] = flat;
      if (!first) return [];
      const { program, rebuild } = functionFor(first);
      const leaves = flat.map((args) => args.leaves);
      return this.run(program, leaves).map(rebuild);
    };
    return Object.assign((...args: A): R => together([args])[0] as R, { together });
  }

  private trace(
    fn: (...args: Tensor[]) => readonly Tensor[],
    args: readonly Tensor[],
    { name, precision = 'f32', copies = 1, xla = compilesWithXla(precision, this.host) }: CompileOptions,
  ): TracedProgram {
    const identifier = name.replace(/[^A-Za-z0-9_]/g, '_');
    const specs = args.map(({ dtype, shape }) => ({ dtype: tensorflowType(dtype), shape: [...shape] }));
    const graphName = `${identifier}_${this.functionsSoFar++}`;
    const graph = this.host.tracer.trace(graphName, fn, specs, this, { xla, precision });
    if (copies > 1 && graph.changed().length > 0) throw new Error(`${name} assigns, so it cannot have copies`);
    const program: TracedProgram = {
      name: identifier,
      graph: xla ? forXla(graph, this.host.digest) : graph,
      xla,
      copies,
      // A variable that is updated in place must be loaded.
      reads: [...new Set([...graph.reads.keys(), ...graph.updates.flatMap(({ slots }) => slots)])],
      assigns: graph.changed(),
      rewritten: precision === 'bf16' && !xla,
      loaded: null,
    };
    this.unloaded.push(program);
    return program;
  }

  /** Loads all programs traced since the last load as one graph. */
  private load(): void {
    const programs = this.unloaded;
    const slots = new Set(programs.flatMap(({ reads, assigns }) => [...reads, ...assigns]));
    const specs = new Map([...slots].map((slot) => [slot, this.state(slot).spec]));
    const { model, endpoints } = linkPrograms(programs, specs, this.host.digest);
    const rewritten = programs.some((program) => program.rewritten);
    const generation: Generation = { id: this.host.load(model, rewritten), versions: new Map() };
    this.generations.push(generation);
    programs.forEach((program, i) => {
      program.loaded = { generation, endpoints: endpoints[i] ?? [], ran: false };
    });
    for (const program of programs) if (!this.loadedPrograms.includes(program)) this.loadedPrograms.push(program);
    this.unloaded = [];
  }

  /** Calls a program with each list of arguments in one run of its graph. */
  private run(program: TracedProgram, calls: readonly (readonly Tensor[])[]): Tensor[][] {
    this.assertOpen();
    if (!program.loaded) this.load();
    const { loaded } = program;
    if (!loaded) throw new Error(`${program.name} was not loaded`);
    if (calls.length > loaded.endpoints.length)
      throw new Error(`${program.name} has fewer than ${calls.length} copies`);
    const { generation } = loaded;
    const endpoints = loaded.endpoints.slice(0, calls.length);
    this.refresh(program.reads, generation);
    const firstRun = loaded.ran ? null : this.firstRun(program);
    const { backend } = this.host;
    const ids = calls.flatMap((args) => backend.getInputTensorIds(args));
    let outputs: OutputMetadata[];
    try {
      const names = [namesOf(endpoints, 'inputs'), namesOf(endpoints, 'outputs')] as const;
      outputs = backend.binding.runSavedModel(generation.id, ids, ...names);
    } catch (error) {
      if (loaded.ran || !program.xla || !this.startAgain(generation)) throw runError(error);
      return this.run(program, calls);
    }
    firstRun?.ended();
    loaded.ran = true;
    for (const slot of program.assigns) {
      const state = this.state(slot);
      state.version++;
      state.source = generation;
      generation.versions.set(slot, state.version);
    }
    const each = program.graph.outputs.length;
    if (each === 0) {
      for (const { id } of outputs) backend.binding.deleteTensor(id);
      return calls.map(() => []);
    }
    const tensors = outputs.map((output) => backend.createOutputTensor(output));
    return calls.map((_, call) => tensors.slice(call * each, (call + 1) * each));
  }

  /** Reports a run in which XLA may compile, and its end if the function was not in the cache. */
  private firstRun({ name, graph, xla }: TracedProgram): { ended(): void } {
    const { host, options } = this;
    const operations = xla ? graph.operations() : 0;
    const cached = host.countCompiled();
    options.onPhase?.('compile', name, operations);
    return {
      ended() {
        if (xla && (cached === null || host.countCompiled() !== cached))
          options.onPhase?.('compiled', name, operations);
      },
    };
  }

  /**
   * After a failed compilation, empties the compile cache, which may be damaged, and reloads the graph, which remembers the failure.
   * @returns false if there is nothing left to try
   */
  private startAgain(generation: Generation): boolean {
    if (this.triedAgain || !this.host.forgetCompiled()) return false;
    this.triedAgain = true;
    const programs = this.loadedPrograms.filter(({ loaded }) => loaded?.generation === generation);
    for (const program of programs) program.loaded = null;
    this.unloaded.push(...programs);
    return true;
  }

  /** Updates a generation to the newest values of variables. */
  private refresh(slots: readonly number[], generation: Generation): void {
    const stale = slots.filter((slot) => generation.versions.get(slot) !== this.state(slot).version);
    if (stale.length === 0) return;
    const fetched = new Map<Generation, ReadonlyMap<number, number>>();
    const handlesOf = (source: Generation) => {
      const handles = fetched.get(source) ?? this.fetch(source);
      fetched.set(source, handles);
      return handles;
    };
    // Few runs, since each new combination of names costs milliseconds; values from JavaScript briefly exist three times.
    const parts = inTransfers(stale, (slot) => {
      const { source, spec } = this.state(slot);
      return 'versions' in source ? 0 : sizeOf(spec.shape);
    });
    const used = parts.flatMap((some, place) => {
      // JavaScript's copies remain until they are collected, and a step allocates too little to trigger that.
      if (place > 0) this.host.collectGarbage();
      return this.refreshPart(some, generation, handlesOf);
    });
    for (const handles of fetched.values()) this.release(handles, used);
    this.zeros = new Float32Array();
    if (parts.length > 1) this.host.collectGarbage();
  }

  /** @returns handles that are deleted now */
  private refreshPart(
    slots: readonly number[],
    generation: Generation,
    handlesOf: (source: Generation) => ReadonlyMap<number, number>,
  ): readonly number[] {
    const { binding } = this.host.backend;
    const ids = slots.map((slot) => {
      const { source, spec } = this.state(slot);
      return 'versions' in source
        ? handleOf(handlesOf(source), slot)
        : binding.createTensor(spec.shape, typeOutside(spec.dtype), source.take());
    });
    const endpoints = slots.map((slot) => {
      const { share, write } = variableEndpoints(slot);
      return 'versions' in this.state(slot).source ? share : write;
    });
    const done = binding.runSavedModel(generation.id, ids, namesOf(endpoints, 'inputs'), namesOf(endpoints, 'outputs'));
    for (const { id } of done) binding.deleteTensor(id);
    for (const id of ids) binding.deleteTensor(id);
    for (const slot of slots) {
      const state = this.state(slot);
      generation.versions.set(slot, state.version);
      state.source = generation;
    }
    return ids;
  }

  /** Fetches handles of all variables of a generation, which share their memory. @param values slots that JavaScript reads */
  private fetch(generation: Generation, values: readonly number[] = []): ReadonlyMap<number, number> {
    const slots = [...generation.versions.keys()];
    const isRead = new Set(values);
    const endpointOf = (slot: number) =>
      variableEndpoints(slot)[isRead.has(slot) && this.isNarrow(slot) ? 'values' : 'read'];
    const names = slots.map((slot) => endpointOf(slot).outputs).join();
    const outputs = this.host.backend.binding.runSavedModel(generation.id, [], '', names);
    return new Map(outputs.map(({ id }, i) => [slots[i] ?? -1, id]));
  }

  private release(handles: ReadonlyMap<number, number>, except: readonly number[] = []): void {
    const deleted = new Set(except);
    for (const id of handles.values()) if (!deleted.has(id)) this.host.backend.binding.deleteTensor(id);
  }

  download(): Promise<void> {
    return Promise.resolve();
  }

  read(variable: Variable): Float32Array {
    return this.readSlot(this.slotOfVariable(variable));
  }

  readAll(variables: readonly Variable[]): readonly Float32Array[] {
    return this.readSlots(variables.map((variable) => this.slotOfVariable(variable)));
  }

  write(variable: Variable, values: Float32Array): void {
    const state = this.state(this.slotOfVariable(variable));
    state.source = { take: this.valuesOf(variable.name, variable.shape, values) };
    state.version++;
  }

  slotOf(id: DataId): number | undefined {
    return this.slots.get(id);
  }

  isNarrow(slot: number): boolean {
    return this.state(slot).spec.dtype === DT.BFLOAT16;
  }

  readSlot(slot: number): Float32Array {
    const [values] = this.readSlots([slot]);
    if (!values) throw new Error(`no values in slot ${slot}`);
    return values;
  }

  private readSlots(slots: readonly number[]): readonly Float32Array[] {
    const { binding } = this.host.backend;
    const fetched = new Map<Generation, ReadonlyMap<number, number>>();
    try {
      return slots.map((slot) => {
        const { source } = this.state(slot);
        if (!('versions' in source)) return copyAs(source.take(), this.isNarrow(slot) ? 'bfloat16' : 'float32');
        const handles = fetched.get(source) ?? this.fetch(source, slots);
        fetched.set(source, handles);
        return binding.tensorDataSync(handleOf(handles, slot)) as Float32Array;
      });
    } finally {
      for (const handles of fetched.values()) this.release(handles);
    }
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.host.tracer.removeOwner(this);
    for (const { id } of this.generations) this.host.backend.binding.deleteSavedModel(id);
    for (const { variable } of this.states) variable.dispose();
    this.generations.length = 0;
    this.states.length = 0;
    this.variables.length = 0;
    this.unloaded = [];
  }

  private state(slot: number): VariableState {
    const state = this.states[slot];
    if (!state) throw new Error(`no variable in slot ${slot}`);
    return state;
  }

  private slotOfVariable(variable: Variable): number {
    this.assertOpen();
    const slot = this.slots.get(variable.dataId);
    if (slot === undefined) throw new Error(`variable ${variable.name} belongs to another session`);
    return slot;
  }

  private assertOpen(): void {
    if (this.disposed) throw new Error('this session was disposed');
  }
}

const namesOf = (endpoints: readonly Endpoint[], which: keyof Endpoint): string =>
  endpoints
    .map((endpoint) => endpoint[which])
    .filter((names) => names !== '')
    .join();

function handleOf(handles: ReadonlyMap<number, number>, slot: number): number {
  const id = handles.get(slot);
  if (id === undefined) throw new Error(`no handle for variable ${slot}`);
  return id;
}
