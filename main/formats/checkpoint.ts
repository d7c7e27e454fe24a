/** Encodes and decodes a checkpoint: weights.safetensors, optimizer.safetensors, state.json. Equal checkpoints give equal bytes. */
import { bytes, localized, type Message } from '../../shared/messages/message.js';
import { UserError } from '../../shared/errors.js';
import { parseBoundedJson } from './bounded-json.js';
import { bytesAt, type ByteSource } from './byte-source.js';
import { damaged } from './faults.js';
import { decodeSafetensors, encodeSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';
import { stableJson } from './stable-json.js';
import type { Checkpoint, Json } from '../engine/types.js';

const weightsFile = 'weights.safetensors';
const optimizerFile = 'optimizer.safetensors';
export const stateFile = 'state.json';

/** Raised when a file's meaning changes; readers refuse what is newer than they are. */
const formatVersion = 1;

type State = Checkpoint['state'];

/** Ten times the largest alphabet that a model can have. */
const MAX_STATE = 1 << 23;

export function encodeCheckpoint(checkpoint: Checkpoint): Readonly<Record<string, Iterable<Uint8Array>>> {
  const state = stableJson({ ...checkpoint.state, format_version: formatVersion }, 2);
  return {
    [weightsFile]: encodeSafetensors(checkpoint.weights),
    ...(checkpoint.optimizer && { [optimizerFile]: encodeSafetensors(checkpoint.optimizer) }),
    [stateFile]: [new TextEncoder().encode(`${state}\n`)],
  };
}

/** @param onDemandFrom weights of so many bytes or more are read at each use. @throws UserError `file_damaged`; `checkpoint` of a newer version */
export function decodeCheckpoint(open: (name: string) => ByteSource | null, onDemandFrom = Infinity): Checkpoint {
  const state = decodeState(required(open, stateFile));
  const numbers = required(open, weightsFile);
  const weights = decodeSafetensors(numbers, weightsFile, numbers.byteLength >= onDemandFrom).arrays;
  const moments = open(optimizerFile);
  if (moments === null) return { weights, state };
  return { weights, optimizer: decodeSafetensors(moments, optimizerFile).arrays, state };
}

function required(open: (name: string) => ByteSource | null, name: string): ByteSource {
  const source = open(name);
  if (source === null) throw damaged(name, localized('damage.fileMissing'));
  return source;
}

/** @throws UserError `file_damaged`; `checkpoint` when a newer version of Verisim wrote it */
export function decodeState(source: ByteSource): State {
  if (source.byteLength > MAX_STATE) throw damaged(stateFile, localized('damage.tooLarge', { most: bytes(MAX_STATE) }));
  // Outside of the try: an unreadable disk is not damage.
  const text = bytesAt(source, 0, source.byteLength);
  let state: Json;
  try {
    state = parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(text)) as Json;
  } catch (error) {
    throw damaged(stateFile, localized('damage.json'), { cause: error });
  }
  if (typeof state !== 'object' || state === null || !('format_version' in state)) {
    throw damaged(stateFile, localized('damage.missing', { name: 'format_version' }));
  }
  const { format_version, ...rest } = state;
  if (format_version !== formatVersion) {
    throw new UserError({
      code: 'checkpoint',
      message: localized('formats.format_version_verisim_reads', {
        stateFile,
        shorten: shorten(JSON.stringify(format_version)),
        formatVersion,
      }),
      hint: localized('formats.written_another_version_verisim_open'),
    });
  }
  return rest;
}

/** Checks names and shapes of weights against those of a model. @throws UserError `checkpoint` naming the first that differs */
export function checkpointFitsModel(
  weights: Readonly<Record<string, { readonly shape: readonly number[] }>>,
  expected: Readonly<Record<string, readonly number[]>>,
): void {
  for (const [name, shape] of Object.entries(expected)) {
    const found = Object.hasOwn(weights, name) ? weights[name] : undefined;
    if (found === undefined) throw doesNotFit(localized('fit.missing', { name, shape: shape.join(', ') }));
    if (String(found.shape) !== String(shape)) {
      const shapes = { found: shorten(found.shape.join(', ')), shape: shape.join(', ') };
      throw doesNotFit(localized('fit.shape', { name, ...shapes }));
    }
  }
  const unknown = Object.keys(weights).find((name) => !Object.hasOwn(expected, name));
  if (unknown !== undefined) throw doesNotFit(localized('fit.unknown', { name: shorten(unknown) }));
}

const doesNotFit = (why: Message): UserError =>
  new UserError({
    code: 'checkpoint',
    message: localized('formats.checkpoint_does_fit_model', { why }),
    hint: localized('formats.use_model_shape_n_layer'),
  });
