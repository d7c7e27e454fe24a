/** The app's settings, and where new projects are made. */
import { z } from 'zod';
import { defaultSettings, settingsSchema, type Settings } from '../../../shared/contract/machine.js';
import type { DataFolder } from '../files/data-folder.js';
import { readStored, writeStored } from '../files/stored.js';

type SettingsChange = { readonly [K in keyof Settings]?: Settings[K] | undefined };

export function createSettings(data: DataFolder, otherwise: string, onChange: (settings: Settings) => void) {
  const schema = z.object({ ...settingsSchema.partial().shape, projects_folder: z.string().nullable() });
  const { projects_folder: chosen, ...kept } = readStored(data.settings, schema, { projects_folder: null });
  let projects_folder = chosen;
  let settings: Settings = withChange(defaultSettings, kept);
  const save = () => writeStored(data.settings, { ...settings, projects_folder });
  return {
    get: () => settings,
    set(change: SettingsChange) {
      settings = withChange(settings, change);
      save();
      onChange(settings);
      return settings;
    },
    projectsFolder: () => projects_folder ?? otherwise,
    setProjectsFolder(folder: string) {
      projects_folder = folder;
      save();
    },
  };
}

const withChange = (settings: Settings, change: SettingsChange): Settings => ({
  ...settings,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
});
