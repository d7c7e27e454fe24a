/** Writes a model in a format of another program; shared/config/export-formats.ts declares them. */
import { parameterCount } from '../../../shared/architectures/index.js';
import type { ModelFormat } from '../../../shared/config/export-formats.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { merged } from '../../engine/model/adapters.js';
import { writeFolderSlowly } from '../../storage/disk/atomic.js';
import { requireSpace } from '../../storage/disk/disk.js';
import { mustLieOutside, realPath } from '../../storage/projects/export-place.js';
import { fetchNamedModel, type LoadedModel, modelFacts, modelFolder, mustBeFinite, openAnyModel } from '../models.js';
import { interruptibly, type Job, type JobContext, type Results } from '../types.js';
import { type ExportSettings, filesIn, mustHold } from './formats.js';

export interface ModelExport extends ExportSettings {
  readonly out_dir: string;
  readonly format: ModelFormat;
}

interface ExportOptions {
  /** Receives warnings about a model of another program. */
  readonly context: Pick<JobContext, 'emit'>;
  /** Called after each piece; may wait, and may throw to stop. */
  readonly onProgress: (done: number, total: number) => Promise<void>;
}

/**
 * @throws UserError `exists` if the folder holds anything but an earlier export in this format; `checkpoint` for a model that
 *   the format cannot hold; `disk_full`, `file_not_writable`. Nothing is left there then.
 */
export async function exportModel(settings: ModelExport, { context, onProgress }: ExportOptions): Promise<Results> {
  const { model_path, format, out_dir } = settings;
  mustLieOutside(out_dir);
  const known = modelFacts(modelFolder(model_path, 'generator'))?.model;
  if (known) mustHold(format, known, model_path);
  const opened = openAnyModel(model_path, { context });
  const model = format === 'peft' ? opened : withoutAdapters(opened);
  mustBeFinite(model, model_path);
  if (realPath(out_dir) === realPath(model.folder)) {
    throw new UserError({
      code: 'exists',
      message: localized('export.source_in_output', { out_dir }),
      hint: localized('export.another_folder'),
      field: 'out_dir',
    });
  }
  const { files, bytes } = await filesIn[format](model, settings);
  requireSpace(out_dir, bytes, localized('disk.room_for_exported_model'));
  // Anything else under this name is never replaced.
  await writeFolderSlowly(out_dir, files, (done) => onProgress(Math.min(done, bytes), bytes), {
    holds: { kind: 'export', format },
  });
  return { out_dir, format, parameters: parameterCount(model.config), files: Object.keys(files).sort() };
}

/** Adds adapters into the weights: other programs read one set of them. */
export function withoutAdapters(opened: LoadedModel): LoadedModel {
  const { model, weights } = merged({ model: opened.config, weights: opened.weights }, true);
  return { ...opened, config: model, weights };
}

export const exportJob: Job<ModelExport> = async (settings, context) => {
  await fetchNamedModel(settings.model_path, context);
  return exportModel(settings, { context, onProgress: interruptibly(context) });
};

/** Exports a project's newest model for the window. */
export async function exportProjectModel(
  { folder, ...wanted }: Pick<ModelExport, 'format' | 'out_dir' | 'language'> & { readonly folder: string },
  context: JobContext,
  onProgress: (value: { readonly done: number; readonly total: number }) => void,
): Promise<Readonly<Record<string, never>>> {
  const wait = interruptibly(context);
  await exportModel(
    { model_path: folder, ...wanted },
    {
      context,
      async onProgress(done, total) {
        onProgress({ done, total });
        await wait();
      },
    },
  );
  return {};
}
