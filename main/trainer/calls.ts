/** Handles a trainer's calls, one at a time but for previews while models read; the jobs are loaded on first use. */
import { localized } from '../../shared/messages/message.js';
import type { z } from 'zod';
import { machineConfigSchema } from '../../shared/config/machine.js';
import { trainerCalls, type CallName, type TrainerCalls } from '../../shared/contract/trainer.js';
import { UserError } from '../../shared/errors.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';
import { createRuntimeLoader } from '../jobs/machine/runtime-loader.js';
import type { JobContext } from '../jobs/types.js';

/** A call's input as parsed, and what it gives back; both are held against the contract here. */
type Work<C extends CallName> = (
  input: z.output<TrainerCalls[C]['input']>,
  context: JobContext,
  onProgress: (value: unknown) => void,
) => Promise<z.output<TrainerCalls[C]['output']>>;

const work: { readonly [C in CallName]: () => Promise<Work<C>> } = {
  describe: async () => (await import('../jobs/machine/matrix-product.js')).describe,
  preview: async () => (await import('../jobs/commands/preview.js')).previewView,
  measure: async () => (await import('../jobs/commands/measure.js')).measure,
  familiarity: async () => (await import('../jobs/commands/familiarity.js')).familiarity,
  continueText: async () => (await import('../jobs/commands/continue-text.js')).continueText,
  completeText: async () => (await import('../jobs/commands/complete-text.js')).completeText,
  inspect: async () => (await import('../jobs/commands/inspect.js')).inspect,
  exportModel: async () => (await import('../jobs/export/export.js')).exportProjectModel,
  ratingPassages: async () => (await import('../jobs/rating/write.js')).writeRatingPassages,
};

export type Calls = ReturnType<typeof createCalls>;

export function createCalls() {
  const open = new Map<number, { requested: boolean }>();
  let before: Promise<unknown> = Promise.resolve();
  // A user waits for a preview, and for no model that reads the text: it takes its turns between that one's batches.
  let beforePreview = before;

  async function perform(
    job: CallName,
    input: unknown,
    onProgress: (value: unknown) => void,
    stop: { requested: boolean },
  ) {
    const { input: inputSchema, output } = trainerCalls[job];
    const parsed = inputSchema.safeParse(input);
    if (!parsed.success) throw unfit(job, parsed.error);
    if (stop.requested) throw cancelled();
    const load = createRuntimeLoader({}, () => undefined);
    const context: JobContext = {
      // Who waits for an answer sees no warnings: they are for the log.
      emit(event) {
        if (event.event === 'notice' && event.level === 'warning') console.error(plainEnglish(event.message));
      },
      now: () => Date.now(),
      stop,
      yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
      // TensorFlow is loaded once, by the first call: ready for what the next ones may be about.
      runtime: (machine) => load(machine && machineConfigSchema.parse(machine)),
    };
    const perform = (await work[job]()) as (input: unknown, ...rest: readonly unknown[]) => Promise<unknown>;
    return output.parse(await perform(parsed.data, context, onProgress));
  }

  return {
    call(request: number, job: CallName, input: unknown, onProgress: (value: unknown) => void) {
      const stop = { requested: false };
      open.set(request, stop);
      const earlier = job === 'preview' ? beforePreview : before;
      const result = earlier.then(() => perform(job, input, onProgress, stop)).finally(() => open.delete(request));
      const ended = result.catch(() => undefined);
      before = job === 'preview' ? Promise.all([before, ended]) : ended;
      if (job !== 'familiarity') beforePreview = ended;
      return result;
    },
    cancel(request: number) {
      const stop = open.get(request);
      if (stop) stop.requested = true;
    },
    cancelAll() {
      for (const stop of open.values()) stop.requested = true;
    },
  };
}

const cancelled = () =>
  new UserError({
    code: 'stopped',
    message: localized('trainer.cancelled'),
    hint: localized('trainer.nothing_changed'),
  });

function unfit(job: CallName, error: z.ZodError): UserError {
  const [issue] = error.issues;
  const field = issue?.path.join('.');
  return new UserError({
    code: 'bad_input',
    message: localized('trainer.isfield_select_true_other', {
      job,
      isField: Boolean(field),
      field,
      message: issue?.message ?? 'not what was expected',
    }),
    hint: localized('trainer.check_value'),
    ...(field ? { field } : {}),
  });
}
