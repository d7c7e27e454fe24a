/** A cycle's report as the dashboards read it: what is missing or of another form is null, never a crash. Pure. */
import { z } from 'zod';
import { measured, sampleSchema } from '../../shared/contract/values.js';

const number = measured.optional().default(null).catch(null);
const interval = z.object({ low: z.number(), high: z.number() }).nullable().optional().default(null).catch(null);
/** Of 95 %. */
export type Interval = NonNullable<z.infer<typeof interval>>;

const baseSchema = z.object({
  val_loss: number,
  perplexity: number,
  tokens_per_second: number,
  iterations: number,
  best_iteration: number,
  stopped_because: z.string().catch(''),
});

const calibrationBin = z.object({
  low: z.number(),
  high: z.number(),
  count: z.number(),
  meanPredicted: measured,
  meanTrue: measured,
  trueInterval: interval,
});
export type CalibrationBin = z.infer<typeof calibrationBin>;

const rewardModelSchema = z.object({
  kind: z.string().catch(''),
  val_mse: number,
  val_mse_interval: interval,
  val_mae: number,
  val_mae_interval: interval,
  r2: number,
  r2_interval: interval,
  correlation: number,
  correlation_interval: interval,
  baseline_mse: number,
  evidence_scale: number,
  calibration: z.array(calibrationBin).catch([]),
  samples: number,
  iterations: number,
  best_iteration: number,
  stopped_because: z.string().catch(''),
});
export type RewardModelReport = z.infer<typeof rewardModelSchema>;

const grpoSchema = z.object({
  reward_first: number,
  reward_last: number,
  reward_first_interval: interval,
  reward_last_interval: interval,
  kl: number,
  perplexity_before: number,
  perplexity_after: number,
  steps: number,
  stopped_because: z.string().catch(''),
});
export type GrpoReport = z.infer<typeof grpoSchema>;

const criticSchema = z.object({ name: z.string(), val_loss: number, lead_nats: number });
export type CriticReport = z.infer<typeof criticSchema>;

const nats = z.object({ mean: z.number(), interval });
const writingSchema = z.object({
  unconditional: nats,
  prompted: nats,
  distinct_3: number,
  copied_share: number,
  passages: number,
});
export type WritingReport = z.infer<typeof writingSchema>;

const judgementSchema = z.object({
  generator: writingSchema,
  /** Held-out text, judged in the same way. */
  natural: writingSchema,
  fresh_discriminator: z.object({ r2: number, r2_interval: interval }),
});
export type JudgementReport = z.infer<typeof judgementSchema>;

const reportSchema = z.object({
  cycle: z.number(),
  name: z.string(),
  val_loss: measured,
  perplexity: measured,
  base: baseSchema.nullable().optional().default(null).catch(null),
  reward_samples: z.object({ train: z.number(), val: z.number() }).nullable().optional().default(null).catch(null),
  reward_model: rewardModelSchema.nullable().optional().default(null).catch(null),
  reward_models: z.record(z.string(), rewardModelSchema).optional().default({}).catch({}),
  critic: criticSchema.nullable().optional().default(null).catch(null),
  grpo: grpoSchema.nullable().optional().default(null).catch(null),
  judgement: judgementSchema.nullable().optional().default(null).catch(null),
  samples: z.array(sampleSchema).catch([]),
});
export type Report = z.infer<typeof reportSchema>;

export const parseReports = (reports: readonly unknown[]): readonly Report[] =>
  reports
    .flatMap((report) => {
      const parsed = reportSchema.safeParse(report);
      return parsed.success ? [parsed.data] : [];
    })
    .sort((a, b) => a.cycle - b.cycle);

/** The report of a cycle that is not over: how well its reward model sees, and nothing else yet. */
export const unfinishedReport = (known: { readonly cycle: number; readonly reward_model: object }): Report | null =>
  parseReports([{ ...known, name: '', val_loss: null, perplexity: null, samples: [] }])[0] ?? null;

/** Whether chance alone could explain how well the reward model does: its interval of R² reaches 0. */
export const isBlind = ({ r2_interval }: Pick<RewardModelReport, 'r2_interval'>): boolean =>
  r2_interval === null || r2_interval.low <= 0;

/** Whether it explains more than half of the differences, by more than chance. */
export const seesMost = ({ r2_interval }: Pick<RewardModelReport, 'r2_interval'>): boolean =>
  r2_interval !== null && r2_interval.low > 0.5;
