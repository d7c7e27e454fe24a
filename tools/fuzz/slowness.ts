/**
 * How much slower this processor is than the one on which the bounds were set, so that a file is not called costly because
 * the machine is an old one, or runs other things on the same core.
 */

/** What `known` takes there, in milliseconds of processor time. */
const FULL_SPEED = 30;
const TRIES = 3;

/** Work of the kind that readers do: bytes looked at one by one, and a string put together of pieces. */
function known(): string {
  const bytes = new Uint8Array(1 << 20).map((_, place) => (place * 31) & 127);
  let [text, escaped] = ['', 0];
  for (let round = 0; round < 4; round++) {
    for (const byte of bytes) {
      if (byte === 92) escaped++;
      else if ((byte & 31) === 0) text += String.fromCharCode(byte | 64);
    }
  }
  return text + String(escaped);
}

/** At least 1: on a quicker one the bounds stay as they are. */
export function slowness(): number {
  let least = Infinity;
  for (let time = 0; time < TRIES; time++) {
    const before = process.cpuUsage();
    known();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return Math.max(1, least / FULL_SPEED);
}
