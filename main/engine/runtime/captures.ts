/** How a loop inside a traced function reaches what is around it: closed-over values become arguments. */
import type { Graph, Value } from './graph.js';

/** Values from outside that a loop uses. They are extra arguments of both its functions, in the same order. */
export class Captures {
  readonly values: Value[] = [];

  constructor(private readonly stateSize: number) {}

  /** The argument that stands for `outside` in `graph`, a function of the loop. */
  argument(graph: Graph, outside: Value): Value {
    let place = this.values.indexOf(outside);
    if (place < 0) place = this.values.push(outside) - 1;
    return graph.inputAt(this.stateSize + place, outside);
  }

  /** Gives `graph` an argument for each capture, used there or not. */
  complete(graph: Graph): readonly Value[] {
    return this.values.map((outside) => this.argument(graph, outside));
  }
}
