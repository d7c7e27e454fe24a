/** `verisim preview` on real files, for users and for programs. */
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { initialWeights } from '../../main/engine/model/model.js';
import { saveModel } from '../../main/storage/projects/models.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { jsonLines, smallest, temporaryFolder, verisim, writeText } from './program.js';

const cwd = temporaryFolder();
const text = writeText(cwd, 6000);
const chars = [...new Set('the whale sea and ship of a captain wind. Call me upon deep,\n ')].sort();
const model: GPTConfig = {
  ...{ block_size: 16, vocab_size: chars.length, n_layer: 1, n_head: 1, n_embd: 16, dropout: 0, bias: true },
  ...{ mode: 'generator', reward_head_hidden_dim: 8 },
};

beforeAll(() => {
  const tokenization = { method: 'char' as const, vocab_size: chars.length, chars };
  saveModel(join(cwd, 'model'), { weights: initialWeights(model, 1), config: model, tokenization, provenance: {} });
});

describe('preview', () => {
  it('shows the text, its figures, a sample, time and disk, and writes nothing', async () => {
    const before = readdirSync(cwd);
    const { code, stdout } = await verisim(['preview', text, ...smallest], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        [
          '^How it begins\n {2}the .*\nText: +\\d+,\\d+ characters \\(plain text, UTF-8\\)\n',
          'Language: +.+\\n',
          'Tokens: +\\d+,\\d+, 1 a character \\(char, as requested, with a vocabulary made from the text\\)\n',
          'Vocabulary: +\\d\\d, of which \\d\\d were seen\n',
          'Repeats: +[\\d.]+% in long repeats; the longest has [\\d,]+ characters\n',
          'Reward samples: +[\\d,]+ training, [\\d,]+ validation\n',
          'Disk: .* tokens, .* reward data, .* checkpoints\n',
          'Time, about: .* to prepare, .* base training, .* reward data\n',
          '\nA sample \\(\\d+% natural\\)\n {2}natural: .*\n {2}the model will write this part: .*',
          '! The text has only [\\d,]+ characters',
        ].join(''),
        's',
      ),
    );
    expect(readdirSync(cwd)).toEqual(before);
  });

  it('lets a model write the example, and gives programs the same figures', async () => {
    writeFileSync(join(cwd, 'more.jsonl'), `${JSON.stringify({ body: 'the whale upon the deep, '.repeat(20) })}\n`);
    appendFileSync(join(cwd, 'more.jsonl'), `${JSON.stringify({ body: 'Call me captain. '.repeat(20) })}\n`);
    const flags = ['--text_field', 'body', '--model_path', 'model', '--device', 'cpu', '--threads', '1', '--json'];
    const { code, stdout } = await verisim(['preview', 'more.jsonl', ...flags], { cwd });
    expect(code).toBe(0);
    const result = jsonLines(stdout).at(-1);
    expect(result).toMatchObject({
      event: 'done',
      exact: true,
      input: 'JSON Lines, UTF-8, 2 texts; column body',
      vocab_size: chars.length,
    });
    const example = result?.['example'] as { natural: string; rest: string; generated: boolean };
    expect(example.generated).toBe(true);
    expect('the whale upon the deep, '.startsWith(example.natural)).toBe(true);
    expect(example.natural.length + example.rest.length).toBe(16);
  });
});
