/** A cycle that follows the author's voice: measures how a version sounds, and trains the next one (../voice). */
import type { VoiceReport } from '../../../shared/reports/report.js';
import { passageShape, VOICE_CLASSIFIERS, voicePassages } from '../../../shared/config/voice.js';
import { heldOutTokens } from '../../../shared/costs/held-out.js';
import { localized } from '../../../shared/messages/message.js';
import { adaptersOff, createSharedParameters } from '../model/adapters.js';
import { createParameters } from '../model/model.js';
import { streams } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { createCopyIndex, shortCopyLength } from '../statistics/text-statistics.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import { createProgress } from '../train/progress.js';
import type { Environment, LanguageModel, TokenIds } from '../types.js';
import {
  continuationsOf,
  createContinuer,
  createReader,
  logRatiosOf,
  spreadPassages,
  spreadRows,
  type Continued,
} from '../voice/passages.js';
import { trainVoice } from '../voice/voice.js';
import { countsOf, figuresOf, trainEar, voiceShares } from '../voice/yardsticks.js';
import { during } from './cycle-phase.js';
import { cycleSeed, generatorName, keeping, type Project, type VoiceTexts } from './cycle-types.js';

/** Passages written together: large batches are cheaper (../voice/passages.ts). */
const ROWS = 160;
/** The places in the noise of passages for the classifiers and of those that are measured. */
const KINDS = { classifiers: 0, measured: 2 ** 20 } as const;

/** Loads the model before it read the text; null if it began from nothing. */
export async function untrainedModel({ store }: Project): Promise<LanguageModel | null> {
  const initial = await store.initialModel?.();
  if (!initial) return null;
  const { model, weights } = adaptersOff(initial);
  return { model: { ...model, dropout: 0 }, weights };
}

async function mustHaveUntrained(project: Project): Promise<LanguageModel> {
  const untrained = await untrainedModel(project);
  if (!untrained) throw new Error('a voice is followed from a model that could write before');
  return untrained;
}

/** Measures how the version of a cycle sounds. @param found base_model_v1's measurement, that of the version before, and what training did */
export function measureVoice(
  project: Project,
  cycle: number,
  generator: LanguageModel,
  found: {
    readonly first?: VoiceReport | null | undefined;
    readonly before?: VoiceReport;
    readonly training?: VoiceReport['training'];
  } = {},
): Promise<VoiceReport> {
  const { config, store, tokens } = project;
  const { first, before, training = null } = found;
  return during(project, 'evaluation', cycle, generatorName(cycle), async (env) => {
    const shape = passageShape(generator.model);
    const counts = voicePassages(tokens.val.length, shape);
    const untrained = await mustHaveUntrained(project);
    const stored = (await store.loadVoice?.()) ?? null;
    const total = counts.version + (stored ? 0 : counts.classifiers + counts.floor);
    const progress = createProgress(env, 'evaluation', 'samples', total);
    let done = 0;
    const drawing = { rows: ROWS, vocabLimit: tokens.vocabSize, excluded: tokens.special };
    const drawn = {
      classifiers: spreadPassages(tokens.train, counts.classifiers, shape),
      measured: spreadPassages(tokens.val, counts.version, shape),
    };
    const heard = spreadPassages(tokens.train, VOICE_CLASSIFIERS * counts.classifiers, shape);
    const read = <T extends TokenIds | Float32Array>(rows: T): T => spreadRows(rows, counts.version, counts.read);
    const textsOf = (ids: TokenIds) => continuationsOf(ids, shape).map((passage) => tokens.decode(passage));

    async function written({ model, weights }: LanguageModel, kind: keyof typeof drawn, count: number) {
      const session = env.runtime.createSession();
      try {
        const write = createContinuer(session, model, createParameters(session, weights), env, drawing);
        const noise = { seed: config.seed, stream: streams.voiceGeneration, first: KINDS[kind] };
        const all = await write(drawn[kind].subarray(0, count * shape.length), noise);
        if (!all) throw stoppedMeasuring();
        progress.update((done += count), localized('evaluation.progress.voice'));
        return all;
      } finally {
        session.dispose();
      }
    }

    const texts: VoiceTexts = stored ?? {
      classifiers: textsOf((await written(untrained, 'classifiers', counts.classifiers)).ids),
      floor: textsOf((await written(untrained, 'measured', counts.floor)).ids),
    };
    if (!stored) await store.saveVoice?.(texts);
    const passages = await written(generator, 'measured', counts.version);
    const known = first ?? before;
    const some = { ids: read(passages.ids), logProbs: read(passages.logProbs) };
    const ratios = await ratiosOf([generator, untrained], some, known ? null : read(drawn.measured), env);
    const ear = trainEar(textsOf(heard), texts.classifiers);
    const copies = createCopyIndex(tokens.train);
    const own = textsOf(drawn.measured);
    const figures = (ids: TokenIds, logRatios: Float32Array, natural?: readonly string[]) =>
      figuresOf({
        ear,
        texts: textsOf(ids),
        counts: countsOf(continuationsOf(ids, shape), copies, shortCopyLength[tokens.method]),
        logRatios,
        ...(natural ? { own: natural } : {}),
      });
    return {
      version: figures(passages.ids, ratios.version, own),
      before: before?.version ?? null,
      text: known?.text ?? figures(drawn.measured, ratios.text ?? new Float32Array()),
      untrained: known?.untrained ?? voiceShares(ear, texts.floor),
      training,
    };
  });
}

