/** Runs the trainer process that answers calls: started on demand, ended when idle; answers are checked by the contract. */
import {
  trainerCalls,
  type CallInput,
  type CallName,
  type CallOutput,
  type CallProgress,
} from '../../shared/contract/trainer.js';
import { connect, type Connection, type ConnectionOptions } from './connection.js';
import type { CallOptions } from './types.js';

/** Milliseconds without a call after which the process ends. */
const IDLE = 60_000;

export type Service = ReturnType<typeof createService>;

export function createService(options: Pick<ConnectionOptions, 'start' | 'limits' | 'monotonic'>) {
  let connection: Connection | null = null;
  let calls = 0;
  let ending: NodeJS.Timeout | undefined;
  const close = () => {
    connection?.kill();
    connection = null;
  };
  const connected = () => {
    if (connection) return connection;
    const mine = connect({
      ...options,
      onNotification: () => undefined,
      onEnd: () => {
        if (connection === mine) connection = null;
      },
    });
    return (connection = mine);
  };
  return {
    async call<C extends CallName>(job: C, input: CallInput<C>, { onProgress, signal }: CallOptions<C> = {}) {
      clearTimeout(ending);
      calls += 1;
      const { output, progress } = trainerCalls[job];
      const forward = (value: unknown) => {
        const parsed = progress?.safeParse(value);
        if (parsed?.success) onProgress?.(parsed.data as CallProgress<C>);
      };
      try {
        const value = await connected().ask({ message: 'call', job, input }, forward, signal);
        return output.parse(value) as CallOutput<C>;
      } finally {
        calls -= 1;
        if (calls === 0) ending = setTimeout(close, IDLE).unref();
      }
    },
    slept: (milliseconds: number) => connection?.slept(milliseconds),
    beat: () => connection?.beat(),
    close() {
      clearTimeout(ending);
      close();
    },
  };
}
