/**
 * Held-out loss: mean cross-entropy over a split, and perplexity = e^(that) (specification 5.8). Windows of one block, or of
 * `eval_block_size`, do not overlap, so every token but the first is predicted exactly once; the last window may be short. Of a
 * split of more than `MEASURED_TOKENS`, or than training pays for (shared/costs/held-out.ts), windows spread evenly over it are
 * read, the same at every evaluation.
 */
import { localized } from '../../../shared/messages/message.js';
import * as tf from '@tensorflow/tfjs';
import { heldOutWindow, measuredWindows, MEASURED_TOKENS, type GPTConfig } from '../../../shared/config/model.js';
import type { PhaseName } from '../../../shared/phases/index.js';
import type { HeldOutParts, TextLoss } from '../../../shared/reports/report.js';
import { evaluationBatches, requireBlock } from './dataset.js';
import { stopError } from '../control.js';
import { fewerParts } from '../statistics/held-out-change.js';
import { createParameters, trunk, type Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { nextTokenLogProbs } from '../model/token-losses.js';
import { createProgress } from './progress.js';
import { addLengths, textLength, textLoss } from './text-loss.js';
import type { Vocabulary } from '../tokenizer/types.js';
import { takeNumber } from '../runtime/reading.js';
import { withSession } from '../runtime/session.js';
import type { Session } from '../runtime/types.js';
import type { Team } from '../team.js';
import type { Environment, NamedArrays, TokenSource } from '../types.js';

/** Tokens of an evaluation batch, whatever the block size. */
const TOKENS_PER_BATCH = 4096;
/** Scores over the vocabulary of a batch: 64 MB, so that evaluation takes no more memory than training. */
const SCORES_PER_BATCH = 2 ** 24;
/** Least tokens of a batch if scores are computed in parts (token-losses.ts): a fifth faster than 341. */
const TOKENS_IN_PARTS = 1024;

export interface Evaluation extends TextLoss {
  /** Mean cross-entropy in nats per token. */
  readonly loss: number;
  readonly tokens: number;
  /** The loss by consecutive parts of the text, for its uncertainty (held-out-change.ts). */
  readonly parts: HeldOutParts;
}

interface EvaluatorOptions {
  /** Without it losses are by token only. */
  readonly vocabulary?: Pick<Vocabulary, 'lengths'> | undefined;
  readonly onBatch?: (done: number, total: number) => void;
}

export function createEvaluator(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  env: Environment,
  { vocabulary, onBatch }: EvaluatorOptions = {},
) {
  const lengths = vocabulary?.lengths() ?? null;
  const T = heldOutWindow(model);
  const B = Math.max(1, Math.floor(tokensPerBatch(model) / T));
  const lossSum = session.compile(
    (x: tf.Tensor, y: tf.Tensor, weights: tf.Tensor) => {
      const hidden = trunk(model, parameters, x);
      const logProbs = nextTokenLogProbs({ model, parameters, hidden, labels: y }); // (B, T)
      return tf.neg(tf.sum(tf.mul(logProbs, weights)));
    },
    { name: 'evaluate', precision: readingPrecision(env.runtime, model) },
  );

  return {
    /**
     * Measures `tokens`, or at most `most` of them, in windows spread evenly over them, always the same.
     * @throws UserError `stopped` between two batches; `text_too_short` below two tokens
     */
    async evaluate(tokens: TokenSource, most = MEASURED_TOKENS): Promise<Evaluation> {
      requireBlock(tokens, 1, 'val');
      const total = measuredWindows(model, tokens.length, most);
      const { team } = env;
      let [count, index] = [0, -1];
      const own: number[] = [];
      const tokensOf: number[] = [];
      let text = textLength(lengths, []);
      for (const batch of evaluationBatches(tokens, T, B, total)) {
        if (env.stop.requested) throw stoppedMeasuring();
        count += batch.count;
        tokensOf.push(batch.count);
        text = addLengths(text, textLength(lengths, batch.y, batch.weights));
        index += 1;
        if (team && index % team.size !== team.rank) continue;
        const [x, y] = [tf.tensor2d(batch.x, [B, T]), tf.tensor2d(batch.y, [B, T])];
        const weights = tf.tensor2d(batch.weights, [B, T]);
        const loss = lossSum(x, y, weights);
        own.push(await takeNumber(loss));
        tf.dispose([x, y, weights]);
        onBatch?.(Math.min((index + 1) * B, total), total);
        await env.yieldToEventLoop();
      }
      const nats = team ? await inOrder(team, own, index + 1) : own;
      const sum = nats.reduce((all, each) => all + each, 0);
      return { ...textLoss(sum, count, text), tokens: count, parts: fewerParts({ nats, tokens: tokensOf }) };
    },
  };
}

function tokensPerBatch({ architecture = 'gpt2', vocab_size }: GPTConfig): number {
  const alone = SCORES_PER_BATCH / vocab_size;
  return Math.min(TOKENS_PER_BATCH, architecture === 'gpt2' ? alone : Math.max(TOKENS_IN_PARTS, alone));
}

/** Collects the numbers of all batches in order; each rank has every size-th. */
async function inOrder(team: Team, own: readonly number[], count: number): Promise<number[]> {
  const parts = await team.gather(new Uint8Array(Float32Array.from(own).buffer));
  const losses = parts.map((part) => new Float32Array(part.slice().buffer));
  return Array.from({ length: count }, (_, batch) => losses[batch % team.size]?.[Math.floor(batch / team.size)] ?? NaN);
}

export async function perplexity(options: {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly tokens: TokenSource;
  readonly vocabulary?: EvaluatorOptions['vocabulary'];
  /** Phase of the progress events. */
  readonly phase: PhaseName;
  readonly env: Environment;
}): Promise<Evaluation> {
  const { model, weights, tokens, vocabulary, phase, env } = options;
  return withSession(env.runtime, async (session) => {
    const windows = measuredWindows(model, tokens.length, MEASURED_TOKENS);
    const progress = createProgress(env, phase, 'batches', windows);
    const parameters = createParameters(session, weights);
    const onBatch = (done: number) => progress.update(done);
    return await createEvaluator(session, model, parameters, env, { vocabulary, onBatch }).evaluate(tokens);
  });
}

export const stoppedMeasuring = () =>
  stopError(
    localized('train.stopped_while_model_measured_held'),
    localized('train.run_same_command_again_measurement'),
  );
