/** Measures how well the models that are here predict a draft's text before training; each model reads a passage once. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import type { Familiarity } from '../../../shared/contract/drafts.js';
import type { ModelEntry } from '../../../shared/contract/models.js';
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { UserError } from '../../../shared/errors.js';
import { modelFolder } from '../../jobs/models.js';
import { stampAt } from '../../storage/disk/file-stamp.js';
import type { Supervisor } from '../../supervisor/types.js';
import type { DataFolder } from '../files/data-folder.js';
import type { FileHandles } from '../files/file-handles.js';
import { readStored, writeStored } from '../files/stored.js';

type Excerpt = CallOutput<'preview'>['excerpt'];
/** Nats per character, by model and passage. */
const keptSchema = z.array(z.tuple([z.string(), z.number()]));
const MOST_KEPT = 500;

export type Familiarities = ReturnType<typeof createFamiliarities>;

export function createFamiliarities(options: {
  readonly data: Pick<DataFolder, 'familiarities'>;
  readonly files: Pick<FileHandles, 'give' | 'pathOf'>;
  readonly supervisor: Pick<Supervisor, 'call'>;
  /** The models that are listed. */
  models(): readonly ModelEntry[];
}) {
  const { data, files, supervisor } = options;
  const kept = new Map(readStored(data.familiarities, keptSchema, []));
  const excerpts = new Map<string, Excerpt>();
  const excerptOf = (config: ProjectCommand) => excerpts.get(textKey(config)) ?? null;
  const keyOf = (model: string, { text }: Excerpt): string => {
    const folder = modelFolder(model, 'generator');
    return createHash('sha256')
      .update(JSON.stringify([folder, stampAt(folder), text]))
      .digest('hex');
  };
  const keep = (key: string, nats: number) => {
    kept.set(key, nats);
    writeStored(data.familiarities, [...kept].slice(-MOST_KEPT));
  };

  /** Names or paths of the models to measure, with the window's names: the chosen one first. */
  function modelsFor({ init_from, critic_from }: ProjectCommand): ReadonlyMap<string, string> {
    const listed = options
      .models()
      .filter(({ state, needs }) => state === 'present' && needs.some(({ fits }) => fits))
      .map((entry) => [entry.source === 'setup' ? files.pathOf(entry.init_from) : entry.init_from, entry.init_from]);
    const known = new Map(listed as [string, string][]);
    const isHere = (model: string | undefined): model is string =>
      model !== undefined && stampAt(modelFolder(model, 'generator')) !== null;
    const chosen = [init_from, critic_from].filter(isHere);
    return new Map([
      ...chosen.map((model) => [model, known.get(model) ?? files.give(model).handle] as const),
      ...known,
    ]);
  }

  return {
    /** Keeps the passage that a preview took of the text. */
    take: (config: ProjectCommand, excerpt: Excerpt): void => void excerpts.set(textKey(config), excerpt),
    /** What is known of one model; null before it was measured. */
    of(config: ProjectCommand, model: string): Omit<Familiarity, 'init_from'> | null {
      const excerpt = excerptOf(config);
      const nats_per_character = excerpt && kept.get(keyOf(model, excerpt));
      return excerpt && nats_per_character ? { nats_per_character, baseline: excerpt.baseline } : null;
    },
    /** Measures those that are not known yet, one after the other; one that cannot be read is left out. */
    async measure(
      config: ProjectCommand,
      { signal, onProgress }: { readonly signal: AbortSignal; onProgress(found: Familiarity): void },
    ): Promise<void> {
      const excerpt = excerptOf(config);
      if (excerpt === null || excerpt.text === '') return;
      for (const [model, init_from] of modelsFor(config)) {
        if (signal.aborted) return;
        const key = keyOf(model, excerpt);
        try {
          const known = kept.get(key);
          const { nats_per_character } =
            known === undefined
              ? await supervisor.call('familiarity', { model, text: excerpt.text }, { signal })
              : { nats_per_character: known };
          if (nats_per_character === null) continue;
          if (known === undefined) keep(key, nats_per_character);
          onProgress({ init_from, nats_per_character, baseline: excerpt.baseline });
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
        }
      }
    },
  };
}

const textKey = ({ input_mode, data_path, text_field, train_bin }: ProjectCommand): string =>
  JSON.stringify([input_mode, data_path, text_field, train_bin]);
