/**
 * The parameters of adapters (../config/tune.ts), in addition to those of the adapted matrices: their names, which are
 * PEFT's after the matrix's own, and their shapes.
 */
import type { GPTConfig } from '../config/model.js';
import type { AdaptedPart } from '../config/tune.js';

/** Adds scale · up (down x) to what a matrix [out, in] makes of x. down: [rank, in], up: [out, rank]. */
export type Adapter<Leaf> = {
  readonly down: Leaf;
  readonly up: Leaf;
  readonly scale: number;
};

const DOWN = 'lora_A.weight';
const UP = 'lora_B.weight';

export const isAdapter = (name: string): boolean => name.endsWith(`.${DOWN}`) || name.endsWith(`.${UP}`);

/** Whether it is the factor that an adapter's input is multiplied with, which begins at random; the other begins as zeros. */
export const isAdapterDown = (name: string): boolean => name.endsWith(`.${DOWN}`);

/** The names of the adapter of a matrix `<layer>.weight`. */
export const adapterNames = (weight: string) => {
  const layer = weight.replace(/weight$/, '');
  return { down: layer + DOWN, up: layer + UP };
};

/** The adapter of a layer of a block, as a part of the layer; nothing where it has none. */
export function adapterOf<Leaf>(
  { lora }: GPTConfig,
  part: AdaptedPart,
  layer: string,
  [out = 0, inputs = 0]: readonly number[],
  leaf: (name: string, shape: readonly number[]) => Leaf,
): { readonly adapter?: Adapter<Leaf> } {
  if (!lora || (lora.projections !== 'all' && lora.projections !== part)) return {};
  const { rank, alpha } = lora;
  const { down, up } = adapterNames(`${layer}.weight`);
  return { adapter: { down: leaf(down, [rank, inputs]), up: leaf(up, [out, rank]), scale: alpha / rank } };
}
