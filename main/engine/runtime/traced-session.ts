/**
 * A session whose functions are TensorFlow graphs. Variables live inside TensorFlow; a call feeds the arguments, runs
 * one graph and fetches the results.
 *
 * A graph cannot grow once it is loaded. Functions traced before the first call are loaded together; one that is traced
 * later (a new shape, say) is loaded into a graph of its own, a new generation, and nothing is compiled twice. A variable
 * is then in several generations: each knows which version it holds, and a call first brings what is stale from the one
 * that has the newest.
 */
import type { DataId, Tensor, Variable } from '@tensorflow/tfjs';
import { runError, untraceable } from './errors.js';
import type { Spec } from './operations/shape-rules.js';
import {
  forXla,
  linkPrograms,
  typeOutside,
  variableEndpoints,
  type Digest,
  type Endpoint,
  type Program,
} from './program.js';
import type { Bytes } from './wire.js';
import {
  DT,
  inParts,
  sizeOf,
  tensorflowType,
  type NodeBackend,
  type OutputMetadata,
  type Shape,
} from './tensorflow.js';
import type { Tracer, VariableOwner } from './tracer.js';
import { flatten, type Flattened, type TensorTree } from './tree.js';
import type { CompileOptions, Compiled, Precision, Session, SessionOptions, Values, VariableType } from './types.js';
import { keptAs, ownVariable, takeValues } from './variables.js';

/** What a session needs of the machine: graphs go through a folder, which only native code can write. */
export interface GraphHost {
  readonly backend: NodeBackend;
  readonly tracer: Tracer;
  /**
   * Loads a serialized SavedModel; returns the binding's id.
   * @param rewritten whether TensorFlow may rewrite its nodes before they first run
   */
  load(model: Bytes, rewritten: boolean): number;
  /** Empties the folder of compiled functions, if there is one. False: there was nothing to empty. */
  forgetCompiled(): boolean;
  /** How many compiled functions that folder has; null where there is none. */
  countCompiled(): number | null;
  /** Names what functions do (program.ts). */
  readonly digest: Digest;
  /** Gives back what JavaScript holds of the machine's memory and uses no more, as far as it can. */
  collectGarbage(): void;
}

/** Values that are asked for when they are loaded, and checked then. */
interface Pending {
  take(): Float32Array | Int32Array;
}

interface VariableState {
  readonly variable: Variable;
  readonly spec: Spec;
  readonly home: DataId;
  /** Counts assignments. */
  version: number;
  /** Where the newest values are: in a generation, or here, not loaded yet. */
  source: Generation | Pending;
}

/** One loaded graph. */
interface Generation {
  readonly id: number;
  /** Version held of each variable, by slot. */
  readonly versions: Map<number, number>;
}

interface TracedProgram extends Program {
  readonly reads: readonly number[];
  readonly assigns: readonly number[];
  /**
   * Whether TensorFlow's rewriting pays. It joins a product of bfloat16 with what follows it. What XLA compiles it leaves as
   * it is, and would still read, for longer than all else that a graph needs to begin.
   */
  readonly rewritten: boolean;
  loaded: { readonly generation: Generation; readonly endpoints: readonly Endpoint[]; ran: boolean } | null;
}

/** What a function became for arguments of one structure and shape. */
interface TracedFunction<R> {
  readonly program: TracedProgram;
  readonly rebuild: Flattened<R>['rebuild'];
}

