/** A clock of one's own, so that a test of minutes takes seconds. */
import type { Session } from '../../main/engine/runtime/types.js';
import type { TensorTree } from '../../main/engine/runtime/tree.js';
import type { TestEnvironment } from './engine.js';

/** Returns the environment with a clock that goes on only when a compiled function runs. @param secondsOf a run, which count from 0 */
export function withClock(env: TestEnvironment, secondsOf: (run: number) => number): TestEnvironment {
  let [time, runs] = [0, 0];
  const { runtime } = env;
  const timed = (session: Session): Session => {
    const compile = session.compile.bind(session);
    session.compile = <A extends readonly TensorTree[], const R extends TensorTree>(
      ...given: Parameters<typeof compile<A, R>>
    ) => {
      const compiled = compile(...given);
      const run = (...args: A) => {
        time += 1000 * secondsOf(runs++);
        return compiled(...args);
      };
      return Object.assign(run, { together: compiled.together });
    };
    return session;
  };
  return {
    ...env,
    runtime: { ...runtime, createSession: (...given) => timed(runtime.createSession(...given)) },
    now: () => time,
  };
}
