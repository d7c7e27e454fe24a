/** The steps that all commands that train share: open the folder, train, save the model and the results. */
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Message } from '../../../shared/messages/message.js';
import type { PhaseName } from '../../../shared/phases/events.js';
import type { Json, NamedArrays } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { saveModel, type Tokenization } from '../../storage/projects/models.js';
import { sharedSlot } from '../cluster/shared-project.js';
import type { JobContext, Results } from '../types.js';
import { openRunFolder, type RunFolder } from './run-folder.js';

type Settings = Readonly<Record<string, Json | undefined>>;

interface PhaseCommand {
  readonly command: string;
  readonly phase: PhaseName;
  readonly config: Settings & { readonly out_dir: string; readonly overwrite: boolean; readonly seed: number };
  /** Files that are read. */
  readonly inputs: readonly string[];
}

interface Trained {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly tokenization: Tokenization;
  /** Stored with the model, and returned as results. */
  readonly result: object;
  /** What the model was made from: stored with it only. */
  readonly from: Results;
  /** Returned as results only. */
  readonly more?: Results;
}

interface OpenRun extends Pick<RunFolder, 'dataFolder' | 'slot' | 'context'> {
  /** Reports that training starts. */
  begin(message: Message): void;
}

/** @param train called unless the folder holds the results of this run already */
export async function runPhaseCommand(
  { command, phase, config, inputs }: PhaseCommand,
  context: JobContext,
  train: (run: OpenRun) => Promise<Trained>,
): Promise<Results> {
  const { out_dir, overwrite, seed } = config;
  const run = openRunFolder(out_dir, { command, phase, settings: config, inputs, overwrite, context });
  return closing(run, async () => {
    const { team } = context;
    // No rank trains if rank 0 has the results already.
    const finished = team ? (await team.share(team.rank === 0 ? Uint8Array.of(run.finished ? 1 : 0) : null))[0] : 0;
    if (run.finished || finished === 1) return run.finished ?? {};
    const slot = sharedSlot(run.slot, team);
    const begin = (message: Message) => context.emit({ event: 'phase', phase, state: 'started', message });
    const { model, weights, tokenization, result, from, more = {} } = await train({ ...run, slot, begin });
    const facts = plainJson(result);
    const provenance = { command, seed, ...from, ...facts };
    saveModel(run.modelFolder, { weights, config: model, tokenization, provenance });
    const results = { ...facts, ...more, out_dir, model_path: run.modelFolder };
    run.finish(results);
    return results;
  });
}

/** Uses a resource and closes it, even after an error. */
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
