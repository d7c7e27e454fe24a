/**
 * What training changes of a model that can write already: all of its weights, or only small adapters beside its matrices
 * (LoRA, Hu et al. 2021). An adapter adds (alpha / rank) · B A x to what a matrix makes of x; A has `rank` rows, B as many
 * columns. The rest stays as it was, so that only adapters have gradients and moments.
 */
import { z } from 'zod';
import { parameter, positive, whole } from './parameter.js';

const rank = whole(1, 4096);
const projections = z.enum(['all', 'attention', 'feed_forward']);

export const tuneShape = {
  tune: parameter(z.enum(['full', 'lora']).default('full'), {
    label: 'What is trained',
    help: '{full}: every weight. {lora}: small adapters beside the weights of the model to begin from, which stay as they are; this takes a fraction of the memory. Adapters want a learning rate about ten times as large.',
    choices: { full: 'All weights', lora: 'Small adapters (LoRA)' },
  }),
  lora_rank: parameter(rank.default(16), {
    label: 'Rank of the adapters',
    help: 'With {tune=lora}: how much an adapter can change; larger learns more and takes more memory.',
    advanced: true,
  }),
  lora_alpha: parameter(positive().default(32), {
    label: 'Weight of the adapters',
    help: 'With {tune=lora}: what an adapter adds is multiplied by this, divided by its rank.',
    advanced: true,
  }),
  lora_projections: parameter(projections.default('all'), {
    label: 'Adapted matrices',
    help: 'With {tune=lora}: which matrices of each block have an adapter, those of attention, those of the feed-forward network, or all.',
    choices: { all: 'All', attention: 'Attention', feed_forward: 'Feed-forward' },
    advanced: true,
  }),
};

export type TuneConfig = z.infer<z.ZodObject<typeof tuneShape>>;

/** The adapters of a network, as its configuration keeps them. */
export const loraSchema = z.object({ rank, alpha: positive(), projections });
export type Lora = z.infer<typeof loraSchema>;

/** The part of a block that a matrix belongs to. */
export type AdaptedPart = Exclude<Lora['projections'], 'all'>;

/** The adapters that settings ask for, as a part of a network's configuration; none where every weight is trained. */
export const adaptersOf = ({
  tune,
  lora_rank,
  lora_alpha,
  lora_projections,
}: Partial<TuneConfig>): { readonly lora?: Lora } =>
  tune === 'lora'
    ? { lora: loraSchema.parse({ rank: lora_rank, alpha: lora_alpha, projections: lora_projections }) }
    : {};

/** The same settings, without those of adapters where there are none: what was made before there were any stays what it is. */
export function withoutFull<C extends Partial<TuneConfig>>(config: C): C {
  if (config.tune === 'lora') return config;
  const { tune: _tune, lora_rank: _rank, lora_alpha: _alpha, lora_projections: _projections, ...rest } = config;
  return rest as C;
}
