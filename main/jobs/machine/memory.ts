/** Refuses, before anything begins, a run that cannot fit into this machine's memory, and says which batch would. */
import { totalmem } from 'node:os';
import process from 'node:process';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { RewardDataConfig } from '../../../shared/config/reward-data.js';
import type { TrainConfig } from '../../../shared/config/train.js';
import { UserError } from '../../../shared/errors.js';
import { option, say } from '../../../shared/sentence.js';
import { largestBatch, trainingMemory, writingMemory, type NetworkShape } from '../../engine/model/memory.js';
import type { Runtime } from '../../engine/runtime/types.js';

type Machine = Pick<Runtime, 'device'>;

/** Bytes that a process may use: the machine's, or those that its container is limited to. */
export function memoryLimit(): number {
  // 0 or undefined: no limit.
  const constrained = (process as { constrainedMemory?: () => number | undefined }).constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * @param field the setting that says how many rows a step takes, and its value
 * @param bytesFor bytes at the peak with so many rows
 * @throws UserError `out_of_memory`
 */
export function mustFitInMemory(
  { field, rows }: { readonly field: string; readonly rows: number },
  bytesFor: (rows: number) => number,
  { device }: Machine,
  available = memoryLimit(),
): void {
  // A graphics card has memory of its own, of which TensorFlow tells nothing here.
  if (device === 'cuda') return;
  const needed = bytesFor(rows);
  const largest = largestBatch(rows, bytesFor, available);
  if (largest === rows) return;
  const smaller = say`a smaller model (${option('preset')}, ${option('n_layer')}, ${option('n_embd')}) or a shorter context (${option('block_size')})`;
  throw new UserError({
    code: 'out_of_memory',
    message: `About ${inGigabytes(needed)} of memory would be needed; this machine has ${inGigabytes(available)}`,
    hint: largest > 0 ? say`Use ${option(field)} ${largest} instead of ${rows}, or ${smaller}.` : say`Use ${smaller}.`,
    field,
  });
}

/** Base training on batches of `batch_size`. @throws UserError `out_of_memory` */
export function trainingMustFit(
  model: NetworkShape,
  { batch_size }: Pick<TrainConfig, 'batch_size'>,
  on: Machine,
): void {
  mustFitInMemory({ field: 'batch_size', rows: batch_size }, (rows) => trainingMemory(model, rows), on);
}

/** Writing reward data. @throws UserError `out_of_memory` */
export function writingMustFit(
  model: NetworkShape,
  { generation_batch_size }: Pick<RewardDataConfig, 'generation_batch_size'>,
  on: Machine,
): void {
  const batch = { field: 'generation_batch_size', rows: generation_batch_size };
  mustFitInMemory(batch, (rows) => writingMemory(model, rows), on);
}

/** GRPO, beside a reference and a reward model. @throws UserError `out_of_memory` */
export function grpoMustFit(
  model: NetworkShape,
  { prompts_per_step, group_size }: Pick<GrpoConfig, 'prompts_per_step' | 'group_size'>,
  on: Machine,
): void {
  const prompts = { field: 'prompts_per_step', rows: prompts_per_step };
  mustFitInMemory(prompts, (rows) => trainingMemory(model, rows * group_size, 2), on);
}

const inGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
