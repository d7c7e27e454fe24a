/** A software Vulkan driver in place of a graphics card: SwiftShader, which Electron and Chromium bring. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../main/installation/locations.mjs';

const [RTLD_LAZY, RTLD_NODELETE] = [0x1, 0x1000];

/** The variables by which a process finds the driver when it starts; null if there is none. */
export function swiftshader(): { readonly LD_LIBRARY_PATH: string; readonly VK_DRIVER_FILES: string } | null {
  const electrons = existsSync(cacheFolder())
    ? readdirSync(cacheFolder()).filter((name) => name.startsWith('electron-'))
    : [];
  const folders = [...electrons.map((name) => join(cacheFolder(), name)), '/usr/lib/chromium'];
  const folder = folders.find((path) =>
    ['libvulkan.so.1', 'vk_swiftshader_icd.json'].every((name) => existsSync(join(path, name))),
  );
  return folder === undefined
    ? null
    : { LD_LIBRARY_PATH: folder, VK_DRIVER_FILES: join(folder, 'vk_swiftshader_icd.json') };
}

/** Makes it the driver of this process. */
export function useSwiftshader(): void {
  const found = swiftshader();
  if (!found) throw new Error('no SwiftShader: run npm run setup');
  process.env['VK_DRIVER_FILES'] = found.VK_DRIVER_FILES;
  try {
    // No addon, but loaded from now on under the name by which Dawn loads it.
    process.dlopen({ exports: {} }, join(found.LD_LIBRARY_PATH, 'libvulkan.so.1'), RTLD_LAZY | RTLD_NODELETE);
  } catch {
    // It has no entry point for Node.
  }
}
