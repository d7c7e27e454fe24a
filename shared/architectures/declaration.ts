/** What an architecture declares of itself, and how its layers are grouped. */
import type { GPTConfig } from '../config/model.js';
import type { Adapter } from './adapters.js';

/**
 * A layer's scale and shift, or matrix [out, in] and bias, with its adapter where it has one; `columns` is the matrix
 * transposed, where that was worth it.
 */
export type Affine<Leaf> = {
  readonly weight: Leaf;
  readonly bias?: Leaf;
  readonly columns?: Leaf;
  readonly adapter?: Adapter<Leaf>;
};

/** Layers of one input; `joined` is all of them as one, where that was worth it. */
export interface Siblings<Leaf> {
  readonly each: readonly Affine<Leaf>[];
  readonly joined?: Affine<Leaf>;
}

/** By name, in the order in which the network uses them. */
export type Shapes = Readonly<Record<string, readonly number[]>>;

export interface ArchitectureDeclaration {
  /** How positions are encoded: by a table with a limited number of rows, or by rotating queries and keys. */
  readonly positions: 'table' | 'rotary';
  /** Every parameter of the trunk by its name in checkpoints. A matrix is [out, in], and every token is multiplied with it. */
  parameterShapes(config: GPTConfig): Shapes;
  /** Whether a token only takes a row of a matrix: nothing is multiplied with it. */
  isLookup(config: GPTConfig, name: string): boolean;
  /**
   * The block that a parameter belongs to, from 0; n_layer for the norm after the last; null for the embeddings, the
   * output layer and everything that is not the architecture's.
   */
  blockOf(config: GPTConfig, name: string): number | null;
  /** How many matrices of one shape lie one below another in a matrix's parameter; left out: one. */
  joined?(name: string): number;
  /** Heads of the queries, heads of the keys and values, and how many numbers each has. */
  heads(config: GPTConfig): { readonly queries: number; readonly keysValues: number; readonly size: number };
}
