// The icons of Windows and macOS, put together out of the PNG files of resources/icons: both formats are lists of such files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} root the checkout @param {number} size */
const png = (root, size) => readFileSync(join(root, `resources/icons/${String(size)}.png`));

/**
 * Windows' format: a directory of 16 bytes an image, then the images.
 * @param {string} root the checkout
 * @param {readonly number[]} [sizes]
 */
export function icoOf(root, sizes = [16, 24, 32, 48, 64, 128, 256]) {
  const images = sizes.map((size) => ({ size, bytes: png(root, size) }));
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach(({ size, bytes }, index) => {
    const at = 6 + 16 * index;
    // 256 is written as 0.
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(bytes.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += bytes.length;
  });
  return Buffer.concat([head, ...images.map(({ bytes }) => bytes)]);
}

/** macOS' names of the sizes, those of twice as fine screens among them. */
const appleTypes = { ic11: 32, ic12: 64, ic07: 128, ic13: 256, ic08: 256, ic14: 512, ic09: 512, ic10: 1024 };

/**
 * macOS' format: four letters, a length, a PNG file, and again.
 * @param {string} root the checkout
 */
export function icnsOf(root) {
  const parts = Object.entries(appleTypes).map(([type, size]) => {
    const bytes = png(root, size);
    const head = Buffer.alloc(8);
    head.write(type, 0, 'latin1');
    head.writeUInt32BE(bytes.length + 8, 4);
    return Buffer.concat([head, bytes]);
  });
  const all = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write('icns', 0, 'latin1');
  head.writeUInt32BE(all.length + 8, 4);
  return Buffer.concat([head, all]);
}
