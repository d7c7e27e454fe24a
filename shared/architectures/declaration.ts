/**
 * What an architecture is made of, declared once, without TensorFlow: the engine computes with it (main/engine/model), and
 * what a run costs follows from it (../costs) before TensorFlow is loaded.
 */
import { usesCritic, type GPTConfig } from '../config/model.js';

/** A layer's scale and shift, or matrix [out, in] and bias; `columns` is the matrix transposed, where that was worth it. */
export interface Affine<Leaf> {
  readonly weight: Leaf;
  readonly bias?: Leaf;
  readonly columns?: Leaf;
}

/** By name, in the order in which the network uses them. */
export type Shapes = Readonly<Record<string, readonly number[]>>;

export interface ArchitectureDeclaration {
  /** Every parameter of the trunk by its name in checkpoints. A matrix is [out, in], and every token is multiplied with it. */
  parameterShapes(config: GPTConfig): Shapes;
  /** Whether a token only takes a row of a matrix: nothing is multiplied with it. */
  isLookup(config: GPTConfig, name: string): boolean;
  /**
   * The block that a parameter belongs to, from 0; n_layer for the norm after the last; null for the embeddings, the
   * output layer and everything that is not the architecture's.
   */
  blockOf(config: GPTConfig, name: string): number | null;
  /** Heads of the queries, heads of the keys and values, and how many numbers each has. */
  heads(config: GPTConfig): { readonly queries: number; readonly keysValues: number; readonly size: number };
}

/** A reward model reads; only one that compares as a critic says how likely tokens are, as a generator does. */
export const predictsTokens = ({ mode, reward_kind }: GPTConfig): boolean =>
  mode === 'generator' || usesCritic(reward_kind);
