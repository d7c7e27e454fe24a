/**
 * What each architecture is made of, declared once, without TensorFlow: the engine computes with it (main/engine/model), and
 * what a run costs follows from it (../costs) before TensorFlow is loaded. Each is one file; here is the table.
 */
import type { ArchitectureName, GPTConfig } from '../config/model.js';
import { isAdapter } from './adapters.js';
import type { ArchitectureDeclaration, Shapes } from './declaration.js';
import { gpt2 } from './gpt2.js';
import { llama } from './llama.js';
import { modern } from './modern.js';

export type { Affine, Siblings } from './declaration.js';

/** What a run costs asks for the shapes of one network a hundred times, of which there may be thousands. */
function remembering(declaration: ArchitectureDeclaration): ArchitectureDeclaration {
  const known = new WeakMap<GPTConfig, Shapes>();
  return {
    ...declaration,
    parameterShapes(config) {
      const shapes = known.get(config) ?? declaration.parameterShapes(config);
      known.set(config, shapes);
      return shapes;
    },
  };
}

const declarations: Readonly<Record<ArchitectureName, ArchitectureDeclaration>> = {
  gpt2: remembering(gpt2),
  llama: remembering(llama),
  modern: remembering(modern),
};

/** A configuration that names none is GPT-2's. */
export const declarationOf = ({ architecture = 'gpt2' }: GPTConfig): ArchitectureDeclaration =>
  declarations[architecture];

/** Every parameter's shape: the trunk's in its architecture's order, then the heads'. */
export const parameterShapes = (config: GPTConfig): Shapes => ({
  ...declarationOf(config).parameterShapes(config),
  ...rewardHeadShapes(config),
});

/** The matrices of the blocks that tokens are multiplied with, by name, and how many lie one below another in each. */
export function blockMatrices(config: GPTConfig): Readonly<Record<string, number>> {
  const { parameterShapes: shapesOf, blockOf, isLookup, joined } = declarationOf(config);
  const matrices = Object.entries(shapesOf(config)).filter(
    ([name, { length: rank }]) =>
      rank === 2 &&
      !isAdapter(name) &&
      !isLookup(config, name) &&
      (blockOf(config, name) ?? config.n_layer) < config.n_layer,
  );
  return Object.fromEntries(matrices.map(([name]) => [name, joined?.(name) ?? 1]));
}

/** Whether a parameter is a reward model's own; the others are the trunk's. */
export const isRewardHead = (name: string): boolean => name.startsWith('reward_');

/** Whether training leaves a parameter as it is: all but the adapters, where there are any, and a reward model's own. */
export const isFrozen = ({ lora }: GPTConfig, name: string): boolean =>
  lora !== undefined && !isAdapter(name) && !isRewardHead(name);

/** What only a reward model has: Linear, ReLU, Linear, and what its kind needs besides. */
export function rewardHeadShapes({ n_embd: C, mode, reward_head_hidden_dim: R, ...config }: GPTConfig): Shapes {
  if (mode !== 'reward') return {};
  // How far the critic's evidence is to be believed: one over the temperature of the posterior.
  if (config.reward_kind === 'critic') return { 'reward_evidence.weight': [1] };
  return {
    'reward_head.0.weight': [R, C],
    'reward_head.0.bias': [R],
    'reward_head.2.weight': [2, R],
    'reward_head.2.bias': [2],
  };
}

/** How many numbers a shape has. */
export const elements = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const count = (shapes: readonly (readonly number[])[]): number =>
  shapes.reduce((sum, shape) => sum + elements(shape), 0);

/** How many numbers the model has; a tied head is not counted twice. */
export const parameterCount = (config: GPTConfig): number => count(Object.values(parameterShapes(config)));

/** How many of them are trained: all, or those of the adapters. */
export const trainedCount = (config: GPTConfig): number =>
  count(Object.entries(parameterShapes(config)).flatMap(([name, shape]) => (isFrozen(config, name) ? [] : [shape])));
