/**
 * A job's context for tests: events kept, and a way to stop at a chosen event. The runtime is the JavaScript one, which
 * has nothing to compile and must be able to run every job too; tests/cli runs them on TensorFlow.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectCommand } from '../../shared/config/commands.js';
import { projectCommandShape } from '../../shared/config/commands.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { z } from 'zod';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import type { Runtime } from '../../main/engine/runtime/types.js';
import type { JobContext } from '../../main/jobs/types.js';

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'verisim-jobs-'));

let runtime: Promise<Runtime> | null = null;

/** @param stopAt asks the job to stop when an event answers yes */
export function testContext(stopAt: (event: JobEvent) => boolean = () => false): {
  readonly context: JobContext;
  readonly events: readonly JobEvent[];
} {
  const events: JobEvent[] = [];
  const stop = { requested: false };
  const context: JobContext = {
    emit(event) {
      events.push(event);
      if (stopAt(event)) stop.requested = true;
    },
    now: () => Date.now(),
    stop,
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    runtime: () => (runtime ??= loadRuntime({ bindingPath: null })),
  };
  return { context, events };
}

/** The settings of a project, as the command line would make them. */
export function projectSettings(given: Readonly<Record<string, unknown>>): ProjectCommand {
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new Error(resolved.problems.map(({ message }) => message).join('; '));
  return z.object(projectCommandShape).parse(resolved.value);
}
