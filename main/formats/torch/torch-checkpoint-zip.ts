/** Opens the zip archive of a PyTorch checkpoint, whose entries are stored, not compressed. */
import { UserError } from '../../../shared/errors.js';
import type { ByteSource } from '../byte-source.js';
import { openZip, type ZipArchive } from '../zip.js';

/** @throws UserError `file_damaged` when the bytes are not such an archive */
export const openTorchZip = (source: ByteSource, what: string): ZipArchive =>
  openZip(source, { damaged: (why) => damaged(what, why), deflated: null });

export function damaged(what: string, why: string): UserError {
  return new UserError({
    code: 'file_damaged',
    message: `${what} is not a readable PyTorch checkpoint: ${why}`,
    hint: 'Use another copy of the file, or save the model again with torch.save.',
  });
}
