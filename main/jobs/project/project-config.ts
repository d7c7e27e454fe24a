/** The project's own settings out of a command's; paths become absolute, so that it works from any folder. */
import { resolve } from 'node:path';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { projectShape, type ProjectConfig } from '../../../shared/config/index.js';

export function projectConfigOf(settings: ProjectCommand): ProjectConfig {
  const { project: _project, preset: _preset, ...rest } = settings;
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
  return {
    ...rest,
    data_path: absolute(rest.data_path),
    train_bin: absolute(rest.train_bin),
    val_bin: absolute(rest.val_bin),
    meta_path: absolute(rest.meta_path),
    mode: 'generator',
    vocab_size: projectShape.vocab_size.parse(undefined),
  };
}
