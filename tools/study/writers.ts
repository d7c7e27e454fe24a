/** What the studies write with: a project's versions and the model that it began with, after prompts of its text. */
import { adaptersOff } from '../../main/engine/model/adapters.js';
import { streams } from '../../main/engine/rng.js';
import type { LanguageModel, TokenIds, TokenSource } from '../../main/engine/types.js';
import { passageShape } from '../../shared/config/voice.js';
import { artefactName } from '../../shared/phases/index.js';
import { continued, spreadPassages } from '../../main/engine/voice/passages.js';
import { openInitialModel } from '../../main/jobs/initial-models.js';
import { createRuntimeLoader } from '../../main/jobs/machine/runtime-loader.js';
import { openOrCreateProject } from '../../main/jobs/project/project.js';
import { environmentOf, type JobContext } from '../../main/jobs/types.js';
import { loadModel } from '../../main/storage/projects/models.js';

export const context: JobContext = {
  emit(event) {
    if (event.event === 'notice') process.stderr.write(`${event.code}\n`);
  },
  now: () => Date.now(),
  stop: { requested: false },
  yieldToEventLoop: () => new Promise((done) => setImmediate(done)),
  runtime: createRuntimeLoader({}, () => undefined),
};

const ROWS = 160;

export async function openWriters(folder: string) {
  const { config, text, project, close } = await openOrCreateProject({ folder, settings: null, given: {} }, context);
  const env = await environmentOf(context);
  const initial = await openInitialModel(config, context);
  return {
    text,
    close,
    env,
    untrained: initial && adaptersOff(initial),
    version(number: number): LanguageModel {
      const { config: shape, weights } = loadModel(project.paths.model(artefactName('base_model', number - 1)));
      return { model: shape, weights };
    },
    /** @returns passages (prompts · each) with their prompts, each of `passageShape` */
    async write(
      model: LanguageModel,
      tokens: TokenSource,
      { prompts, each = 1, seed }: { readonly prompts: number; readonly each?: number; readonly seed: number },
    ): Promise<TokenIds> {
      const { vocabSize: vocabLimit, special: excluded } = text.tokenizer;
      const drawing = { rows: Math.min(ROWS, prompts * each), vocabLimit, excluded, env };
      const noise = { seed, stream: streams.sample, first: 0 };
      const passages = spreadPassages(tokens, prompts, passageShape(model.model));
      return (await continued(model, passages, noise, drawing, each)).ids;
    },
  };
}
