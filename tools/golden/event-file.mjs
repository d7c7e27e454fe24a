// Reads TensorBoard's event files as text: every record has the time in it, and so has its checksum.
// References: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto, RFC 3720 appendix B.4 (CRC-32C).
import { ruledValue } from './normalise.mjs';

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1;
  return sum;
});

/** CRC-32C as TensorFlow stores it. @param {Uint8Array} bytes */
export function maskedSum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ Number(table[(sum ^ byte) & 0xff]);
  sum = ~sum >>> 0;
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

/** @param {string} path */
export const isEventFile = (path) => /(^|\/)events\.out\.tfevents\.[^/]*$/.test(path);

/**
 * @param {Uint8Array} file
 * @returns {string} a line for each field of each record
 */
export function eventFileText(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const lines = [];
  for (let at = 0; at + 16 <= file.length;) {
    const length = Number(view.getBigUint64(at, true));
    const bytes = file.subarray(at + 12, at + 12 + length);
    const right =
      view.getUint32(at + 8, true) === maskedSum(file.subarray(at, at + 8)) &&
      view.getUint32(at + 12 + length, true) === maskedSum(bytes);
    lines.push(`record, checksums ${right ? 'right' : 'WRONG'}`, ...eventLines(bytes));
    at += 16 + length;
  }
  return `${lines.join('\n')}\n`;
}

/** @param {Uint8Array} bytes an Event */
function eventLines(bytes) {
  return fields(bytes).flatMap(({ number, value }) => {
    if (number === 1) return ['  time'];
    if (number !== 5)
      return [`  field ${number}: ${typeof value === 'number' ? value : new TextDecoder().decode(value)}`];
    return fields(bytesOf(value)).map(({ value: scalar }) => `  ${scalarLine(bytesOf(scalar))}`);
  });
}

/** @param {Uint8Array} bytes a Summary.Value */
function scalarLine(bytes) {
  const [tag, number] = fields(bytes);
  const name = new TextDecoder().decode(bytesOf(tag?.value));
  return `${name} = ${String(ruledValue([name], number?.value) ?? number?.value)}`;
}

/** @param {number | Uint8Array | undefined} value */
const bytesOf = (value) => (value instanceof Uint8Array ? value : new Uint8Array());

/**
 * The fields of a message in protobuf's wire format.
 * @param {Uint8Array} bytes
 * @returns {{ number: number, value: number | Uint8Array }[]}
 */
function fields(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; at < bytes.length; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const key = varint();
    const [number, wire] = [key >>> 3, key & 7];
    if (wire === 0) found.push({ number, value: varint() });
    else if (wire === 1) {
      found.push({ number, value: view.getFloat64(at, true) });
      at += 8;
    } else if (wire === 5) {
      found.push({ number, value: view.getFloat32(at, true) });
      at += 4;
    } else {
      const length = varint();
      found.push({ number, value: bytes.subarray(at, at + length) });
      at += length;
    }
  }
  return found;
}
