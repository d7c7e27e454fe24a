/** What memory there is, in a container too; a run that cannot fit into it is refused before it begins. */
import { plainFault } from '../../support/messages.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createMachine } from '../../../main/services/machine/machine.js';
import { freeMemory, memoryLimit, mustFitInMemory } from '../../../main/jobs/machine/memory.js';
import { UserError } from '../../../shared/errors.js';

it('refuses what does not fit, with the largest batch that does', () => {
  const bytesFor = (rows: number) => 1e9 + rows * 1e8;
  const refuse = (available: number) => {
    try {
      mustFitInMemory({ field: 'batch_size', rows: 64, bytesFor }, { device: 'cpu', precision: 'f32' }, available);
      return null;
    } catch (error) {
      return error instanceof UserError ? plainFault(error.toFault()) : error;
    }
  };
  expect(refuse(8e9)).toBeNull();
  expect(refuse(4e9)).toMatchObject({
    code: 'out_of_memory',
    field: 'batch_size',
    message: 'About 7.4 GB of memory would be needed; this machine has 4 GB',
    hint: expect.stringContaining('Use --batch_size 30 instead of 64') as unknown,
  });
  expect(refuse(1e9)).toMatchObject({ hint: expect.stringMatching(/^Use a smaller model/) as unknown });
});

afterEach(() => vi.restoreAllMocks());

/** As Node tells it in a container of 2 GB, of which 0.3 are left. */
function inContainer() {
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(2e9);
  vi.spyOn(process, 'availableMemory').mockReturnValue(3e8);
}

it('is the machine’s where there is no limit', () => {
  expect(memoryLimit()).toBe(totalmem());
  expect(freeMemory()).toBeLessThanOrEqual(totalmem());
  expect(Math.abs(freeMemory() - freemem())).toBeLessThan(0.2 * totalmem());
});

it('is the container’s where that has a limit, with what is kept of files that were read', () => {
  inContainer();
  const folder = mkdtempSync(join(tmpdir(), 'verisim-memory-'));
  const stat = join(folder, 'memory.stat');
  writeFileSync(stat, 'anon 1400000000\nfile 250000000\ninactive_file 200000000\nactive_file 50000000\n');
  expect(memoryLimit()).toBe(2e9);
  expect(freeMemory([join(folder, 'none')])).toBe(3e8);
  expect(freeMemory([join(folder, 'none'), stat])).toBe(5e8);
  rmSync(folder, { recursive: true });
});

it('is what the window shows', () => {
  inContainer();
  const machine = createMachine({
    supervisor: { call: () => new Promise(() => undefined) },
    folder: tmpdir,
    settings: () => ({ device: 'cpu', threads: 1 }),
    onChange: () => undefined,
  });
  expect(machine.describe()).toMatchObject({ memory_total: 2e9, memory_free: freeMemory() });
});
