/** The project's own settings out of a command's; paths become absolute, so that it works from any folder. */
import { resolve } from 'node:path';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import {
  namedModels,
  pathSettings,
  takenOverShape,
  withoutScratch,
  withoutUsualArchitecture,
  type ProjectConfig,
} from '../../../shared/config/index.js';
import { hubNameOf } from '../../storage/hub/hub-cache.js';

/** A path as a project keeps it. A name of the hub stays one, unless there is a folder of that name. */
export const storedPath = (key: string, value: string): string =>
  namedModels.includes(key) && hubNameOf(value) !== null ? value : resolve(value);

export function projectConfigOf(settings: ProjectCommand): ProjectConfig {
  const { project: _project, preset: _preset, ...rest } = withoutUsualArchitecture(withoutScratch(settings));
  const paths = Object.entries(rest).flatMap(([key, value]) =>
    pathSettings.includes(key) && typeof value === 'string' ? [[key, storedPath(key, value)] as const] : [],
  );
  return {
    ...rest,
    ...Object.fromEntries(paths),
    mode: 'generator',
    bias: true,
    vocab_size: takenOverShape.vocab_size.parse(undefined),
  };
}
