/** Numbers as checkpoint files store them, little-endian, to float32 without changing their value. */

/** Bytes of one number, by the names that safetensors gives the types. */
export const bytesPerNumber = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
} as const;
export type NumberFormat = keyof typeof bytesPerNumber;
export const numberFormats = Object.keys(bytesPerNumber) as readonly NumberFormat[];

const decoders = { F32: (buffer: ArrayBuffer) => new Float32Array(buffer), BF16: bfloat16s, F16: halves } as const;

export const isWeightFormat = (format: NumberFormat): format is keyof typeof decoders =>
  Object.hasOwn(decoders, format);

/** Converts numbers to float32 exactly. */
export const decodeNumbers = (format: keyof typeof decoders, buffer: ArrayBuffer): Float32Array =>
  decoders[format](buffer);

function bfloat16s(buffer: ArrayBuffer): Float32Array {
  const bits = new Uint16Array(buffer);
  const result = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) result[i] = (bits[i] ?? 0) << 16;
  return new Float32Array(result.buffer);
}

/** Every float16 by its bits, made on first use: a look-up is several times faster than computing. */
export const everyHalf = (): Float32Array =>
  (halfTable ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => halfToNumber(bits)));
let halfTable: Float32Array | undefined;

function halves(buffer: ArrayBuffer): Float32Array {
  const table = everyHalf();
  const bits = new Uint16Array(buffer);
  const result = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) result[i] = table[bits[i] ?? 0] ?? NaN;
  return result;
}

/** IEEE 754 binary16: 1 bit sign, 5 bits exponent, 10 bits fraction. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The nearest binary16, ties to even; beyond its largest number, infinity. (IEEE 754, 4.3.1.) */
export function numberToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // Below 2^-14 the numbers are 2^-24 apart; above, 2^-10 of the power of two below.
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const steps = evenRounded(size / 2 ** (exponent - 10));
  // A carry into the next power of two is a carry into the exponent's bits, so adding is right in every case.
  return sign | (((exponent + 14) << 10) + steps);
}

/** The same of many numbers: those within the usual range by their bits, ten times as fast. */
export function numbersToHalves(values: Float32Array): Uint16Array<ArrayBuffer> {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const result = new Uint16Array(values.length);
  for (let i = 0; i < bits.length; i++) {
    const all = bits[i] ?? 0;
    const exponent = (all >>> 23) & 0xff;
    if (exponent < 113 || exponent > 141) result[i] = numberToHalf(values[i] ?? 0);
    else {
      const half = ((all >>> 16) & 0x8000) | (((all & 0x7fffffff) - 0x38000000) >>> 13);
      const rest = all & 0x1fff;
      result[i] = half + (rest > 0x1000 || (rest === 0x1000 && half % 2 === 1) ? 1 : 0);
    }
  }
  return result;
}

/** To the nearest whole number, ties to even. */
function evenRounded(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
