/**
 * TensorFlow's build for NVIDIA GPUs, which people install beside the app: from the settings, or with `--install-runtime=FILE`. What
 * is not as this app knows it is not loaded, and said.
 */
import { dialog, type BrowserWindow } from 'electron';
import { UserError, toFault } from '../../../shared/errors.js';
import { typed } from '../../../shared/sentence.js';
import { tensorflowFolder } from '../../installation/locations.mjs';
import { installRuntime } from '../../services/updates/runtime-file.js';
import { stateOfSecondRuntime, type InstalledFiles } from './installation.js';
import { appWords } from '../language.js';

const option = '--install-runtime=';

/** The file that a start is to install, or null. */
export const runtimeAmong = (args: readonly string[]): string | null =>
  args.find((text) => text.startsWith(option))?.slice(option.length) ?? null;

const unknown = () =>
  new UserError({
    code: 'unsupported',
    message: 'This Verisim knows no runtime for NVIDIA GPUs.',
    hint: 'Take a release that names one.',
  });

/** @returns its version @throws UserError */
async function installSecondRuntime(
  installed: InstalledFiles | null,
  file: string,
  progress: (done: number, total: number) => void,
): Promise<string> {
  if (!installed?.gpu) throw unknown();
  return installRuntime({ file, sha256: installed.gpu.sha256, folder: tensorflowFolder('gpu'), progress });
}

/** The same in a terminal. @returns an exit code */
export async function installInTerminal(installed: InstalledFiles | null, file: string): Promise<number> {
  let told = 0;
  const tell = (done: number, total: number): void => {
    const percent = Math.floor((100 * done) / Math.max(1, total));
    if (percent >= told + 5) console.error(`${String((told = percent))}%`);
  };
  try {
    console.error(appWords().runtimeWords.done(await installSecondRuntime(installed, file, tell)));
    return 0;
  } catch (error) {
    const { message, hint } = toFault(error);
    console.error(`${typed(message)}\n${typed(hint)}`);
    return 1;
  }
}

/** Asks for the file, installs it with its progress in the taskbar, and says so. @throws UserError */
export async function offerSecondRuntime(installed: InstalledFiles | null, window: BrowserWindow): Promise<void> {
  const words = appWords().runtimeWords;
  const filters = [{ name: words.fileKind, extensions: ['tar'] }];
  const { filePaths } = await dialog.showOpenDialog(window, { title: words.choose, properties: ['openFile'], filters });
  const [file] = filePaths;
  if (file === undefined) return;
  const show = (share: number): void => void (window.isDestroyed() || window.setProgressBar(share));
  try {
    const version = await installSecondRuntime(installed, file, (done, total) => show(done / Math.max(1, total)));
    if (window.isDestroyed()) return;
    const [message, detail] = [words.done(version), words.doneDetail];
    await dialog.showMessageBox(window, { type: 'info', title: words.title, message, detail });
  } finally {
    show(-1);
  }
}

/**
 * To be called before a trainer starts: it inherits what is set here.
 * @returns what is to be said, where a runtime is there that must not be loaded
 */
export async function guardSecondRuntime(installed: InstalledFiles, stampFile: string): Promise<string | null> {
  const sha256 = installed.gpu?.sha256 ?? null;
  const state = await stateOfSecondRuntime({ folder: tensorflowFolder('gpu'), sha256, stampFile });
  if (state !== 'whole') process.env['VERISIM_GPU'] = 'off';
  return state === 'changed' ? appWords().runtimeWords.changed : null;
}
