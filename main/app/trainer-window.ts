/**
 * Trains in a hidden window, whose page has Chromium's WebGPU: in Electron's utility process npm's Dawn does not load. The page is empty;
 * the trainer runs in its preload script, apart from the page, which has no Node, network or navigation.
 */
import { BrowserWindow, session, type Session } from 'electron';
import { TRAINER_CHANNEL } from '../../shared/contract/trainer.js';
import { trainsOnCard } from '../jobs/machine/graphics-card.js';
import { exitCode, type OnOutput, type StartTrainer, type TrainerProcess } from '../supervisor/trainer-process.js';
import { confineSession } from './confinement.js';
import { pageAddress, serveEmptyPage } from './page.js';

/** @param usual starts everything else */
export const withTrainerWindow =
  (usual: StartTrainer, program: string, onOutput: OnOutput): StartTrainer =>
  (config) =>
    config && trainsOnCard(config) ? openTrainerWindow(program, onOutput) : usual(config);

let own: Session | null = null;

/** A session that loads nothing but the empty page, and stores nothing. */
function trainerSession(): Session {
  if (own) return own;
  own = session.fromPartition('trainer');
  confineSession(own, false);
  serveEmptyPage(own.protocol);
  return own;
}

function openTrainerWindow(program: string, onOutput: OnOutput): TrainerProcess {
  const window = new BrowserWindow({
    show: false,
    webPreferences: {
      preload: program,
      session: trainerSession(),
      // The preload script needs Node; the page has no script at all.
      sandbox: false,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      backgroundThrottling: false,
      devTools: false,
    },
  });
  const { webContents: contents } = window;
  const waiting: unknown[] = [];
  let isLoaded = false;
  let isOver = false;
  contents.once('did-finish-load', () => {
    isLoaded = true;
    for (const message of waiting.splice(0)) contents.send(TRAINER_CHANNEL, message);
  });
  contents.on('console-message', (_event, _level, text) => onOutput(`${text}\n`));
  void window.loadURL(pageAddress);
  const pid = () => (window.isDestroyed() ? undefined : contents.getOSProcessId());
  return {
    get pid() {
      return pid();
    },
    send(message) {
      if (!isLoaded) waiting.push(message);
      else if (!window.isDestroyed()) contents.send(TRAINER_CHANNEL, message);
    },
    onMessage: (listener) => void contents.ipc.on(TRAINER_CHANNEL, (_event, data) => listener(data)),
    onEnd(listener) {
      const end = (how: Parameters<typeof listener>[0]) => {
        if (isOver) return;
        isOver = true;
        if (!window.isDestroyed()) window.destroy();
        listener(how);
      };
      contents.once('render-process-gone', (_event, { reason, exitCode: code }) =>
        end(reason === 'killed' ? 'SIGKILL' : exitCode(code)),
      );
      contents.once('preload-error', (_event, _path, error) => end(error.message));
      window.once('closed', () => end('SIGTERM'));
    },
    kill() {
      const id = pid();
      // 0 until its process runs.
      if (id) process.kill(id, 'SIGKILL');
      else if (!window.isDestroyed()) window.destroy();
    },
  };
}
