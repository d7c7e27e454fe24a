/** Switches the endpoint for other programs on and off as the settings say, and keeps its token; main/server serves it. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toFault, type Fault } from '../../../shared/errors.js';
import type { DataFolder } from '../files/data-folder.js';

interface Served {
  /** What programs are configured with. */
  readonly address: string;
  close(): Promise<void>;
}

export function createEndpoint(data: DataFolder, isOn: () => boolean) {
  let serve: ((token: string) => Promise<Served>) | null = null;
  let wanted = isOn;
  let served: Served | null = null;
  let fault: Fault | null = null;
  let last: Promise<void> = Promise.resolve();

  async function follow(): Promise<void> {
    const on = serve !== null && wanted();
    if (on === (served !== null)) return;
    fault = null;
    try {
      const ending = served;
      served = on && serve ? await serve(tokenIn(data.endpointToken)) : null;
      await ending?.close();
    } catch (error) {
      fault = toFault(error);
    }
  }
  /** Starts or ends it if the settings have changed. */
  const settle = () => (last = last.then(follow));
  return {
    settle,
    /** @param always whatever the settings say */
    provide(start: (token: string) => Promise<Served>, always = false) {
      serve = start;
      if (always) wanted = () => true;
      return settle();
    },
    async describe() {
      await last;
      return { address: served?.address ?? null, token: served && tokenIn(data.endpointToken), fault };
    },
    close() {
      wanted = () => false;
      return settle();
    },
  };
}

/** Reads the token, or makes one that only this user can read: programs keep it in their settings. */
function tokenIn(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}
