/** A runtime that reports the arguments of its compiled functions. */
import type { TensorTree } from '../../main/engine/runtime/tree.js';
import type { CompileOptions, Compiled, Runtime, Session } from '../../main/engine/runtime/types.js';

/** The runtime, counting what compiled functions are called with; rows that only fill a batch up are not counted. */
export function counting(runtime: Runtime, count: (name: string, args: readonly unknown[]) => void): Runtime {
  return {
    ...runtime,
    createSession(options) {
      const session = runtime.createSession(options);
      const compile = <A extends readonly TensorTree[], const R extends TensorTree>(
        fn: (...args: A) => R,
        compileOptions: CompileOptions,
      ): Compiled<A, R> => {
        const compiled = session.compile(fn, compileOptions);
        const counted = (args: A): A => {
          count(compileOptions.name, args);
          return args;
        };
        const run = (...args: A) => compiled(...counted(args));
        return Object.assign(run, { together: (calls: readonly A[]) => compiled.together(calls.map(counted)) });
      };
      return { ...bound(session), compile };
    },
  };
}

/** A session’s methods, as an object of which some can be others. */
export const bound = (session: Session): Session => ({
  variable: (...args) => session.variable(...args),
  compile: (...args) => session.compile(...args),
  download: () => session.download(),
  read: (variable) => session.read(variable),
  readAll: (variables) => session.readAll(variables),
  write: (variable, values) => session.write(variable, values),
  dispose: () => session.dispose(),
});
