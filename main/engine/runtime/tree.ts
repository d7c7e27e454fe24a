/** Flattens trees of tensors (JAX's pytrees: nested records and arrays) to the lists that TensorFlow takes, and back. */
import { Tensor } from '@tensorflow/tfjs';
import { takeNumber } from './reading.js';

/** Numbers are part of the structure; undefined is absent. A named record must be a `type`, as interfaces have no index. */
export type TensorTree = Tensor | number | undefined | readonly TensorTree[] | { readonly [key: string]: TensorTree };

export interface Flattened<T> {
  /** Depth first: arrays in order, records by sorted key. */
  readonly leaves: readonly Tensor[];
  /** Equal for trees with leaves in the same places. */
  readonly structure: string;
  /** Builds the tree with other leaves. */
  rebuild(leaves: readonly Tensor[]): T;
}

export function flatten<T extends TensorTree>(tree: T): Flattened<T> {
  const leaves: Tensor[] = [];
  const visit = (node: TensorTree): Node => {
    if (node === undefined) return { structure: '', build: () => undefined };
    if (typeof node === 'number') return { structure: String(node), build: () => node };
    if (node instanceof Tensor) {
      const place = leaves.push(node) - 1;
      return { structure: '*', build: (values) => values[place] };
    }
    if (isList(node)) {
      const parts = node.map(visit);
      return {
        structure: `[${parts.map(({ structure }) => structure).join()}]`,
        build: (values) => parts.map(({ build }) => build(values)),
      };
    }
    const keys = Object.keys(node).filter((key) => node[key] !== undefined);
    const parts = keys.sort().map((key) => [key, visit(node[key])] as const);
    return {
      structure: `{${parts.map(([key, { structure }]) => key + structure).join()}}`,
      build: (values) => Object.fromEntries(parts.map(([key, { build }]) => [key, build(values)])),
    };
  };
  const { structure, build } = visit(tree);
  return { leaves, structure, rebuild: (values) => build(values) as T };
}

interface Node {
  readonly structure: string;
  build(leaves: readonly Tensor[]): TensorTree;
}

/** Replaces each tensor of a tree. */
export function mapTensors<T extends TensorTree>(tree: T, replace: (tensor: Tensor) => Tensor): T {
  const { leaves, rebuild } = flatten(tree);
  return rebuild(leaves.map((leaf) => replace(leaf)));
}

export const disposeTrees = (...trees: readonly TensorTree[]): void => {
  for (const leaf of flatten(trees).leaves) leaf.dispose();
};

/** Reads and disposes a record of scalars. */
export async function takeScalars<T extends Readonly<Record<string, Tensor | undefined>>>(scalars: T) {
  const numbers = await Promise.all(
    Object.entries(scalars).map(async ([name, scalar]) => [name, scalar ? await takeNumber(scalar) : NaN] as const),
  );
  return Object.fromEntries(numbers) as { readonly [Name in keyof T]: number };
}

const isList = (node: object): node is readonly TensorTree[] => Array.isArray(node);
