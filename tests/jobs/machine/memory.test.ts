/** A run that cannot fit into memory is refused before it begins. */
import { expect, it } from 'vitest';
import { mustFitInMemory } from '../../../main/jobs/machine/memory.js';
import { typedFault, UserError } from '../../../shared/errors.js';

it('refuses what does not fit, with the largest batch that does', () => {
  const bytesFor = (rows: number) => 1e9 + rows * 1e8;
  const refuse = (available: number) => {
    try {
      mustFitInMemory({ field: 'batch_size', rows: 64, bytesFor }, { device: 'cpu', precision: 'f32' }, available);
      return null;
    } catch (error) {
      return error instanceof UserError ? typedFault(error.toFault()) : error;
    }
  };
  expect(refuse(8e9)).toBeNull();
  expect(refuse(4e9)).toMatchObject({
    code: 'out_of_memory',
    field: 'batch_size',
    message: 'About 7.4 GB of memory would be needed; this machine has 4.0 GB',
    hint: expect.stringContaining('Use --batch_size 30 instead of 64') as unknown,
  });
  expect(refuse(1e9)).toMatchObject({ hint: expect.stringMatching(/^Use a smaller model/) as unknown });
});
