/** Who may speak with the main process: the page of our own window, and nothing else that happens to have the bridge. */
import type { WebContents, WebFrameMain } from 'electron';
import { isPageAddress } from './page.js';

/** What is read of the frame that sent a message; it may be gone already. */
type Frame = Pick<WebFrameMain, 'url' | 'parent'> | null | undefined;

/** Whether a message comes from the page itself, not from a frame inside it and not from anything else. */
export function isOurPage(
  sender: Pick<WebContents, 'id'>,
  frame: Frame,
  windows: ReadonlyMap<number, unknown>,
): boolean {
  if (!windows.has(sender.id)) return false;
  try {
    return Boolean(frame && frame.parent === null && isPageAddress(frame.url));
  } catch {
    return false; // a frame that has been disposed of throws
  }
}
