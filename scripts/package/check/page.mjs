// The page of a running app, over its own debugging socket: what is on it, and a person's clicks. Playwright speaks with a whole
// browser first, and an app's Electron does not answer all of that.
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** What can be pressed, by its words as they stand on the screen. */
const pressable = 'button, a, [role=menuitem], [role=button]';

/**
 * @typedef {object} Page
 * @property {(expression: string) => Promise<unknown>} evaluate in the page's own world; a promise is waited for
 * @property {(words: string, seconds?: number) => Promise<void>} press the first that has these words, once it is there
 * @property {(words: RegExp, seconds?: number) => Promise<void>} waitFor until the page shows such words
 * @property {() => Promise<unknown>} close as a person closes the window
 */

/**
 * @param {number} port
 * @returns {Promise<string | null>} the socket of the first page, null while there is none
 */
async function socketOf(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/json/list`);
    const all = /** @type {{ type: string, webSocketDebuggerUrl: string }[]} */ (await answer.json());
    return all.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? null;
  } catch {
    return null;
  }
}

/**
 * @template T
 * @param {() => Promise<T | null>} look
 * @param {number} seconds
 * @param {string} what it is waited for
 * @returns {Promise<T>}
 */
export async function until(look, seconds, what) {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`${what} did not come in ${String(seconds)} s`);
    await sleep(100);
  }
}

/**
 * @param {number} port
 * @param {number} patience seconds
 * @returns {Promise<Page>}
 */
export async function openPage(port, patience) {
  const socket = new WebSocket(await until(() => socketOf(port), patience, 'the window'));
  /** @type {Map<number, (answer: Record<string, any>) => void>} */
  const waiting = new Map();
  let last = 0;
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data));
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  socket.on('close', () => {
    for (const give of waiting.values()) give({ error: { message: 'the page is gone' } });
    waiting.clear();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  /** @param {string} method @param {object} params @returns {Promise<Record<string, any>>} */
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, ({ error, result }) => (error ? reject(new Error(error.message)) : resolve(result)));
      socket.send(JSON.stringify({ id, method, params }));
    });
  /** @param {string} expression */
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await ask('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  /** @param {string} words @returns {Promise<{ x: number, y: number } | null>} its middle, where it lies on top and can be pressed */
  const placeOf = async (words) =>
    /** @type {{ x: number, y: number } | null} */ (
      await evaluate(`(() => {
        const found = [...document.querySelectorAll(${JSON.stringify(pressable)})].find(
          (one) => one.innerText.trim() === ${JSON.stringify(words)} && !one.disabled && one.checkVisibility());
        if (!found) return null;
        found.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = found.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        return found.contains(document.elementFromPoint(x, y)) ? { x, y } : null;
      })()`)
    );
  return {
    evaluate,
    async press(words, seconds = patience) {
      const place = await until(() => placeOf(words), seconds, `“${words}”`);
      const mouse = { ...place, button: 'left', clickCount: 1 };
      for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
        await ask('Input.dispatchMouseEvent', { type, ...mouse, button: type === 'mouseMoved' ? 'none' : 'left' });
    },
    async waitFor(words, seconds = patience) {
      const look = async () => (words.test(String(await evaluate('document.body.innerText'))) ? true : null);
      await until(look, seconds, String(words));
    },
    close: () => evaluate('setTimeout(() => window.close()); true').finally(() => socket.close()),
  };
}
