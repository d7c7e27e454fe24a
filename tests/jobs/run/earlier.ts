/** Unpacks folders that earlier versions made with `/earlier` as their home. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const settingsSchema = z.object({ small: z.looseObject({}), cyc: z.looseObject({}) });
/** Settings of the training run and of the project. */
export type EarlierSettings = z.infer<typeof settingsSchema>;

export function unpackEarlier(name: string, home: string): EarlierSettings {
  execFileSync('tar', ['-xzf', join(import.meta.dirname, `${name}.tar.gz`), '-C', home]);
  for (const file of ['settings.json', 'project/project.json', 'train/run.json']) {
    const path = join(home, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('/earlier', home));
  }
  return settingsSchema.parse(JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')));
}
