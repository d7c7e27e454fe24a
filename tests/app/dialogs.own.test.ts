// The system's dialog and the file browser of a page offer the same files, and none that are then refused.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dialogsOf } from '../../main/app/dialogs.js';
import { browse } from '../../main/services/files/browse.js';
import { createFileHandles } from '../../main/services/files/file-handles.js';

const shown = vi.hoisted(() => vi.fn());
vi.mock('electron', () => ({
  dialog: { showOpenDialog: shown, showSaveDialog: shown },
  shell: { showItemInFolder: vi.fn() },
}));
interface Options {
  readonly filters: readonly { readonly name: string; readonly extensions: readonly string[] }[];
}
/** The endings that the last dialog offers, without "All files". */
const offered = () => ((shown.mock.lastCall as [object, Options])[1].filters[0]?.extensions ?? []).toSorted();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verisim-dialogs-'));
  shown.mockResolvedValue({ canceled: true, filePaths: [] });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const endings =
  `txt txt.gz txt.zst md md.gz md.zst jsonl jsonl.gz jsonl.zst ndjson ndjson.gz ndjson.zst parquet parquet.gz parquet.zst
  csv.gz csv.zst tsv.gz tsv.zst json.gz json.zst ipynb ipynb.gz ipynb.zst srt srt.gz srt.zst vtt vtt.gz vtt.zst rtf fb2
  ass ass.gz ass.zst ssa ssa.gz ssa.zst
  bin pkl verisim verisim.tar tar zip tgz tar.gz csv tsv html htm xhtml epub docx pdf doc json py pt pth safetensors png`.split(
    /\s+/,
  );

it.each(['text', 'tokens', 'meta', 'archive'] as const)('%s: dialog and browser offer the same', async (purpose) => {
  for (const ending of endings) writeFileSync(join(folder, `a.${ending}`), 'x');
  await dialogsOf({} as never).choose({ purpose, multiple: false });
  const { entries } = browse(createFileHandles(), folder, purpose, []);
  expect(offered()).toEqual(entries.map(({ name }) => name.slice('a.'.length)).sort());
  expect(offered()).not.toEqual([]);
});

it('a table is offered as a text, and no archive', async () => {
  await dialogsOf({} as never).choose({ purpose: 'text', multiple: true });
  expect(offered()).toEqual(expect.arrayContaining(['csv', 'tsv']));
  for (const ending of ['zip', 'doc', 'gz']) expect(offered()).not.toContain(ending);
});

it.each([
  ['archive', 'verisim'],
  ['ratingReport', 'html'],
  ['ratingReport', 'json'],
  ['ratingReport', 'csv'],
] as const)('%s is saved with the suggested ending .%s', async (purpose, ending) => {
  await dialogsOf({} as never).chooseSave({ purpose, suggested: `Moby-Dick.${ending}` });
  expect(offered()).toEqual([ending]);
});
