/** Checkpoints of a team: rank 0 has them, and tells the others where the run resumes. */
import type { Team } from '../../engine/team.js';
import type { Checkpoint, CheckpointSlot, NamedArrays } from '../../engine/types.js';

/** @param slot this process's own; only rank 0's is read and written */
export function sharedSlot(slot: CheckpointSlot, team: Team | undefined): CheckpointSlot {
  if (!team) return slot;
  return {
    async latest() {
      const own = team.rank === 0 ? await slot.latest() : null;
      return received(await team.share(team.rank === 0 ? packed(own) : null));
    },
    due: () => team.rank === 0 && (slot.due?.() ?? true),
    async save(checkpoint, step) {
      if (team.rank === 0) await slot.save(checkpoint, step);
    },
  };
}

interface Heading {
  readonly state: Checkpoint['state'];
  readonly weights: Shapes;
  readonly optimizer: Shapes | null;
}
type Shapes = readonly { readonly name: string; readonly shape: readonly number[]; readonly size: number }[];

const shapesOf = (arrays: NamedArrays): Shapes =>
  Object.entries(arrays).map(([name, { shape, data }]) => ({ name, shape, size: data.length }));

/** Its heading's length and the heading as JSON, filled up to whole numbers, then all numbers. */
export function packed(checkpoint: Checkpoint | null): Uint8Array {
  if (checkpoint === null) return new Uint8Array();
  const { weights, optimizer, state } = checkpoint;
  const heading: Heading = { state, weights: shapesOf(weights), optimizer: optimizer ? shapesOf(optimizer) : null };
  const text = new TextEncoder().encode(JSON.stringify(heading));
  const start = 4 + Math.ceil(text.length / 4) * 4;
  const arrays = [...Object.values(weights), ...Object.values(optimizer ?? {})];
  const bytes = new Uint8Array(start + 4 * arrays.reduce((sum, { data }) => sum + data.length, 0));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  const numbers = new Float32Array(bytes.buffer);
  let at = start / 4;
  for (const { data } of arrays) {
    numbers.set(data, at);
    at += data.length;
  }
  return bytes;
}

export function received(bytes: Uint8Array): Checkpoint | null {
  if (bytes.length === 0) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const heading = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as Heading;
  let at = bytes.byteOffset + 4 + Math.ceil(length / 4) * 4;
  const take = (shapes: Shapes): NamedArrays =>
    Object.fromEntries(
      shapes.map(({ name, shape, size }) => {
        const data = new Float32Array(bytes.buffer.slice(at, at + size * 4));
        at += size * 4;
        return [name, { shape, data }];
      }),
    );
  const { state } = heading;
  const weights = take(heading.weights);
  return heading.optimizer ? { weights, optimizer: take(heading.optimizer), state } : { weights, state };
}
