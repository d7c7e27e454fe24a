/** A cycle that follows the author's voice: measures how a version sounds, and trains the next one (../voice). */
import type { VoiceReport } from '../../../shared/reports/report.js';
import { passageShape, VOICE_CLASSIFIERS, voicePassages } from '../../../shared/config/voice.js';
import { heldOutTokens } from '../../../shared/costs/held-out.js';
import { localized } from '../../../shared/messages/message.js';
import { adaptersOff, createSharedParameters } from '../model/adapters.js';
import { createParameters } from '../model/model.js';
import { streams } from '../rng.js';
import { withSession } from '../runtime/session.js';
import type { Session } from '../runtime/types.js';
import { createCopyIndex, shortCopyLength } from '../statistics/text-statistics.js';
import { createProgress } from '../train/progress.js';
import type { Environment, LanguageModel, TokenIds } from '../types.js';
import {
  continuationsOf,
  continued,
  createReader,
  logRatiosOf,
  spreadPassages,
  type Continued,
} from '../voice/passages.js';
import { trainVoice } from '../voice/voice.js';
import { countsOf, figuresOf, trainEar, voiceShares } from '../voice/yardsticks.js';
import { during } from './cycle-phase.js';
import { cycleSeed, generatorName, keeping, type Project, type VoiceTexts } from './cycle-types.js';

/** The places in the noise of the untrained model's passages and of a version's. */
const FIRST = { untrained: 0, version: 2 ** 20 } as const;

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
    // All at once: large batches are cheaper (../voice/passages.ts).
    const rows = Math.max(counts.version, counts.classifiers + counts.floor);
    const drawing = { rows, vocabLimit: tokens.vocabSize, excluded: tokens.special, env };
    const measured = spreadPassages(tokens.val, counts.version, shape);
    const heard = spreadPassages(tokens.train, VOICE_CLASSIFIERS * counts.classifiers, shape);
    const isRead = (at: number, all: number) => Math.floor((at * counts.version) / all) % 2 === 0;
    const read = <T extends TokenIds | Float32Array>(rows: T) => rows.filter((_, at) => isRead(at, rows.length)) as T;
    const textsOf = (ids: TokenIds) => continuationsOf(ids, shape).map((passage) => tokens.decode(passage));

    async function written(writer: LanguageModel, from: TokenIds, first: number) {
      const noise = { seed: config.seed, stream: streams.voiceGeneration, first };
      const all = await continued(writer, from, noise, drawing);
      progress.update((done += from.length / shape.length), localized('evaluation.progress.voice'));
      return all;
    }

    async function untrainedTexts(): Promise<VoiceTexts> {
      const [classifiers, floor] = [
        spreadPassages(tokens.train, counts.classifiers, shape),
        spreadPassages(tokens.val, counts.floor, shape),
      ];
      const all = Uint32Array.of(...classifiers, ...floor);
      const texts = textsOf((await written(untrained, all, FIRST.untrained)).ids);
      return { classifiers: texts.slice(0, counts.classifiers), floor: texts.slice(counts.classifiers) };
    }

    const texts = stored ?? (await untrainedTexts());
    if (!stored) await store.saveVoice?.(texts);
    const passages = await written(generator, measured, FIRST.version);
    const known = first ?? before;
    const some = { ids: read(passages.ids), logProbs: read(passages.logProbs) };
    const ratios = await ratiosOf([generator, untrained], some, known ? null : read(measured), env);
    const ear = trainEar(textsOf(heard), texts.classifiers);
    const copies = createCopyIndex(tokens.train);
    const countsIn = (ids: TokenIds) => countsOf(continuationsOf(ids, shape), copies, shortCopyLength[tokens.method]);
    const own = textsOf(measured);
    const figures = (ids: TokenIds, logRatios: Float32Array, natural?: readonly string[]) =>
      figuresOf({ ear, texts: textsOf(ids), counts: countsIn(ids), logRatios, ...(natural ? { own: natural } : {}) });
    return {
      version: figures(passages.ids, ratios.version, own),
      before: before?.version ?? null,
      text: known?.text ?? figures(measured, ratios.text ?? new Float32Array()),
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
  return withSession(env.runtime, async (session) => {
    const [own, other] = tunedAndUntrained(session, version, untrained);
    const shape = passageShape(version.model);
    const read = createReader(session, [other], env);
    const ofText = text && { ids: text, logProbs: await createReader(session, [own], env)(text) };
    return {
      version: await logRatiosOf(written, read, shape),
      text: ofText && (await logRatiosOf(ofText, read, shape)),
    };
  });
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
  const untrained = await mustHaveUntrained(project);
  const levels = { before: last.version, text: last.text };
  return during(project, 'grpo', cycle, generatorName(cycle), (env) =>
    trainVoice({ ...pairOptions(project, cycle, generator), untrained, ...levels, env }),
  );
}
