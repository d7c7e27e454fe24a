/**
 * What training changes of a model that can write already: all of its weights, or only small adapters next to its matrices
 * (LoRA, Hu et al. 2021). An adapter adds (alpha / rank) · B A x to what a matrix makes of x; A has `rank` rows, B as many
 * columns. The rest stays as it was, so that only adapters have gradients and moments.
 */
import { z } from 'zod';
import { parameter, positive, whole } from './parameter.js';

export const tuneShape = {
  tune: parameter(z.enum(['full', 'lora']).default('full')),
};

export type TuneConfig = z.infer<z.ZodObject<typeof tuneShape>>;

/** The adapters of a network, as its configuration stores them. */
export const loraSchema = z.object({
  rank: whole(1, 4096),
  alpha: positive(),
  projections: z.enum(['all', 'attention', 'feed_forward']),
});
export type Lora = z.infer<typeof loraSchema>;

/** The part of a block that a matrix belongs to. */
export type AdaptedPart = Exclude<Lora['projections'], 'all'>;

const newAdapters: Lora = { rank: 16, alpha: 32, projections: 'all' };

/** The adapters that settings want, as a part of a network's configuration; none if every weight is trained. */
export const adaptersOf = ({ tune }: Partial<TuneConfig>): { readonly lora?: Lora } =>
  tune === 'lora' ? { lora: newAdapters } : {};

/** Leaves `tune` out if every weight is trained, so that records of earlier versions stay equal. */
export function withoutFull<C extends Partial<TuneConfig>>(config: C): C {
  if (config.tune === 'lora') return config;
  const { tune: _tune, ...rest } = config;
  return rest as C;
}
