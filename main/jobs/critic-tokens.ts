/**
 * A critic that begins from a model reads what the writer writes, so it needs the writer's tokens: a small writer from scratch
 * has a part of the critic's, and a model that could write before has all of those of a larger one of its family.
 */
import { localized } from '../../shared/messages/message.js';
import { initialModelPath } from '../../shared/config/init.js';
import { UserError } from '../../shared/errors.js';
import { placesIn } from '../storage/datasets/shared-tokens.js';
import type { Tokenization } from '../storage/projects/models.js';

interface Asked {
  readonly init_from?: string | undefined;
  readonly critic_from?: string | undefined;
}

/**
 * Where each of the writer's tokens stands in the critic's vocabulary.
 * @param own the writer's
 * @param rows of the writer's embedding: a model may have room for more tokens than its tokenizer has
 * @param total rows of the critic's
 * @throws UserError `tokenization_mismatch` where the critic lacks one
 */
export function criticPlaces(
  asked: Asked,
  critic: Tokenization,
  own: Tokenization,
  { rows, total }: { readonly rows: number; readonly total: number },
): readonly number[] {
  const places = [...placesOf(asked, critic, own)];
  // What no text has: any row does that is none of a token.
  while (places.length < rows) places.push(Math.min(places.length, total - 1));
  return places;
}

/** @throws UserError `tokenization_mismatch` where the critic lacks one of the writer's tokens */
export function mustShareTokens(asked: Asked, critic: Tokenization, own: Tokenization): void {
  placesOf(asked, critic, own);
}

function placesOf(asked: Asked, critic: Tokenization, own: Tokenization): readonly number[] {
  if (critic.method !== own.method) throw otherTokens(asked);
  const [whole, part] = [critic.tokenizerPath, own.tokenizerPath];
  if (own.method === 'pretrained' && whole !== undefined && part !== undefined) {
    const { places, missing } = placesIn(whole, part);
    if (missing !== undefined) throw otherTokens(asked, missing);
    return places;
  }
  const strange = own.chars?.find((character, id) => critic.chars?.[id] !== character);
  if (strange !== undefined || own.vocab_size !== critic.vocab_size) throw otherTokens(asked, strange);
  return Array.from({ length: own.vocab_size }, (_, id) => id);
}

function otherTokens(asked: Asked, token?: string): UserError {
  const example = token === undefined ? '' : `, such as ${JSON.stringify(token)}`;
  const model = asked.critic_from ?? '';
  return new UserError({
    code: 'tokenization_mismatch',
    message: localized('critic.other_tokens', { model, example }),
    hint: initialModelPath(asked) === null ? localized('critic.use_shared') : localized('critic.same_family'),
    field: 'critic_from',
  });
}
