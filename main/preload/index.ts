/** Bridges page and main process in the sandbox: carries messages and turns dropped files into handles; main checks everything. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { bridgeChannels, type Bridge } from '../../shared/client/bridge.js';
import type { TransportEvents } from '../../shared/client/transport.js';

/** What this file uses of the page; the main process is compiled without the browser's types. */
interface PageDrop {
  readonly isTrusted: boolean;
  readonly dataTransfer: { readonly files: Iterable<PageFile> } | null;
}
type PageFile = Parameters<typeof webUtils.getPathForFile>[0];
declare const addEventListener: (type: 'drop', listener: (event: PageDrop) => void, capture: true) => void;

/** Electron 25 has the path on the file itself, newer ones in `webUtils`. */
const pathOf = (file: PageFile): string =>
  (webUtils as typeof webUtils | undefined)?.getPathForFile(file) ?? (file as { readonly path?: string }).path ?? '';

let dropped: readonly string[] = [];
addEventListener(
  'drop',
  ({ isTrusted, dataTransfer }) => {
    dropped = isTrusted ? [...(dataTransfer?.files ?? [])].map(pathOf).filter((path) => path !== '') : [];
  },
  // Before the page's own listeners, which ask for what was dropped.
  true,
);

const bridge: Bridge = {
  transport: {
    start(events: TransportEvents) {
      ipcRenderer.on(bridgeChannels.message, (_event, message: unknown) => {
        events.message(message);
        ipcRenderer.send(bridgeChannels.taken);
      });
      events.state('connected');
    },
    send: (message) => ipcRenderer.send(bridgeChannels.message, message),
    // The connection lasts as long as the page.
    close: () => undefined,
  },
  takeDropped() {
    const paths = dropped;
    dropped = [];
    return ipcRenderer.invoke(bridgeChannels.dropped, paths) as ReturnType<Bridge['takeDropped']>;
  },
};

contextBridge.exposeInMainWorld('verisim', bridge);
