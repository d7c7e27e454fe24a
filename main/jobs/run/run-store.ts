/**
 * The container of a run, whether it is a project of many phases or the output folder of a single command, which is a
 * project of one phase: its logs, the checkpoints of its phases, and the record of the environment it was worked on in.
 * Where the files lie is said by whoever opens it.
 */
import type { Message } from '../../../shared/messages/message.js';
import { typed } from '../../../shared/sentence.js';
import packageFile from '../../../package.json' with { type: 'json' };
import type { JobEvent } from '../../../shared/phases/events.js';
import type { Json } from '../../engine/types.js';
import { type EnvironmentRecord, environmentNow, noteEnvironment } from '../../storage/projects/environment-record.js';
import { alsoTelling, type JobContext, type MachineChoice } from '../types.js';
import { createCheckpoints } from './checkpoints.js';
import { type LogFiles, openRunLog } from './run-log.js';

export interface RunFiles extends LogFiles {
  /** circumstances.json. */
  readonly environment: string;
}

interface RunFacts {
  /** Kept with every checkpoint. */
  readonly configuration: Readonly<Record<string, Json>>;
  /** As configured; null for one per core. */
  readonly threads: number | null;
  /** Left out: the machine as the flags say. */
  readonly machine?: MachineChoice;
}

export function openRunStore(files: RunFiles, { configuration, threads, machine }: RunFacts, outer: JobContext) {
  const log = openRunLog(files, () => outer.now());
  /** The context whose events are also kept. */
  const context = alsoTelling(outer, log.keep);
  let begun: Promise<EnvironmentRecord> | null = null;
  /** Before anything is computed: says so when this is not the machine, or the version, of what is there already. */
  const beginWork = () =>
    (begun ??= outer.runtime(machine).then((runtime) => {
      const here = environmentNow(packageFile.version, runtime, threads);
      const changes = noteEnvironment(files.environment, here, new Date(outer.now()).toISOString());
      if (changes.length > 0) context.emit(notExact(changes));
      return here;
    }));
  const checkpoints = createCheckpoints(log, {
    savingShare: outer.savingShare,
    made: async () => ({ ...(await beginWork()), configuration }),
    onNotice: (message) => context.emit({ event: 'notice', level: 'warning', code: 'checkpoint', message }),
  });
  return { ...checkpoints, log, context, beginWork };
}

/** What a person is told when a run is resumed in another environment than it was begun in. */
const notExact = (changes: readonly Message[]): JobEvent => ({
  event: 'notice',
  level: 'warning',
  code: 'not_exact',
  message: `Since this run was last worked on, ${changes.map(typed).join('; ')}. It resumes, but running it anew need not give the same bytes.`,
});
