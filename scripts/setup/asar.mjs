// Writes an Electron archive (asar): the header is JSON inside two of Chromium's pickles, the files follow one another.
// Electron's own tools do this as well; here it is a few lines, needed before any package may be relied on.

/** @param {number} bytes */
const padded = (bytes) => Math.ceil(bytes / 4) * 4;

/** @param {number} value */
const uint32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/**
 * @param {Readonly<Record<string, string>>} files name (no folders) to text
 * @returns {Buffer}
 */
export function asarOf(files) {
  let offset = 0;
  /** @type {Record<string, { size: number, offset: string }>} */
  const entries = {};
  const contents = Object.entries(files).map(([name, text]) => {
    const bytes = Buffer.from(text);
    entries[name] = { size: bytes.length, offset: String(offset) };
    offset += bytes.length;
    return bytes;
  });
  const header = Buffer.from(JSON.stringify({ files: entries }));
  const filled = padded(header.length);
  return Buffer.concat([
    // A pickle that holds the size of the next one; then that one: its payload's size, the string's length, the string.
    ...[uint32(4), uint32(filled + 8), uint32(filled + 4), uint32(header.length)],
    ...[header, Buffer.alloc(filled - header.length)],
    ...contents,
  ]);
}
