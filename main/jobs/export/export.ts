/** Writes a model in a form that another program reads; shared/config/export-formats.ts declares which there are. */
import { localized } from '../../../shared/messages/message.js';
import type { ModelFormat } from '../../../shared/config/export-formats.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { UserError } from '../../../shared/errors.js';
import { merged } from '../../engine/model/adapters.js';
import { writeFolderSlowly } from '../../storage/disk/atomic.js';
import { requireSpace } from '../../storage/disk/disk.js';
import { mustLieOutside, realPath } from '../../storage/projects/export-place.js';
import { fetchNamedModel } from '../hub-models.js';
import { type LoadedModel, modelFacts, modelFolder, mustBeFinite, openAnyModel } from '../models.js';
import { interruptibly, type Job, type JobContext, type Results } from '../types.js';
import { type ExportSettings, filesIn, mustHold } from './formats.js';

export interface ModelExport extends ExportSettings {
  readonly out_dir: string;
  readonly format: ModelFormat;
}

interface ExportOptions {
  /** Where to say what a person should know about a model of another program. */
  readonly context: Pick<JobContext, 'emit'>;
  /** Called after each piece; may wait, and may throw to stop. */
  readonly onProgress: (done: number, total: number) => Promise<void>;
}

/**
 * @throws UserError `exists` where anything but an earlier export in this form lies; `checkpoint` for a model that the form
 *   has no place for; `disk_full`, `file_not_writable`. Nothing is left there then.
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
    const hint = 'Give --out_dir another folder.';
    throw new UserError({
      code: 'exists',
      message: localized('export.source_in_output', { out_dir }),
      hint,
      field: 'out_dir',
    });
  }
  const { files, bytes } = await filesIn[format](model, settings);
  requireSpace(out_dir, bytes, localized('disk.room_for_exported_model'));
  // Another form's export, a model or anything else under this name stays.
  await writeFolderSlowly(out_dir, files, (done) => onProgress(Math.min(done, bytes), bytes), {
    holds: { kind: 'export', format },
  });
  return { out_dir, format, parameters: parameterCount(model.config), files: Object.keys(files).sort() };
}

/** Other programs read one set of weights: what adapters add is in it. */
function withoutAdapters(opened: LoadedModel): LoadedModel {
  const { model, weights } = merged({ model: opened.config, weights: opened.weights });
  return { ...opened, config: model, weights };
}

export const exportJob: Job<ModelExport> = async (settings, context) => {
  await fetchNamedModel(settings.model_path, context);
  return exportModel(settings, { context, onProgress: interruptibly(context) });
};

/** A project's newest model, asked for from the window. */
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
