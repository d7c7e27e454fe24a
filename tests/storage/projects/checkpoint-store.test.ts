// Progress is never lost to a damaged or half-written checkpoint, and stepping back is reported.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../shared/errors.js';
import { writeFolderAtomic } from '../../../main/storage/disk/atomic.js';
import { createCheckpointSlot, generationsToKeep } from '../../../main/storage/projects/checkpoint-store.js';
import { inEnglish } from '../../support/messages.js';
import { Crash, temporaryFolder, withEveryFault } from '../faults.js';

let folder: string;
beforeEach(() => {
  folder = path.join(temporaryFolder(), 'progress');
});
afterEach(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }));

const checkpoint = (step: number) => ({
  weights: { 'a.weight': { shape: [2], data: Float32Array.from([step, -step]) } },
  optimizer: { 'a.weight.m': { shape: [2], data: Float32Array.from([step / 4, 0]) } },
  state: { step, losses: [1.25, step] },
});
const generations = () => fs.readdirSync(folder).sort();

function damage(step: string, file: string, at = 0): void {
  const target = path.join(folder, step, file);
  const bytes = fs.readFileSync(target);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  fs.writeFileSync(target, bytes);
}

function withNotices(keep = 2) {
  const notices: string[] = [];
  return {
    notices,
    slot: createCheckpointSlot(folder, { keep, onNotice: (message) => notices.push(inEnglish(message)) }),
  };
}

