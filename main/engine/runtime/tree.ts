/**
 * Trees of tensors, as JAX has them (pytrees): records and arrays of tensors, nested as one likes. Compiled functions and
 * loops take and return them, TensorFlow only lists; here a tree becomes a list and a list becomes the tree again.
 */
import { Tensor } from '@tensorflow/tfjs';

/**
 * What is undefined counts as left out; a number belongs to the structure. A record with a name of its own must be a
 * `type`: interfaces have no index.
 */
export type TensorTree = Tensor | number | undefined | readonly TensorTree[] | { readonly [key: string]: TensorTree };

export interface Flattened<T> {
  /** Depth first: arrays in order, records by sorted key. */
  readonly leaves: readonly Tensor[];
  /** The same for all trees that have leaves in the same places. */
  readonly structure: string;
  /** The tree of this structure with other leaves. */
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

/** The same tree with each tensor replaced. */
export function mapTensors<T extends TensorTree>(tree: T, replace: (tensor: Tensor) => Tensor): T {
  const { leaves, rebuild } = flatten(tree);
  return rebuild(leaves.map((leaf) => replace(leaf)));
}

/** Frees the tensors of trees. */
export const disposeTrees = (...trees: readonly TensorTree[]): void => {
  for (const leaf of flatten(trees).leaves) leaf.dispose();
};

/** The numbers of a record of scalars, which are freed. */
export function takeScalars<T extends Readonly<Record<string, Tensor | undefined>>>(scalars: T) {
  const numbers = Object.entries(scalars).map(([name, scalar]) => [name, scalar?.dataSync()[0] ?? NaN]);
  disposeTrees(scalars);
  return Object.fromEntries(numbers) as { readonly [Name in keyof T]: number };
}

const isList = (node: object): node is readonly TensorTree[] => Array.isArray(node);
