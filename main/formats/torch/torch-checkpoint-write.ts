/**
 * A model as the checkpoint that nanoGPT's sample.py and the specification's scripts read with torch.load: a pickle of the weights'
 * names and shapes, the numbers beside it, in a zip archive. The same model always gives the same bytes.
 */
import { elements } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { encodeZip, littleEndian } from './torch-checkpoint-zip-write.js';
import type { NamedArrays } from '../../engine/types.js';

/** What nanoGPT keeps beside the weights. */
interface TorchFacts {
  readonly iter_num: number;
  readonly best_val_loss: number;
  /** Where nanoGPT looks for the characters: data/<dataset>/meta.pkl. */
  readonly dataset: string | null;
}

const HEAD = 'lm_head.weight';
const EMBEDDING = 'transformer.wte.weight';
const FOLDER = 'ckpt';

/** @returns the file's bytes in pieces; the numbers are views of the weights' own memory */
export function encodeTorchCheckpoint(config: GPTConfig, weights: NamedArrays, facts: TorchFacts): Uint8Array[] {
  const tensors = Object.entries(weights).map(([name, array], key) => ({ name, array, key: String(key) }));
  const embedding = tensors.find(({ name }) => name === EMBEDDING);
  // PyTorch sees one tensor under two names, as in nanoGPT.
  const tied = config.mode === 'generator' && embedding ? [{ ...embedding, name: HEAD }] : [];
  const pickle = new PickleWriter();
  pickle.dictionary([
    [
      'model',
      () =>
        pickle.ordered(
          [...tensors, ...tied].map(({ name, array, key }) => [name, () => pickle.tensor(key, array.shape)]),
        ),
    ],
    [
      'model_args',
      () =>
        pickle.dictionary(
          Object.entries(modelArguments(config)).map(([key, value]) => [key, () => pickle.scalar(value)]),
        ),
    ],
    ['iter_num', () => pickle.integer(facts.iter_num)],
    ['best_val_loss', () => pickle.float(facts.best_val_loss)],
    [
      'config',
      () => pickle.dictionary(facts.dataset === null ? [] : [['dataset', () => pickle.scalar(facts.dataset ?? '')]]),
    ],
  ]);
  const text = (value: string) => new TextEncoder().encode(value);
  return encodeZip([
    { name: `${FOLDER}/data.pkl`, bytes: pickle.finish() },
    { name: `${FOLDER}/byteorder`, bytes: text('little') },
    ...tensors.map(({ array: { data }, key }) => ({
      name: `${FOLDER}/data/${key}`,
      bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    })),
    { name: `${FOLDER}/version`, bytes: text('3\n') },
  ]);
}

/** nanoGPT's GPTConfig takes these and no others; the specification's takes two more. */
function modelArguments(config: GPTConfig): Record<string, number | boolean | string> {
  const { n_layer, n_head, n_embd, block_size, bias, vocab_size, dropout, mode, reward_head_hidden_dim } = config;
  const shape = { n_layer, n_head, n_embd, block_size, bias, vocab_size, dropout };
  return mode === 'reward' ? { ...shape, mode, reward_head_hidden_dim } : shape;
}

/** The instructions of pickle protocol 2 that torch.load knows with weights_only, its default. */
class PickleWriter {
  private readonly bytes: number[] = [0x80, 2]; // PROTO 2

  finish(): Uint8Array {
    return Uint8Array.from([...this.bytes, 0x2e]); // STOP
  }

  scalar(value: string | number | boolean): void {
    if (typeof value === 'boolean') this.bytes.push(value ? 0x88 : 0x89);
    else if (typeof value === 'string') this.text(value);
    else if (Number.isInteger(value)) this.integer(value);
    else this.float(value);
  }

  integer(value: number): void {
    if (value >= -(2 ** 31) && value < 2 ** 31) {
      this.bytes.push(0x4a, ...littleEndian(BigInt(value), 4)); // BININT
    } else {
      this.bytes.push(0x8a, 8, ...littleEndian(BigInt(value), 8)); // LONG1
    }
  }

  float(value: number): void {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value, false);
    this.bytes.push(0x47, ...new Uint8Array(view.buffer)); // BINFLOAT
  }

  dictionary(entries: readonly (readonly [string, () => void])[]): void {
    this.bytes.push(0x7d); // EMPTY_DICT
    this.setItems(entries);
  }

  ordered(entries: readonly (readonly [string, () => void])[]): void {
    this.call('collections', 'OrderedDict', () => this.bytes.push(0x29)); // EMPTY_TUPLE
    this.setItems(entries);
  }

  /** torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, backward_hooks) */
  tensor(key: string, shape: readonly number[]): void {
    const strides = shape.map((_, axis) => elements(shape.slice(axis + 1)));
    this.call('torch._utils', '_rebuild_tensor_v2', () => {
      this.tuple(() => {
        this.storage(key, elements(shape));
        this.integer(0);
        for (const counts of [shape, strides]) this.tuple(() => counts.forEach((count) => this.integer(count)));
        this.scalar(false);
        this.ordered([]);
      });
    });
  }

  private storage(key: string, count: number): void {
    this.tuple(() => {
      this.text('storage');
      this.global('torch', 'FloatStorage');
      this.text(key);
      this.text('cpu');
      this.integer(count);
    });
    this.bytes.push(0x51); // BINPERSID
  }

  private call(module: string, name: string, putArguments: () => void): void {
    this.global(module, name);
    putArguments();
    this.bytes.push(0x52); // REDUCE
  }

  private global(module: string, name: string): void {
    this.bytes.push(0x63, ...new TextEncoder().encode(`${module}\n${name}\n`)); // GLOBAL
  }

  private setItems(entries: readonly (readonly [string, () => void])[]): void {
    this.bytes.push(0x28); // MARK
    for (const [key, put] of entries) {
      this.text(key);
      put();
    }
    this.bytes.push(0x75); // SETITEMS
  }

  private tuple(putItems: () => void): void {
    this.bytes.push(0x28); // MARK
    putItems();
    this.bytes.push(0x74); // TUPLE
  }

  private text(value: string): void {
    const utf8 = new TextEncoder().encode(value);
    this.bytes.push(0x58, ...littleEndian(BigInt(utf8.length), 4), ...utf8); // BINUNICODE
  }
}
