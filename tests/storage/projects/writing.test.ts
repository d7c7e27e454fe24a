/** What a user writes and chooses: kept in the project, damaged files are refused rather than replaced. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { addPick, readDocument, readPicks, saveDocument } from '../../../main/storage/projects/writing.js';
import { temporaryRoot } from '../../support/temporary-root.js';

const root = mkdtempSync(join(temporaryRoot, 'verisim-writing-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newProject = () => {
  const folder = join(root, `project-${folders++}`);
  mkdirSync(folder);
  return folder;
};
const at = '2026-11-27T00:00:00.000Z';
const pick = (number: number) => ({
  id: number.toString(16).padStart(32, '0'),
  ...{ context: 'كان البحر', kept: ' هادئا', chosen: ' هادئا في', others: [' 大海', ''], model: 'base_model_v1' },
  ...(number === 2 && { other_models: ['base_model_v0', 'base_model_v1'], blind: true }),
  ...{ temperature: 1, top_p: 0.9, min_p: 0, repetition_penalty: 1, at },
});

describe('a document', () => {
  it('is empty at first, and comes back as it was saved', () => {
    const folder = newProject();
    expect(readDocument(folder)).toEqual({ text: '', keeps_picks: true, ignored: [] });
    const text = 'Größe\r\n“大海” 😀\u0000 end ';
    saveDocument(folder, { text, keeps_picks: false, ignored: [] });
    expect(readDocument(folder)).toEqual({ text, keeps_picks: false, ignored: [] });
  });

  it('that is damaged is refused, and stays as it is', () => {
    const folder = newProject();
    mkdirSync(join(folder, 'writing'));
    const file = join(folder, 'writing', 'document.json');
    writeFileSync(file, '{"text": "half');
    expect(() => readDocument(folder)).toThrow(expect.objectContaining({ code: 'file_damaged' }));
    expect(readFileSync(file, 'utf8')).toBe('{"text": "half');
  });
});

describe('choices', () => {
  it('are those that were not undone, each once, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(3)), { maxLength: 12 }), (acts) => {
        const folder = newProject();
        const kept = new Map<string, object>();
        for (const [undone, number] of acts) {
          const { id } = pick(number);
          addPick(folder, undone ? { undo: id, at } : pick(number));
          if (undone) kept.delete(id);
          else kept.set(id, pick(number));
        }
        expect(readPicks(folder)).toEqual([...kept.values()]);
      }),
      { numRuns: 20 },
    );
  });

  it('lose a line that was cut short by a crash, and no other', () => {
    const folder = newProject();
    addPick(folder, pick(1));
    appendFileSync(join(folder, 'writing', 'picks.jsonl'), '{"id":"0000');
    expect(readPicks(folder)).toEqual([pick(1)]);
    addPick(folder, pick(2));
    expect(readPicks(folder)).toEqual([pick(1), pick(2)]);
  });
});
