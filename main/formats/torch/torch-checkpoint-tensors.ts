/** Reads a PyTorch checkpoint: a zip archive with a pickle of objects, and the numbers of tensors. */
import { elements } from '../../../shared/architectures/index.js';
import { bytesPerNumber, decodeNumbers, type NumberFormat } from '../number-formats.js';
import { MAX_PICKLE, type PickleValue, readPickle } from '../pickle/pickle.js';
import { bytesAt, firstBytes, type ByteSource } from '../byte-source.js';
import { shorten } from '../shorten.js';
import { type StorageReference, type TensorReference, torchRules } from './torch-checkpoint-pickle.js';
import type { ZipArchive, ZipEntry } from '../zip.js';
import { damaged, openTorchZip } from './torch-checkpoint-zip.js';

/** Types of weights; the others are for counters and the like. */
const readable: readonly NumberFormat[] = ['F32', 'F16', 'BF16'];
/** Tensors may be views of the same numbers, as a tied output layer is; so often is each number read at most, on average. */
const MAX_SHARE = 3;

export interface TorchFile {
  readonly value: PickleValue;
  /** A tensor's numbers in row-major order, in memory of their own. @throws UserError `file_damaged` */
  read(tensor: TensorReference, name: string): Float32Array;
}

/** @throws UserError `file_damaged` when it is not a checkpoint, or holds what could run code; nothing is run */
export function openTorchFile(source: ByteSource, what: string): TorchFile {
  refuseOtherFormats(source, what);
  const zip = openTorchZip(source, what);
  const pickles = [...zip.entries.values()].filter(({ name }) => /^[^/]+\/data\.pkl$/.test(name));
  const [pickle] = pickles;
  if (pickle === undefined || pickles.length > 1) throw damaged(what, 'it has no data.pkl, or more than one');
  const folder = pickle.name.slice(0, -'data.pkl'.length);
  checkByteOrder(zip, folder, what);
  if (pickle.size > MAX_PICKLE) throw damaged(what, `its data.pkl is larger than ${MAX_PICKLE} bytes`);
  const verified = new Set<ZipEntry>();
  let readSoFar = 0;

  function findStorage({ format, key, count }: StorageReference): ZipEntry {
    const entry = zip.entries.get(`${folder}data/${key}`);
    const part = `data/${shorten(key)}`;
    if (entry === undefined) throw damaged(what, `${part} is missing`);
    if (entry.size !== count * bytesPerNumber[format]) {
      throw damaged(what, `${part} has ${entry.size} bytes instead of ${count * bytesPerNumber[format]}`);
    }
    if (!verified.has(entry)) zip.verify(entry);
    verified.add(entry);
    return entry;
  }

  return {
    value: readPickle(zip.read(pickle), torchRules(what)),
    read(tensor, name) {
      const { storage, offset, shape, strides } = tensor;
      if (!readable.includes(storage.format)) {
        throw damaged(what, `tensor ${name} is ${storage.format}; ${readable.join(', ')} can be read`);
      }
      const entry = findStorage(storage);
      if (!isRowMajor(shape, strides)) {
        throw damaged(what, `tensor ${name} is not contiguous; save it with .contiguous()`);
      }
      const count = elements(shape);
      if (offset + count > storage.count) {
        throw damaged(what, `tensor ${name} [${shape.join(', ')}] does not fit the numbers stored for it`);
      }
      const size = bytesPerNumber[storage.format];
      readSoFar += count * size;
      if (readSoFar > MAX_SHARE * source.byteLength) {
        throw damaged(
          what,
          'many of its tensors are the same numbers, which takes more memory than such a file should',
        );
      }
      const { buffer } = bytesAt(source, entry.begin + offset * size, count * size);
      const data = decodeNumbers(storage.format, buffer);
      if (data === null) throw damaged(what, `tensor ${name} holds numbers that float32 cannot`);
      return data;
    },
  };
}

/** PyTorch before 1.6 wrote pickles one after the other; what such a file holds is not looked at. */
function refuseOtherFormats(source: ByteSource, what: string): void {
  const [first, second] = firstBytes(source, 2);
  if (first === 0x80) {
    throw damaged(what, 'it has the format of PyTorch before 1.6; load it in PyTorch and save it again');
  }
  if (first !== 0x50 || second !== 0x4b) throw damaged(what, 'it is not a zip archive, which torch.save makes');
}

function checkByteOrder(zip: ZipArchive, folder: string, what: string): void {
  const entry = zip.entries.get(`${folder}byteorder`);
  if (entry === undefined) return; // before PyTorch 2.1: from a little-endian machine, as all in use are
  const order = entry.size <= 16 ? new TextDecoder().decode(zip.read(entry)) : '';
  if (order !== 'little') throw damaged(what, `its byte order is ${JSON.stringify(order)}, not "little"`);
}

function isRowMajor(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] ?? 1;
    if (size > 1 && strides[axis] !== expected) return false;
    expected *= size;
  }
  return true;
}
