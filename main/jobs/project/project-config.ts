/** The project's own settings out of a command's; paths become absolute, so that it works from any folder. */
import { resolve } from 'node:path';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { initialModelPath, projectShape, type ProjectConfig } from '../../../shared/config/index.js';

export function projectConfigOf(settings: ProjectCommand): ProjectConfig {
  const { project: _project, preset: _preset, init_from: _init, ...rest } = settings;
  const initial = initialModelPath(settings);
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
  return {
    ...rest,
    data_path: absolute(rest.data_path),
    train_bin: absolute(rest.train_bin),
    val_bin: absolute(rest.val_bin),
    meta_path: absolute(rest.meta_path),
    tokenizer_path: absolute(rest.tokenizer_path),
    ...(initial === null ? {} : { init_from: resolve(initial) }),
    mode: 'generator',
    vocab_size: projectShape.vocab_size.parse(undefined),
  };
}
