/** Declares the types of GGUF metadata and the forms of its numbers. (ggml's docs/gguf.md and ggml-common.h) */

/** Forms by their numbers in files: numbers and bytes of a block. */
export const tensorForms = {
  0: { name: 'F32', blockSize: 1, blockBytes: 4 },
  1: { name: 'F16', blockSize: 1, blockBytes: 2 },
  2: { name: 'Q4_0', blockSize: 32, blockBytes: 18 },
  3: { name: 'Q4_1', blockSize: 32, blockBytes: 20 },
  6: { name: 'Q5_0', blockSize: 32, blockBytes: 22 },
  7: { name: 'Q5_1', blockSize: 32, blockBytes: 24 },
  8: { name: 'Q8_0', blockSize: 32, blockBytes: 34 },
  12: { name: 'Q4_K', blockSize: 256, blockBytes: 144 },
  13: { name: 'Q5_K', blockSize: 256, blockBytes: 176 },
  14: { name: 'Q6_K', blockSize: 256, blockBytes: 210 },
  30: { name: 'BF16', blockSize: 1, blockBytes: 2 },
} as const;

export type TensorForm = (typeof tensorForms)[keyof typeof tensorForms];
export type TensorFormName = TensorForm['name'];

export const formNamed = (name: TensorFormName): TensorForm =>
  Object.values(tensorForms).find((form) => form.name === name) as TensorForm;

export const readableForms: readonly TensorFormName[] = Object.values(tensorForms).map(({ name }) => name);

export const valueTypes = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
  i64: 11,
  f64: 12,
} as const;

/** A piece of metadata; whole numbers of 64 bits are rounded to a JavaScript number. */
export type GgufValue = number | boolean | string | readonly string[] | Float64Array;
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

export const USUAL_ALIGNMENT = 32;
export const ALIGNMENT_KEY = 'general.alignment';

/** The bytes "GGUF" as a little-endian number. */
export const MAGIC = 0x46554747;

/** Types of tokens, as llama.cpp numbers them. */
export const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;
