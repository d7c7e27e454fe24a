/** The steps that every command that trains one thing shares: open its folder, train, save the model and the results. */
import type { PhaseName } from '../../../shared/phases/events.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Json, NamedArrays } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { saveModel, type Tokenization } from '../../storage/projects/models.js';
import type { JobContext, Results } from '../types.js';
import { sharedSlot } from '../cluster/shared-slot.js';
import { openRunFolder, type RunFolder } from './run-folder.js';

type Settings = Readonly<Record<string, Json | undefined>>;

interface PhaseCommand {
  readonly command: string;
  readonly phase: PhaseName;
  readonly config: Settings & { readonly out_dir: string; readonly overwrite: boolean; readonly seed: number };
  /** Files that are read. */
  readonly inputs: readonly string[];
}

/** What was trained, and what there is to say of it. */
interface Trained {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly tokenization: Tokenization;
  /** What training came to: kept with the model, and given as results. */
  readonly result: object;
  /** Kept with the model only: what it was made from. */
  readonly from: Results;
  /** Given as results only. */
  readonly more?: Results;
}

interface OpenRun extends Pick<RunFolder, 'dataFolder' | 'slot' | 'context'> {
  /** Says that training begins. */
  begin(message: string): void;
}

/** @param train called unless the folder holds the results of this very run already */
export async function runPhaseCommand(
  { command, phase, config, inputs }: PhaseCommand,
  context: JobContext,
  train: (run: OpenRun) => Promise<Trained>,
): Promise<Results> {
  const { out_dir, overwrite, seed } = config;
  const run = openRunFolder(out_dir, { command, phase, settings: config, inputs, overwrite, context });
  try {
    const { team } = context;
    // What rank 0 has made already, nobody makes again.
    const finished = team ? (await team.share(team.rank === 0 ? Uint8Array.of(run.finished ? 1 : 0) : null))[0] : 0;
    if (run.finished || finished === 1) return run.finished ?? {};
    const slot = sharedSlot(run.slot, team);
    const begin = (message: string) => context.emit({ event: 'phase', phase, state: 'started', message });
    const { model, weights, tokenization, result, from, more = {} } = await train({ ...run, slot, begin });
    const facts = plainJson(result);
    const provenance = { command, seed, ...from, ...facts };
    saveModel(run.modelFolder, { weights, config: model, tokenization, provenance });
    const results = { ...facts, ...more, out_dir, model_path: run.modelFolder };
    run.finish(results);
    return results;
  } finally {
    run.close();
  }
}

/** Uses what must be closed again, however that ends. */
export async function closing<T extends { close(): void }, R>(
  resource: T,
  use: (resource: T) => Promise<R>,
): Promise<R> {
  try {
    return await use(resource);
  } finally {
    resource.close();
  }
}
