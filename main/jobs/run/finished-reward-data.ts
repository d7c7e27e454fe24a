/**
 * A reward dataset that is there already and was made with the very settings that are asked for: the same command run
 * again keeps it, as training keeps a finished run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatRewardMetadata, type Provenance, type RewardMetadata } from '../../formats/reward-dataset.js';
import { checkRewardFiles, namesOf, readRewardMetadata, splits } from '../../storage/datasets/reward-dataset-files.js';
import { UserError } from '../../../shared/errors.js';

/** What may differ: how much could not be written, and which Verisim wrote it. */
const aside = new Set(['skipped_samples', 'created_by']);

interface FinishedRewardData {
  readonly train: RewardMetadata;
  readonly val: RewardMetadata;
}

/** @returns null when there is none, or one of other settings, or one that is not whole */
export function finishedRewardData(dir: string, blockSize: number, provenance: Provenance): FinishedRewardData | null {
  if (!splits.every((split) => existsSync(join(dir, namesOf(split).metadata)))) return null;
  try {
    const [train, val] = splits.map((split) => {
      const metadata = readRewardMetadata(dir, split);
      checkRewardFiles(dir, split, metadata);
      return metadata;
    }) as [RewardMetadata, RewardMetadata];
    const isSame = [train, val].every(
      (there) => there.blockSize === blockSize && factsOf(there, there.provenance ?? {}) === factsOf(there, provenance),
    );
    return isSame ? { train, val } : null;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** As they stand in a file, in one order. */
function factsOf(metadata: RewardMetadata, provenance: Provenance): string {
  const facts = Object.entries(provenance).filter(([key]) => !aside.has(key));
  return formatRewardMetadata({ ...metadata, provenance: Object.fromEntries(facts.sort()) });
}