/**
 * XLA unless a function says otherwise: it measured faster for every function of the engine (README.md, Figures). On a
 * processor it has no products of bfloat16, though, and TensorFlow's own library does.
 */
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
    const spec = { dtype: dtype === 'bfloat16' ? DT.BFLOAT16 : tensorflowType(dtype), shape };
    const source = { take: this.valuesOf(name, shape, dtype, values) };
    // A tensor of the right shape without memory: the values are the session's.
    const symbol = this.host.backend.createOutputTensor({ id: -1, shape: [...shape], dtype: typeOutside(spec.dtype) });
    const variable = ownVariable(symbol, name);
    symbol.dispose();
    this.slots.set(variable.dataId, this.states.length);
    this.states.push({ variable, spec, home: variable.dataId, version: 0, source });
    this.variables.push(variable);
    return variable;
  }

  /** Checks now what is there now: a mistake is to be told where it was made. */
  private valuesOf(name: string, shape: Shape, dtype: VariableType, values: Values | undefined): Pending['take'] {
    if (values && 'data' in values) return () => takeValues(name, shape, dtype, values);
    const here = values || dtype === 'int32' ? takeValues(name, shape, dtype, values) : this.zerosOf(sizeOf(shape));
    return () => here;
  }

  /** Zeros that all variables without values share until TensorFlow has them. Nobody writes there. */
  private zerosOf(size: number): Float32Array {
    if (this.zeros.length < size) this.zeros = new Float32Array(size);
    return this.zeros.subarray(0, size);
  }

  compile<A extends readonly TensorTree[], const R extends TensorTree>(
    fn: (...args: A) => R,
    options: CompileOptions,
  ): Compiled<A, R> {
    const functions = new Map<string, TracedFunction<R>>();
    const functionFor = ({ structure, leaves, rebuild }: Flattened<A>): TracedFunction<R> => {
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
      // Inside another function's trace a compiled function is a plain one.
      if (this.host.tracer.tracing) return calls.map((args) => fn(...args));
      const flat = calls.map((args) => flatten(args));
      const [first] = flat;
      if (!first) return [];
      const { program, rebuild } = functionFor(first);
      return this.run(
        program,
        flat.map(({ leaves }) => leaves),
      ).map(rebuild);
    };
    const run = (...args: A): R => {
      if (this.host.tracer.tracing) return fn(...args);
      const flat = flatten(args);
      const { program, rebuild } = functionFor(flat);
      const [results = []] = this.run(program, [flat.leaves]);
      return rebuild(results);
    };
    return Object.assign(run, { together });
  }

  private trace(
    fn: (...args: Tensor[]) => readonly Tensor[],
    args: readonly Tensor[],
    { name, xla, precision = 'f32', copies = 1 }: CompileOptions,
  ): TracedProgram {
    this.options.onPhase?.('trace', name);
    const byDefault = compilesWithXla(precision, this.host);
    const identifier = name.replace(/[^A-Za-z0-9_]/g, '_');
    const specs = args.map(({ dtype, shape }) => ({ dtype: tensorflowType(dtype), shape: [...shape] }));
    const traced = (forXla: boolean) =>
      this.host.tracer.trace(`${identifier}_${this.functionsSoFar++}`, fn, specs, this, {
        xla: forXla,
        precision,
      });
    let graph = traced(xla ?? byDefault);
    const unnamed = graph.unnamed();
    if (xla === true && unnamed.length > 0) {
      throw untraceable(unnamed.join(', '), 'XLA functions know no such operation.', 'Compile it with xla: false.');
    }
    if (xla === undefined && unnamed.length > 0) graph = traced(false);
    if (copies > 1 && graph.changed().length > 0)
      throw new Error(`${name} assigns: it cannot run several times at once`);
    const compiles = (xla ?? byDefault) && unnamed.length === 0;
    const program: TracedProgram = {
      name: identifier,
      graph: compiles ? forXla(graph, this.host.digest) : graph,
      xla: compiles,
      copies,
      // What is updated where it is has to be there.
      reads: [...new Set([...graph.reads.keys(), ...graph.updates.flatMap(({ slots }) => slots)])],
      assigns: graph.changed(),
      rewritten: precision === 'bf16' && !compiles,
      loaded: null,
    };
    this.unloaded.push(program);
    return program;
  }

  /** Loads everything traced since the last time, as one graph. */
  private load(cause: string): void {
    this.options.onPhase?.('load', cause);
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

  /** One run of the graph in which a program is called once with each of these lists of arguments. */
  private run(program: TracedProgram, calls: readonly (readonly Tensor[])[]): Tensor[][] {
    this.assertOpen();
    if (!program.loaded) this.load(program.name);
    const { loaded } = program;
    if (!loaded) throw new Error(`${program.name} was not loaded`);
    if (calls.length > loaded.endpoints.length)
      throw new Error(`${program.name} cannot run ${calls.length} times at once`);
    const { generation } = loaded;
    const endpoints = loaded.endpoints.slice(0, calls.length);
    this.bring(program.reads, generation);
    const firstRun = loaded.ran ? null : this.firstRun(program);
    const { backend } = this.host;
    const ids = calls.flatMap((args) => backend.getInputTensorIds(args));
    let outputs: OutputMetadata[];
    try {
      outputs = backend.binding.runSavedModel(
        generation.id,
        ids,
        namesOf(endpoints, 'inputs'),
        namesOf(endpoints, 'outputs'),
      );
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

  /** Tells of a run in which XLA compiles, and of its end if it did: a function that was kept on the disk is only read. */
  private firstRun({ name, graph, xla }: TracedProgram): { ended(): void } {
    const { host, options } = this;
    const operations = xla ? graph.operations() : 0;
    const kept = host.countCompiled();
    options.onPhase?.('compile', name, operations);
    return {
      ended() {
        if (xla && (kept === null || host.countCompiled() !== kept)) options.onPhase?.('compiled', name, operations);
      },
    };
  }

  /**
   * A function did not compile. If that may be because of a damaged file in the compile cache, empties the cache and
   * has the graph loaded again: the old one remembers the failure. False when there is nothing left to try.
   */
  private startAgain(generation: Generation): boolean {
    if (this.triedAgain || !this.host.forgetCompiled()) return false;
    this.triedAgain = true;
    const programs = this.loadedPrograms.filter(({ loaded }) => loaded?.generation === generation);
    for (const program of programs) program.loaded = null;
    this.unloaded.push(...programs);
    return true;
  }

  /** Makes sure that a generation holds the newest values of these variables. */
  private bring(slots: readonly number[], generation: Generation): void {
    const stale = slots.filter((slot) => generation.versions.get(slot) !== this.state(slot).version);
    if (stale.length === 0) return;
    const fetched = new Map<Generation, ReadonlyMap<number, number>>();
    const handlesOf = (source: Generation) => {
      const handles = fetched.get(source) ?? this.fetch(source);
      fetched.set(source, handles);
      return handles;
    };
    const parts = this.parted(stale);
    const used = parts.flatMap((some, place) => {
      // What was brought is in JavaScript's memory too, until it is collected, and a step makes nothing that sets that off.
      if (place > 0) this.host.collectGarbage();
      return this.bringAtOnce(some, generation, handlesOf);
    });
    for (const handles of fetched.values()) this.release(handles, used);
    this.zeros = new Float32Array();
    if (parts.length > 1) this.host.collectGarbage();
  }

  /**
   * As few runs as there may be: every new combination of names costs TensorFlow some milliseconds of preparation. What
   * comes from JavaScript is in memory up to three times meanwhile, so not all of a large model is brought at once.
   */
  private parted(slots: readonly number[]): readonly (readonly number[])[] {
    return inParts(slots, (slot) => {
      const { source, spec } = this.state(slot);
      return 'versions' in source ? 0 : sizeOf(spec.shape);
    });
  }

  /** @returns the handles by which they came, which are no more */
  private bringAtOnce(
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
    const done = binding.runSavedModel(
      generation.id,
      ids,
      endpoints.map(({ inputs }) => inputs).join(),
      endpoints.map(({ outputs }) => outputs).join(),
    );
    for (const { id } of done) binding.deleteTensor(id);
    for (const id of ids) binding.deleteTensor(id);
    for (const slot of slots) {
      const state = this.state(slot);
      generation.versions.set(slot, state.version);
      state.source = generation;
    }
    return ids;
  }

  /**
   * Handles of all variables that a generation holds, by slot, sharing their memory. Release them soon.
   * @param outside those that JavaScript reads, in a type that it knows
   */
  private fetch(generation: Generation, outside: readonly number[] = []): ReadonlyMap<number, number> {
    const slots = [...generation.versions.keys()];
    const isRead = new Set(outside);
    const endpointOf = (slot: number) =>
      variableEndpoints(slot)[isRead.has(slot) && this.isNarrow(slot) ? 'values' : 'read'];
    const names = slots.map((slot) => endpointOf(slot).outputs).join();
    const outputs = this.host.backend.binding.runSavedModel(generation.id, [], '', names);
    return new Map(outputs.map(({ id }, i) => [slots[i] ?? -1, id]));
  }

  private release(handles: ReadonlyMap<number, number>, except: readonly number[] = []): void {
    const kept = new Set(except);
    for (const id of handles.values()) if (!kept.has(id)) this.host.backend.binding.deleteTensor(id);
  }

  read(variable: Variable): Float32Array | Int32Array {
    return this.readSlot(this.slotOfVariable(variable));
  }

  readAll(variables: readonly Variable[]): readonly (Float32Array | Int32Array)[] {
    return this.readSlots(variables.map((variable) => this.slotOfVariable(variable)));
  }

  write(variable: Variable, values: Float32Array | Int32Array): void {
    const state = this.state(this.slotOfVariable(variable));
    const dtype = variable.dtype === 'int32' ? 'int32' : 'float32';
    state.source = { take: this.valuesOf(variable.name, variable.shape, dtype, values) };
    state.version++;
  }

  slotOf(id: DataId): number | undefined {
    return this.slots.get(id);
  }

  isNarrow(slot: number): boolean {
    return this.state(slot).spec.dtype === DT.BFLOAT16;
  }

  readSlot(slot: number): Float32Array | Int32Array {
    const [values] = this.readSlots([slot]);
    if (!values) throw new Error(`no values in slot ${slot}`);
    return values;
  }

  private readSlots(slots: readonly number[]): readonly (Float32Array | Int32Array)[] {
    const { binding } = this.host.backend;
    const fetched = new Map<Generation, ReadonlyMap<number, number>>();
    try {
      return slots.map((slot) => {
        const { source } = this.state(slot);
        if (!('versions' in source)) return keptAs(source.take(), this.isNarrow(slot) ? 'bfloat16' : 'float32');
        const handles = fetched.get(source) ?? this.fetch(source, slots);
        fetched.set(source, handles);
        return binding.tensorDataSync(handleOf(handles, slot)) as Float32Array | Int32Array;
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
