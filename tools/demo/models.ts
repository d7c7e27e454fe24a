/** The demonstration's models to begin from: the catalogue on a machine of middling size, one of them here already. */
import { parameterCount } from '../../shared/architectures/index.js';
import { catalogue, downloadSize } from '../../shared/models/catalogue.js';
import type { ModelEntry, ModelOffer } from '../../shared/contract/models.js';
import { localized } from '../../shared/messages/message.js';
import { stopped } from '../../shared/errors.js';
import type { TopicMessage, TopicName } from '../../shared/contract/topics.js';
import { beginningMemory } from '../../shared/phases/estimate.js';
import { trainingFlops } from '../../shared/costs/network.js';
import { DemoFault, type DemoHandlers } from './transport.js';

const MEMORY = 33.6e9;
const DISK = 212e9;
/** Operations a second in training. */
const SPEED = 200e9;
const PLACE = '~/.cache/verisim/models';

const entries = (): ModelEntry[] =>
  catalogue.map((known, index) => {
    const model = { ...known.model, block_size: 128 };
    const memory = beginningMemory(model);
    const { title, languages, instructed, licence, gated } = known;
    const size = downloadSize(known);
    return {
      title,
      languages: [...languages],
      instructed,
      licence,
      gated,
      id: known.name,
      source: 'catalogue',
      init_from: known.name,
      parameters: parameterCount(model),
      vocabulary: model.vocab_size,
      context: model.llama?.max_positions ?? null,
      state: index === 0 ? 'present' : 'absent',
      size,
      here: index === 0 ? size : 0,
      needs: [{ tune: 'full', memory, fits: memory < MEMORY, tokens_per_second: SPEED / trainingFlops(model) }],
    };
  });

/** One that is in no list: what a person asks for by its name, which the list has once it is here. */
const unlisted = (first: ModelEntry): ModelEntry => ({
  ...first,
  id: 'someone/Fable-0.1B',
  title: 'someone/Fable-0.1B',
  source: 'hub',
  init_from: 'someone/Fable-0.1B',
  state: 'absent',
  here: 0,
});

type Channels = 'models.list' | 'models.describe' | 'models.fetch' | 'models.remove';

export function createDemoModels(
  publish: <T extends TopicName>(topic: T, message: TopicMessage<T>) => void,
): Pick<DemoHandlers, Channels> {
  let models = entries();
  const others = models.slice(0, 1).map(unlisted);
  const find = (id: string): ModelEntry => {
    const found = [...models, ...others].find((entry) => entry.id === id);
    if (found) return found;
    throw new DemoFault({
      code: 'file_not_found',
      message: localized('hub.there_no_model_hub_private', { model: id }),
      hint: localized('hub.check_name_there_no_file'),
    });
  };
  const change = (id: string, changes: Partial<ModelEntry>) => {
    if (!models.some((entry) => entry.id === id)) models = [...models, find(id)];
    models = models.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry));
    publish('models.changed', {});
    return find(id);
  };
  return {
    'models.list': () => ({ models, place: PLACE, disk_free: DISK, memory: MEMORY }),
    'models.describe': ({ id }): ModelOffer => {
      const { licence, gated, size, here } = find(id);
      const files = [{ name: 'model.safetensors', size }];
      return {
        id,
        licence,
        gated,
        files,
        size,
        architecture: 'llama',
        commit: '93efa2f097d58c2a74874c7e644dbc9b0cee75a2',
        missing: size - here,
        disk_free: DISK,
        place: PLACE,
      };
    },
    'models.fetch': async ({ id }, call) => {
      const { size, here } = find(id);
      change(id, { state: 'fetching' });
      const STEPS = 8;
      for (let step = 0; step <= STEPS; step++) {
        if (call.cancelled()) {
          change(id, { state: 'partial', here: here + ((size - here) * step) / STEPS });
          throw new DemoFault(stopped);
        }
        const done = here + ((size - here) * step) / STEPS;
        const rate = (size - here) / STEPS / 0.4;
        call.progress({ done, total: size, rate, seconds_left: (size - done) / rate, detail: null });
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      return change(id, { state: 'present', here: size });
    },
    'models.remove': ({ id }) => {
      change(id, { state: 'absent', here: 0 });
      return {};
    },
  };
}
