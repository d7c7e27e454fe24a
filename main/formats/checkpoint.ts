/** Encodes and decodes a checkpoint: weights.safetensors, optimizer.safetensors, state.json. Equal checkpoints give equal bytes. */
import { localized } from '../../shared/messages/message.js';
import { UserError } from '../../shared/errors.js';
import { parseBoundedJson } from './bounded-json.js';
import { bytesAt, type ByteSource } from './byte-source.js';
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
  if (source === null) throw damaged(`${name} is missing`);
  return source;
}

/** @throws UserError `file_damaged`; `checkpoint` when a newer version of Verisim wrote it */
export function decodeState(source: ByteSource): State {
  if (source.byteLength > MAX_STATE) throw damaged(`${stateFile} is larger than ${MAX_STATE} bytes`);
  const bytes = bytesAt(source, 0, source.byteLength);
  let state: Json;
  try {
    state = parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch (error) {
    throw damaged(`${stateFile} is not JSON`, { cause: error });
  }
  if (typeof state !== 'object' || state === null || !('format_version' in state)) {
    throw damaged(`${stateFile} has no format_version`);
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
    if (found === undefined) throw doesNotFit(`tensor ${name} [${shape.join(', ')}] is missing`);
    if (String(found.shape) !== String(shape)) {
      throw doesNotFit(
        `tensor ${name} has shape [${shorten(found.shape.join(', '))}], the model needs [${shape.join(', ')}]`,
      );
    }
  }
  const unknown = Object.keys(weights).find((name) => !Object.hasOwn(expected, name));
  if (unknown !== undefined) throw doesNotFit(`the model has no tensor ${shorten(unknown)}`);
}

function doesNotFit(why: string): UserError {
  return new UserError({
    code: 'checkpoint',
    message: localized('formats.checkpoint_does_fit_model', { why }),
    hint: localized('formats.use_model_shape_n_layer'),
  });
}

function damaged(message: string, options?: ErrorOptions): UserError {
  return new UserError(
    { code: 'file_damaged', message, hint: localized('formats.use_another_copy_checkpoint_train') },
    options,
  );
}