/** By how many nats per token a version finds its passages likelier than the untrained model does, and the text if it is given. */
async function ratiosOf(
  [version, untrained]: readonly [LanguageModel, LanguageModel],
  written: Continued,
  text: TokenIds | null,
  env: Environment,
) {
  const session = env.runtime.createSession();
  try {
    const [own, other] = tunedAndUntrained(session, version, untrained);
    const shape = passageShape(version.model);
    const read = createReader(session, [other], env);
    const ofText = text && { ids: text, logProbs: await createReader(session, [own], env)(text) };
    return {
      version: await logRatiosOf(written, read, shape),
      text: ofText && (await logRatiosOf(ofText, read, shape)),
    };
  } finally {
    session.dispose();
  }
}

/** Both in a session. With adapters they are the same weights, with the adapters on and off. */
export function tunedAndUntrained(session: Session, tuned: LanguageModel, untrained: LanguageModel) {
  const parameters = createParameters(session, tuned.weights, 'tuned.');
  const there = { weights: tuned.weights, parameters };
  const others = tuned.model.lora
    ? parameters
    : createSharedParameters(session, untrained.model, untrained.weights, 'untrained.', there);
  return [
    { ...tuned, parameters },
    { ...untrained, parameters: others },
  ] as const;
}

/** What a cycle that learns from pairs takes from its project, whatever rewards. */
export function pairOptions(project: Project, cycle: number, generator: LanguageModel) {
  const { config, store, tokens } = project;
  return {
    ...generator,
    trainTokens: tokens.train,
    valTokens: tokens.val,
    measuredTokens: heldOutTokens(generator.model, config).last,
    config,
    tokenization: tokens.method,
    vocabLimit: tokens.vocabSize,
    excluded: tokens.special,
    vocabulary: tokens,
    seed: cycleSeed(config.seed, cycle),
    slot: store.slot(generatorName(cycle)),
    onCompletions: keeping(project, cycle),
  };
}

/** Trains the next version. @param last the measurement of the one that the cycle begins with */
export async function followVoice(project: Project, cycle: number, generator: LanguageModel, last: VoiceReport) {
  const name = generatorName(cycle);
  const untrained = await mustHaveUntrained(project);
  return during(project, 'grpo', cycle, name, (inside) =>
    trainVoice({
      ...pairOptions(project, cycle, generator),
      untrained,
      before: last.version,
      text: last.text,
      env: inside,
    }),
  );
}
