/** Writes TensorBoard event files. (tensorflow: record_writer.h, event.proto, summary.proto; CRC-32C: RFC 3720 B.4) */
import * as os from 'node:os';
import * as path from 'node:path';
import { concatBytes } from '../../../shared/base/bytes.js';
import { type Bytes, double, float, int, message, text } from '../../engine/runtime/protobuf.js';
import { crc32c } from '../../formats/crc32.js';
import { ensureFolder } from '../disk/atomic.js';
import { writeAll } from '../disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { nodeFileOperations as ops } from '../disk/file-operations.js';

type Values = Readonly<Record<string, number | null>>;

/** Starts an event file; TensorBoard prefers the later file for steps that two have, as after a resume. */
export function createEventFile(folder: string, milliseconds: number) {
  ensureFolder(folder);
  const seconds = Math.floor(milliseconds / 1000);
  const name = (count: number) =>
    path.join(folder, `events.out.tfevents.${seconds}.${os.hostname()}.${process.pid}.${count}`);
  let count = 0;
  while (ops.kind(name(count)) !== 'none') count += 1;
  const file = name(count);
  const handle = onFile(file, 'write', () => ops.open(file, 'wx'));
  const write = (event: Uint8Array) => onFile(file, 'write', () => writeAll(handle, record(event), ops));
  write(versionEvent(milliseconds));
  return {
    /** Adds numbers of one step; others are written as NaN. @throws UserError `disk_full`, `file_not_writable` */
    append: (step: number, values: Values, at: number) => write(scalarsEvent(step, values, at)),
    close: () => onFile(file, 'write', () => ops.close(handle)),
  };
}

/** Opens event files of several runs, a folder for each, created when a run logs its first number. */
export function createTensorboard(folder: string) {
  const files = new Map<string, ReturnType<typeof createEventFile>>();
  return {
    append(run: string, step: number, values: Values, milliseconds: number): void {
      const file = files.get(run) ?? createEventFile(path.join(folder, run), milliseconds);
      files.set(run, file);
      file.append(step, values, milliseconds);
    },
    close(): void {
      for (const file of files.values()) file.close();
      files.clear();
    },
  };
}

/** length (8 bytes), its masked CRC, the bytes, their masked CRC; all little-endian. */
export function record(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(bytes.length + 16);
  const view = new DataView(whole.buffer);
  view.setBigUint64(0, BigInt(bytes.length), true);
  view.setUint32(8, masked(crc32c(whole.subarray(0, 8))), true);
  whole.set(bytes, 12);
  view.setUint32(12 + bytes.length, masked(crc32c(bytes)), true);
  return whole;
}

/** A checksum of bytes that contain a checksum is weak, so TensorFlow masks it (crc32c.h). */
const masked = (sum: number): number => (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;

/** Event { double wall_time = 1; string file_version = 3 } */
const versionEvent = (milliseconds: number): Bytes =>
  concatBytes([double(1, milliseconds / 1000), text(3, 'brain.Event:2')]);

/** Event { double wall_time = 1; int64 step = 2; Summary { Value { string tag = 1; float simple_value = 2 } = 1 } = 5 } */
function scalarsEvent(step: number, values: Values, milliseconds: number): Bytes {
  const summary = Object.entries(values).map(([tag, value]) => message(1, [text(1, tag), float(2, value ?? NaN)]));
  return concatBytes([double(1, milliseconds / 1000), int(2, step), message(5, summary)]);
}
