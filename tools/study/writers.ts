/** What the studies write with: a project's versions and the model that it began with, after prompts of its text. */
import { adaptersOff } from '../../main/engine/model/adapters.js';
import { createParameters } from '../../main/engine/model/model.js';
import { streams } from '../../main/engine/rng.js';
import { withSession } from '../../main/engine/runtime/session.js';
import type { LanguageModel, TokenIds, TokenSource } from '../../main/engine/types.js';
import { passageShape } from '../../shared/config/voice.js';
import { artefactName } from '../../shared/phases/index.js';
import { createContinuer, spreadPassages } from '../../main/engine/voice/passages.js';
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
      { model, weights }: LanguageModel,
      tokens: TokenSource,
      { prompts, each = 1, seed }: { readonly prompts: number; readonly each?: number; readonly seed: number },
    ): Promise<TokenIds> {
      return withSession(env.runtime, async (session) => {
        const { vocabSize: vocabLimit, special: excluded } = text.tokenizer;
        const drawing = { rows: Math.min(ROWS, prompts * each), vocabLimit, excluded };
        const write = createContinuer(session, model, createParameters(session, weights), env, drawing);
        const noise = { seed, stream: streams.sample, first: 0 };
        const written = await write(spreadPassages(tokens, prompts, passageShape(model)), noise, each);
        return written?.ids ?? new Uint32Array();
      });
    },
  };
}
