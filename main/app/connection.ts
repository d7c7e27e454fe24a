/** Carries the contract over Electron's IPC. Messages are accepted only from the main frame of our own window. */
import { isAbsolute } from 'node:path';
import type { BrowserWindow, IpcMain, IpcMainEvent } from 'electron';
import { z } from 'zod';
import { bridgeChannels, MAX_DROPPED } from '../../shared/client/bridge.js';
import { clientMessageSchema, type ServerMessage } from '../../shared/client/messages.js';
import type { Reply } from '../../shared/contract/channel.js';
import type { FileInfo } from '../../shared/contract/values.js';
import type { Fault } from '../../shared/errors.js';
import { localized } from '../../shared/messages/message.js';
import type { Dispatcher } from '../ipc/dispatcher.js';
import { createSession, type Session } from '../ipc/session.js';
import type { EventBus } from '../services/event-bus.js';
import type { FileHandles } from '../services/files/file-handles.js';
import { dialogsOf } from './dialogs.js';
import { isOurPage } from './page.js';

/** So many messages may be on their way to a page before its topics wait. */
const MAX_ON_THE_WAY = 64;

const droppedSchema = z.array(z.string().min(1).max(32_768)).max(MAX_DROPPED);
const notDropped: Fault = {
  code: 'bad_input',
  message: localized('app.dropped_cannot_read_files'),
  hint: localized('app.drop_files_folder_file_manager'),
};

const notOurs: Fault = {
  code: 'unsupported',
  message: localized('app.only_page_window_verisim_itself'),
  hint: localized('app.use_window'),
};

interface Peer {
  session: Session;
  onTheWay: number;
}

interface ConnectionOptions {
  readonly ipc: IpcMain;
  readonly dispatcher: Dispatcher;
  readonly bus: EventBus;
  readonly files: FileHandles;
  /** Checks for updates in front of a window; absent when no publish target is configured. */
  readonly checkForUpdates?: ((window: BrowserWindow) => Promise<void>) | undefined;
  readonly onRefused: (reason: string) => void;
}

export function createConnection({ ipc, dispatcher, bus, files, checkForUpdates, onRefused }: ConnectionOptions) {
  const peers = new Map<number, Peer>();

  ipc.on(bridgeChannels.message, (event, raw: unknown) => {
    const peer = peers.get(event.sender.id);
    if (peer === undefined || !isOurPage(event.sender, event.senderFrame, peers)) {
      onRefused('foreign-message');
      refuse(event, raw);
    } else if (!peer.session.receive(raw)) onRefused('invalid-message');
  });
  ipc.on(bridgeChannels.taken, (event) => {
    const peer = peers.get(event.sender.id);
    if (peer === undefined || !isOurPage(event.sender, event.senderFrame, peers)) return;
    peer.onTheWay = Math.max(0, peer.onTheWay - 1);
    peer.session.flush();
  });
  ipc.handle(bridgeChannels.dropped, (event, raw: unknown): Reply<readonly FileInfo[]> => {
    if (!isOurPage(event.sender, event.senderFrame, peers)) {
      onRefused('foreign-drop');
      return { ok: false, fault: notOurs };
    }
    const { data } = droppedSchema.safeParse(raw);
    if (!data?.every((path) => isAbsolute(path))) return { ok: false, fault: notDropped };
    return { ok: true, value: data.map((path) => files.give(path)) };
  });

  return {
    admit(window: BrowserWindow): void {
      const { webContents: contents } = window;
      const { id } = contents;
      const caller = {
        transport: 'electron' as const,
        dialogs: dialogsOf(window),
        ...(checkForUpdates ? { checkForUpdates: () => checkForUpdates(window) } : {}),
      };
      const open = () => {
        const send = (message: ServerMessage) => {
          if (contents.isDestroyed() || contents.isCrashed()) return;
          peer.onTheWay += 1;
          contents.send(bridgeChannels.message, message);
        };
        const isReady = () => peer.onTheWay < MAX_ON_THE_WAY;
        const peer: Peer = { onTheWay: 0, session: createSession({ dispatcher, bus, caller, isReady, send }) };
        peers.set(id, peer);
      };
      const close = () => {
        peers.get(id)?.session.close();
        peers.delete(id);
      };
      open();
      // A page that is loaded again is another conversation: the calls of the one before are cancelled.
      contents.on('did-start-navigation', (_event, _url, isInPlace, isMainFrame) => {
        if (!isMainFrame || isInPlace) return;
        close();
        open();
      });
      contents.on('render-process-gone', close);
      contents.on('destroyed', close);
    },
  };
}

/** A call from elsewhere gets its refusal; nothing else does. Its frame may be gone by now. */
function refuse(event: IpcMainEvent, raw: unknown): void {
  const { data } = clientMessageSchema.safeParse(raw);
  if (data?.type !== 'call') return;
  const refusal: ServerMessage = { type: 'reply', id: data.id, reply: { ok: false, fault: notOurs } };
  try {
    event.reply(bridgeChannels.message, refusal);
  } catch {
    // the sender is gone
  }
}
