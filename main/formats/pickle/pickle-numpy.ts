/**
 * NumPy's scalars in a pickle: a number or text that went through NumPy before it was pickled, such as the vocabulary
 * of `np.unique` or a loss. In a pickle each is a call, `scalar(dtype, bytes)`; here the bytes are simply read.
 */
import { halfToNumber } from '../number-formats.js';
import { narrow } from './pickle-bytes.js';
import { PickleGlobal, PickleObject, type PickleValue } from './pickle-values.js';

/** A type code such as `i8` or `U1`, and the byte order that its state adds. */
class NumpyType extends PickleObject {
  private littleEndian = true;

  constructor(
    private readonly kind: string,
    private readonly size: number,
  ) {
    super();
  }

  /** (version, byte order, subtype, names, fields, item size, alignment, flags) */
  override build(state: PickleValue): boolean {
    if (!Array.isArray(state)) return false;
    const [, order, subtype, names, fields] = state;
    if (order !== '<' && order !== '>' && order !== '|') return false;
    this.littleEndian = order !== '>';
    return subtype === null && names === null && fields === null;
  }

  read(bytes: Uint8Array): PickleValue | null {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { kind, size, littleEndian } = this;
    if (kind === 'U') return size * 4 === bytes.length ? readText(view, littleEndian) : null;
    const get = size === bytes.length ? getters[`${kind}${size}`] : undefined;
    const value = get?.(view, littleEndian) ?? null;
    return typeof value === 'bigint' ? narrow(value) : value;
  }
}

type Getter = (view: DataView, littleEndian: boolean) => number | bigint | boolean;

const getters: Readonly<Record<string, Getter>> = {
  b1: (view) => view.getUint8(0) !== 0,
  i1: (view) => view.getInt8(0),
  i2: (view, little) => view.getInt16(0, little),
  i4: (view, little) => view.getInt32(0, little),
  i8: (view, little) => view.getBigInt64(0, little),
  u1: (view) => view.getUint8(0),
  u2: (view, little) => view.getUint16(0, little),
  u4: (view, little) => view.getUint32(0, little),
  u8: (view, little) => view.getBigUint64(0, little),
  f2: (view, little) => halfToNumber(view.getUint16(0, little)),
  f4: (view, little) => view.getFloat32(0, little),
  f8: (view, little) => view.getFloat64(0, little),
};

/** UTF-32, without the zeros that NumPy pads with. */
function readText(view: DataView, littleEndian: boolean): string | null {
  const codes = Array.from({ length: view.byteLength / 4 }, (_, i) => view.getUint32(4 * i, littleEndian));
  while (codes.at(-1) === 0) codes.pop();
  const isText = codes.every((code) => code <= 0x10ffff && (code & ~0x7ff) !== 0xd800);
  return isText ? codes.map((code) => String.fromCodePoint(code)).join('') : null;
}

function makeType([code]: readonly PickleValue[]): PickleValue | null {
  const [, kind, size] = (typeof code === 'string' && /^([biufU])(\d{1,4})$/.exec(code)) || [];
  return kind === undefined ? null : new NumpyType(kind, Number(size));
}

function makeScalar([type, bytes]: readonly PickleValue[]): PickleValue | null {
  return type instanceof NumpyType && bytes instanceof Uint8Array ? type.read(bytes) : null;
}

/** How protocols below 3 spell bytes: `_codecs.encode(text, 'latin1')`. */
function makeBytes([text, encoding]: readonly PickleValue[]): PickleValue | null {
  if (typeof text !== 'string' || encoding !== 'latin1') return null;
  const bytes = Uint8Array.from(text, (letter) => Math.min(letter.charCodeAt(0), 0x100));
  return Array.from(text).every((letter) => letter.charCodeAt(0) < 0x100) ? bytes : null;
}

/** How they spell empty bytes: `bytes()`. */
const makeNothing = (args: readonly PickleValue[]): PickleValue | null =>
  args.length === 0 ? new Uint8Array(0) : null;

/** The names that NumPy's scalars are made of, for the rules of a format. */
export const numpyGlobals: ReadonlyMap<string, PickleGlobal> = new Map(
  (
    [
      ['numpy.core.multiarray.scalar', makeScalar],
      ['numpy._core.multiarray.scalar', makeScalar],
      ['numpy.dtype', makeType],
      ['_codecs.encode', makeBytes],
      ['__builtin__.bytes', makeNothing],
      ['builtins.bytes', makeNothing],
    ] as const
  ).map(([name, make]) => [name, new PickleGlobal(name, make)]),
);
