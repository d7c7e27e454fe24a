/** The table of architectures, and all parameters of a model: the trunk's, which its architecture declares, and the reward heads'. */
import type { ArchitectureName, GPTConfig } from '../config/model.js';
import type { ArchitectureDeclaration, Shapes } from './declaration.js';
import { gpt2 } from './gpt2.js';
import { llama } from './llama.js';

const declarations: Readonly<Record<ArchitectureName, ArchitectureDeclaration>> = { gpt2, llama };

/** A configuration that names none is GPT-2's. */
export const declarationOf = ({ architecture = 'gpt2' }: GPTConfig): ArchitectureDeclaration =>
  declarations[architecture];

/** Every parameter's shape: the trunk's in its architecture's order, then the heads'. */
export const parameterShapes = (config: GPTConfig): Shapes => ({
  ...declarationOf(config).parameterShapes(config),
  ...rewardHeadShapes(config),
});

/** Whether a parameter is a reward model's own; the others are the trunk's. */
export const isRewardHead = (name: string): boolean => name.startsWith('reward_');

/** What only a reward model has: Linear, ReLU, Linear, and what its kind needs besides. */
export function rewardHeadShapes({ n_embd: C, mode, reward_head_hidden_dim: R, ...config }: GPTConfig): Shapes {
  const { reward_kind: kind = 'head', reward_pooling: pooling = 'last' } = config;
  const shapes: Record<string, readonly number[]> = {};
  if (mode !== 'reward') return shapes;
  if (kind !== 'critic') {
    Object.assign(shapes, { 'reward_head.0.weight': [R, C], 'reward_head.0.bias': [R] });
    Object.assign(shapes, { 'reward_head.2.weight': [2, R], 'reward_head.2.bias': [2] });
    if (kind === 'head' && pooling === 'attention') shapes['reward_head.query'] = [C, 1];
  }
  // How far the critic's evidence is to be believed: one over the temperature of the posterior.
  if (kind === 'critic' || kind === 'hybrid') shapes['reward_evidence.weight'] = [1];
  return shapes;
}

/** How many numbers a shape has. */
export const elements = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** How many numbers the model learns; a tied head is not counted twice. */
export const parameterCount = (config: GPTConfig): number =>
  Object.values(parameterShapes(config)).reduce((sum, shape) => sum + elements(shape), 0);
