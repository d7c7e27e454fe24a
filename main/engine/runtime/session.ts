/** Sessions that end with what they are used for. */
import type { Runtime, Session } from './types.js';

/** Uses a session, and disposes of it with all that it holds. */
export async function withSession<T>(runtime: Runtime, use: (session: Session) => Promise<T>): Promise<T> {
  const session = runtime.createSession();
  try {
    return await use(session);
  } finally {
    session.dispose();
  }
}