describe('a checkpoint slot', () => {
  it('has nothing at first, and then what was saved last', async () => {
    const slot = createCheckpointSlot(folder);
    expect(await slot.latest()).toBeNull();
    await slot.save(checkpoint(0), 0);
    await slot.save(checkpoint(1200), 1200);
    expect(await createCheckpointSlot(folder).latest()).toEqual(checkpoint(1200));
    expect(generations()).toEqual(['step-0000000', 'step-0001200']);
  });

  it('keeps as many generations as asked for', async () => {
    const { slot } = withNotices(3);
    for (const step of [100, 200, 300, 400, 12345678]) await slot.save(checkpoint(step), step);
    expect(generations()).toEqual(['step-0000300', 'step-0000400', 'step-12345678']);
    expect(slot.steps()).toEqual([300, 400, 12345678]);
    slot.clear();
    expect(slot.steps()).toEqual([]);
  });

  it('keeps the best one too, as long as it is the best', async () => {
    const { slot } = withNotices();
    const save = (step: number, bestStep: number) => {
      const made = checkpoint(step);
      return slot.save({ ...made, state: { ...made.state, bestStep } }, step);
    };
    for (const step of [100, 200, 300, 400, 500]) await save(step, Math.min(step, 200));
    expect(slot.steps()).toEqual([200, 400, 500]);
    await save(600, 600);
    expect(slot.steps()).toEqual([500, 600]);
    expect(generationsToKeep([1, 2, 3], 5, null)).toEqual([1, 2, 3]);
  });

  it.each(['weights.safetensors', 'optimizer.safetensors', 'state.json', 'manifest.json'])(
    'steps back, in words, when %s is damaged',
    async (file) => {
      const { slot, notices } = withNotices();
      for (const step of [1200, 2400]) await slot.save(checkpoint(step), step);
      damage('step-0002400', file);
      expect(await slot.latest()).toEqual(checkpoint(1200));
      expect(notices).toEqual([
        expect.stringMatching(new RegExp(`^Stepped back to checkpoint 1200: ${file} is damaged`)),
      ]);
    },
  );

  it('notices every flipped byte of every file', async () => {
    const { slot } = withNotices();
    await slot.save(checkpoint(1), 1);
    for (const file of fs.readdirSync(path.join(folder, 'step-0000001'))) {
      const { size } = fs.statSync(path.join(folder, 'step-0000001', file));
      for (let at = 0; at < size; at += 1) {
        damage('step-0000001', file, at);
        const latest = await slot.latest();
        // White space in the manifest is the one thing that may change without a change of meaning.
        if (latest !== null) expect([file, latest]).toEqual(['manifest.json', checkpoint(1)]);
        damage('step-0000001', file, at);
      }
    }
    expect(await slot.latest()).toEqual(checkpoint(1));
  });

  it('removes a damaged generation only when a newer good one is there', async () => {
    const { slot } = withNotices();
    for (const step of [1200, 2400]) await slot.save(checkpoint(step), step);
    damage('step-0002400', 'state.json');
    await slot.latest();
    expect(generations()).toEqual(['step-0001200', 'step-0002400']);
    await slot.save(checkpoint(1800), 1800);
    expect(generations()).toEqual(['step-0001200', 'step-0001800']);
    damage('step-0001800', 'state.json');
    await slot.latest();
    await slot.save(checkpoint(1800), 1800);
    await slot.save(checkpoint(2400), 2400);
    expect(generations()).toEqual(['step-0001800', 'step-0002400']);
  });

  it('starts from scratch, with a notice, when no generation is good', async () => {
    const { slot, notices } = withNotices();
    for (const step of [1, 2]) {
      await slot.save(checkpoint(step), step);
      damage(`step-000000${step}`, 'state.json');
    }
    expect(await slot.latest()).toBeNull();
    expect(await createCheckpointSlot(folder).latest()).toBeNull();
    expect(notices).toEqual([
      expect.stringMatching(/^No checkpoint could be used, starting from scratch: .*0000002.*0000001/),
    ]);
  });

  it('does not step over, let alone remove, what another version wrote', async () => {
    writeFolderAtomic(path.join(folder, 'step-0000005'), {
      'state.json': '{"format_version":2}',
      'weights.safetensors': 'something new',
    });
    await expect(createCheckpointSlot(folder).latest()).rejects.toThrow(
      expect.objectContaining({ code: 'checkpoint' }),
    );
  });

  it('has the old or the new checkpoint, and no leftovers, whatever fails while saving', async () => {
    const slotOf = (root: string) => path.join(root, 'slot');
    const later: Promise<void>[] = [];
    const operations = withEveryFault(
      (root) => [10, 20].forEach((step) => void createCheckpointSlot(slotOf(root)).save(checkpoint(step), step)),
      (root, ops) => {
        // `save` does its work before it returns; what it threw is awaited here, at once.
        const saving = createCheckpointSlot(slotOf(root), { ops }).save(checkpoint(30), 30);
        later.push(
          saving.catch((error: unknown) => expect(error instanceof UserError || error instanceof Crash).toBe(true)),
        );
      },
      (root, { fault }) => {
        const slot = createCheckpointSlot(slotOf(root));
        const steps = slot.steps();
        expect([
          [10, 20],
          [20, 30],
          [10, 20, 30],
        ]).toContainEqual(steps);
        if (fault === 'short') expect(steps.slice(-2)).toEqual([20, 30]);
        for (const step of steps) expect(fs.readdirSync(path.join(slotOf(root), `step-00000${step}`))).toHaveLength(4);
        expect(fs.readdirSync(slotOf(root))).toHaveLength(steps.length);
      },
    );
    await Promise.all(later);
    expect(operations).toBeGreaterThan(30);
  });

  it('loads the newest or the one before, or says why not, whatever fails while loading', async () => {
    const slotOf = (root: string) => path.join(root, 'slot');
    const loading: Promise<unknown>[] = [];
    withEveryFault(
      (root) => [10, 20].forEach((step) => void createCheckpointSlot(slotOf(root)).save(checkpoint(step), step)),
      (root, ops) =>
        loading.push(
          createCheckpointSlot(slotOf(root), { ops })
            .latest()
            .catch((error: unknown) => error),
        ),
      (root) => expect(createCheckpointSlot(slotOf(root)).steps()).toEqual([10, 20]),
    );
    const outcomes = await Promise.all(loading);
    for (const outcome of outcomes) {
      if (outcome instanceof UserError || outcome instanceof Crash) continue;
      expect([checkpoint(10), checkpoint(20)]).toContainEqual(outcome);
    }
    expect(outcomes).toContainEqual(checkpoint(10));
  });
});
