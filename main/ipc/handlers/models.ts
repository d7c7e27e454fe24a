/** Models that a project can begin from. */
import { UserError } from '../../../shared/errors.js';
import type { modelChannels } from '../../../shared/contract/models.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function modelHandlers({ models }: Services): Handlers<Named<typeof modelChannels>> {
  const notYet = () => {
    throw new UserError({
      code: 'unsupported',
      message: 'Models cannot be fetched yet.',
      hint: 'Choose a folder or a GGUF file.',
    });
  };
  return {
    'models.list': () => models.list(),
    'models.describe': notYet,
    'models.fetch': notYet,
    'models.remove'({ id }) {
      models.remove(id);
      return {};
    },
  };
}
