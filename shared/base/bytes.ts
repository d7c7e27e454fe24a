/** Arrays of numbers end to end. */

/** @param create an array of so many elements */
export function concatArrays<A extends Uint8Array | Uint16Array | Uint32Array | Float32Array>(
  parts: readonly ArrayLike<number>[],
  create: (length: number) => A,
): A {
  const whole = create(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const concatBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  concatArrays(parts, (length) => new Uint8Array(length));
