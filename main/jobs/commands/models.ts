/** Lists the models to start from, downloads one, or removes one. */
import { parseHubName, type HubName } from '../../../shared/config/hub-name.js';
import { guessedSpeed } from '../../../shared/costs/work.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { plainJson } from '../../formats/stable-json.js';
import { hubFolder, hubModelAt, partOf, removeHubModel } from '../../storage/hub/hub-cache.js';
import { removeFetched } from '../../storage/hub/hub-fetch.js';
import { listModels } from '../machine/model-entries.js';
import { fetchNamedModel } from '../models.js';
import type { Job } from '../types.js';

interface ModelsSettings {
  readonly fetch?: string | undefined;
  readonly remove?: string | undefined;
}

export const modelsJob: Job<ModelsSettings> = async ({ fetch, remove }, context) => {
  if (remove !== undefined) {
    const name = nameOf(remove, 'remove');
    if (hubModelAt(name) === null && partOf(name) === null) {
      throw new UserError({
        code: 'file_not_found',
        message: localized('models.not_here', { name: remove }),
        hint: localized('models.see_list'),
        field: 'remove',
      });
    }
    await removeFetched(name, removeHubModel);
    return { removed: remove };
  }
  if (fetch !== undefined) {
    const name = nameOf(fetch, 'fetch');
    await fetchNamedModel(fetch, context);
    const model = hubModelAt(name);
    if (model !== null) return { fetched: fetch, place: model.path, commit: model.record.commit };
    throw new UserError({
      code: 'exists',
      message: localized('models.folder_of_that_name', { path: fetch }),
      hint: localized('models.run_elsewhere'),
      field: 'fetch',
    });
  }
  return { models: plainJson(listModels(guessedSpeed(null), new Map())), place: hubFolder() };
};

/** @throws UserError `bad_input` */
function nameOf(text: string, field: string): HubName {
  const name = parseHubName(text);
  if (name) return name;
  throw new UserError({
    code: 'bad_input',
    message: localized('models.invalid_name', { text }),
    hint: localized('models.name_form'),
    field,
  });
}
