/** Opens the zip archive of a PyTorch checkpoint, whose entries are stored, not compressed. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { ByteSource } from '../byte-source.js';
import { openZip, type ZipArchive } from '../zip.js';

/** @throws UserError `file_damaged` when the bytes are not such an archive */
export const openTorchZip = (source: ByteSource, what: string): ZipArchive =>
  openZip(source, { damaged: (why) => damaged(what, why), deflated: null });

export function damaged(what: string, why: string): UserError {
  return new UserError({
    code: 'file_damaged',
    message: localized('torch.readable_pytorch_checkpoint', { what, why }),
    hint: localized('torch.use_another_copy_file_save'),
  });
}
