/** The real program in a real process: exit codes, messages, JSON on standard output, Ctrl-C and resuming. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventSchema } from '../../shared/phases/events.js';
import { jsonLines, program, smallest, temporaryFolder, verisim, writeText } from './program.js';

const folder = temporaryFolder();
const text = writeText(folder);
const settings = [...smallest, '--data_path', text, '--eval_interval', '20', '--warmup_iters', '2'];

/** The command, with `…` for the settings of a small project, and what the error and the hint contain. */
const bad = [
  ['train --data_path nope.txt', 'Data file not found: nope.txt', 'Check that the text file'],
  ['train … --n_embd 130 --n_head 4', 'n_embd (130) must be divisible by n_head (4)', '--n_embd 132'],
  ['train … --block_size 1', 'block_size must be a whole number from 2', 'Context length'],
  ['train … --block_size 60000', 'tokens', 'block_size'],
  ['train_grpo --group_size 1', 'group_size must be a whole number from 2', 'judged against the others'],
  ['cycle p … --temperature 0', 'temperature must be a number above 0', 'The default is 1'],
  ['cycle p … --temperature=NaN', 'got "NaN"', 'Temperature'],
  ['new p … --top_k 0', 'top_k must be a whole number of at least 1', 'Top-k'],
  ['train --config .', '. is a folder, not a file', 'Choose a file in it'],
  ['train … --tensorboard=maybe', 'tensorboard must be true or false; got "maybe"', 'TensorBoard'],
  ['train --data_path=', 'data_path is required in text mode', 'Give --data_path'],
  ['cycle p', 'Not a Verisim project: p', '--data_path'],
  ['trian', 'Unknown command "trian"', 'Did you mean train?'],
  ['train --n_layers 2', 'Unknown flag --n_layers', 'Did you mean --n_layer?'],
  ['sample nonexistent_model.pt', 'Model file not found: nonexistent_model.pt', 'Check that the model checkpoint'],
  ['dataset_info nowhere', 'Reward dataset not found: nowhere', 'prepare_reward_data'],
  ['reward_dataset_loader.py', 'Reward dataset not found: data/reward_dataset', 'prepare_reward_data'],
] as const;

describe('bad input', () => {
  it.each(bad)('%s: %s', async (line, message, hint) => {
    const cwd = temporaryFolder();
    const args = line.split(' ').flatMap((word) => (word === '…' ? settings : [word]));
    const { code, stdout, stderr } = await verisim(args, { cwd });
    expect(stderr).toContain(`  ERROR: `);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\nSuggested fixes:\n {2}SUGGESTION: /);
    expect(stderr).toContain(hint);
    expect(code).toBe(2);
    expect(stdout).not.toContain('ERROR');
    if (line.includes('--config')) expect(stderr.match(/ERROR/g), 'its settings are not missed').toHaveLength(1);
    expect(readdirSync(cwd), 'nothing half-written is left').toEqual([]);
  });

  it('is followed by the corrected command if every mistake can be fixed', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'book one.txt'), 'x');
    const mistaken = ['train', '--data_path', 'book on.txt', '--n_layers', '2', '--n_embd', '130', '--bias=false'];
    const [fixed, unfixed] = await Promise.all([
      verisim(mistaken, { cwd }),
      verisim(['train', '--data_path', '/nowhere/at/all.txt', '--block_size', '1']),
    ]);
    expect(fixed.stderr.split('\n').slice(-3)).toEqual([
      'Corrected command:',
      "  npm run -s verisim -- train --data_path 'book one.txt' --n_embd 128 --bias false --n_layer 2",
      '',
    ]);
    expect(unfixed.stderr).toContain('ERROR: block_size must be');
    expect(unfixed.stderr).not.toContain('Corrected command');
  });

  it('prints the specification’s block for the specification’s mistakes', async () => {
    const { stderr, code } = await verisim([
      ...['prepare_reward_data', '--model_path', 'nonexistent_model.pt', '--tokenization', 'char', '--data_path', text],
    ]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      [
        'Validation Errors:',
        '  ERROR: Model file not found: nonexistent_model.pt',
        "  ERROR: meta_path is required when tokenization is 'char'",
        '',
        'Suggested fixes:',
        '  SUGGESTION: Check that the model checkpoint file exists and the path is correct',
        '  SUGGESTION: Specify --meta_path when using character tokenization, or use --tokenization auto',
        '',
      ].join('\n'),
    );
  });

  it('is one error event, and nothing else, with --json', async () => {
    const { stdout, code } = await verisim(['train', '--data_path', 'nope.txt', '--json']);
    expect(code).toBe(2);
    expect(jsonLines(stdout)).toEqual([
      { event: 'error', fault: expect.objectContaining({ code: 'file_not_found', field: 'data_path' }) as unknown },
    ]);
  });
});

describe('help', () => {
  it('answers at once with exit code 0', async () => {
    const pages = await Promise.all([[], ['--help'], ['train', '-h'], ['help', 'cycle']].map((args) => verisim(args)));
    expect(pages.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(pages[2]?.stdout).toContain('--n_layer');
    expect(pages[3]?.stdout).toContain('--max_cycles');
    expect((await verisim(['--version'])).stdout).toMatch(/^verisim \d+\.\d+\.\d+\n$/);
  });

  // The specification's scripts.
  it.each(['prepare_reward_data.py', 'train_reward_model.py', 'train_grpo.py', 'train.py'])(
    '%s is the command of that name',
    async (script) => {
      const { stdout } = await verisim([script, '--help']);
      expect(stdout).toContain(`Usage: npm run -s verisim -- ${script.replace('.py', ' [')}`);
    },
  );

  it('survives a reader that goes away', async () => {
    const { code, stderr } = await verisim(['train', '--help'], { onOutput: (_, child) => child.stdout.destroy() });
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('doctor', () => {
  it('measures the machine and reports what is missing and how to fix it', async () => {
    // With oneDNN, as with --precision bf16, TensorFlow's libraries write something while they are loaded.
    const { code, stdout, stderr } = await verisim(['doctor', '--json'], {
      environment: { TF_ENABLE_ONEDNN_OPTS: '1' },
    });
    expect([code, stderr]).toEqual([0, '']);
    const last = jsonLines(stdout).at(-1);
    expect(last).toMatchObject({ event: 'done', node: process.versions.node, missing: [] });
    for (const key of ['gflops', 'threads', 'memory_total']) expect(last?.[key]).toBeGreaterThan(0);
    const without = await verisim(['doctor'], { environment: { VERISIM_TENSORFLOW: 'none' } });
    expect(without.stdout).toContain('WebAssembly');
    expect(without.stdout).toMatch(/Missing: .+\n {2}To fix it: npm run setup/);
  });

  it('and all others use the language of the environment', async () => {
    writeFileSync(join(folder, 'deutsch.txt'), 'Der Wal und das Meer. '.repeat(900));
    const german = { CI: '', VITEST: '', LC_ALL: 'de_AT.UTF-8' };
    const commands = [
      'doctor',
      `list ${temporaryFolder()}`,
      'train please --data_path nope.txt',
      'cycle --help',
      'help',
    ];
    const preview = ['preview', join(folder, 'deutsch.txt'), ...smallest];
    const outputs = await Promise.all(
      [...commands.map((line) => line.split(' ')), preview].map((args) => verisim(args, { environment: german })),
    );
    const text = outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    expect(text).toMatch(/Plattform: .*Arbeitsspeicher: .*Keine Projekte.*Vokabular: /s);
    expect(text.match(/.*\b(the|of|and|is|are|to|for|with|not|this|from)\b.*/g)).toBeNull();
  });
});

describe('train', () => {
  const out = join(folder, 'out');
  const train = ['train', ...settings, '--out_dir', out, '--max_iters', '40'];

  it('prints only events with --json, the last with the results', async () => {
    const { code, stdout } = await verisim([...train, '--json']);
    const rows = jsonLines(stdout);
    for (const row of rows) expect(eventSchema.safeParse(row).error).toBeUndefined();
    expect(code).toBe(0);
    const last = rows.at(-1);
    expect(last).toMatchObject({ event: 'done', iterations: 40, stopped_because: 'max_iters', out_dir: out });
    const { val_loss, perplexity, tokens_per_second } = last as Record<string, number>;
    expect(perplexity).toBeCloseTo(Math.exp(val_loss ?? NaN), 6);
    expect(tokens_per_second).toBeGreaterThan(0);
    expect(rows.filter(({ event }) => event === 'done' || event === 'error')).toHaveLength(1);
  });

  it('shows the finished result again, and starts again only with --overwrite', async () => {
    const again = await verisim([...train, '--json']);
    expect(jsonLines(again.stdout).map(({ event }) => event)).toEqual(['notice', 'done']);
    const other = await verisim(['train', ...settings, '--out_dir', out, '--max_iters', '30']);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('max_iters is 40 there, 30 now');
    expect(other.stderr).toContain('--overwrite');
  });

  it('lets the model write and measures it, with the answer alone on standard output', async () => {
    const one = ['--num_samples', '1', '--max_new_tokens', '5', '--threads', '1'];
    const sample = await verisim(['sample', out, '--prompt', 'the ', ...one]);
    // A machine that takes long to compile prints a note.
    expect(sample.stderr.replace(/^ {2}Preparing: compiling .*\n/, '')).toBe('');
    expect(sample.stdout).toMatch(/^the .{5}\n$/s);
    const measured = await verisim(['perplexity', out, '--data_path', text, '--json', '--threads', '1']);
    const trained = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')) as { results: Record<string, number> };
    const last = jsonLines(measured.stdout).at(-1);
    expect(last?.['loss']).toBeCloseTo(trained.results['val_loss'] ?? NaN, 5);
  });

  it('stops cleanly at Ctrl-C, with a checkpoint, and resumes to the very same model', async () => {
    const stopped = join(folder, 'stopped');
    const command = ['train', ...settings, '--out_dir', stopped, '--max_iters', '60', '--log_interval', '1', '--json'];
    let sent = false;
    const first = await verisim(command, {
      onOutput(output, child) {
        // npm passes the signal on, so one press arrives twice.
        if (!sent && output.includes('"step":25')) sent = child.kill('SIGINT') && child.kill('SIGINT');
      },
    });
    expect(first.code).toBe(130);
    expect(first.stderr).toContain('Run the same command again to resume');
    const event = jsonLines(first.stdout).at(-1);
    expect(event).toMatchObject({ event: 'error', fault: { code: 'stopped' } });
    expect(readdirSync(join(stopped, 'checkpoints')).length).toBeGreaterThan(0);

    const second = await verisim(command);
    expect(second.code).toBe(0);
    const whole = join(folder, 'whole');
    await verisim(command.map((word) => (word === stopped ? whole : word)));
    const weights = (run: string) => readFileSync(join(run, 'model', 'weights.safetensors'));
    expect(weights(stopped).equals(weights(whole))).toBe(true);
    const steps = (run: string) => jsonLines(readFileSync(join(run, 'metrics.jsonl'), 'utf8')).map(({ step }) => step);
    expect(steps(stopped)).toEqual(steps(whole));
    expect(existsSync(join(stopped, 'lock'))).toBe(false);
  });

  it('ends at once at the second Ctrl-C', async () => {
    const command = ['train', ...settings, '--out_dir', join(folder, 'ended'), '--max_iters', '100000', '--json'];
    const started = Date.now();
    let sent = false;
    const { code } = await verisim(command, {
      onOutput(output, child) {
        if (sent || !output.includes('"progress","phase":"base_training"')) return;
        sent = true;
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGINT'), 600);
      },
    });
    expect(code).toBe(143); // a shell's code of SIGTERM, which came first
    expect(Date.now() - started).toBeLessThan(60_000);
  });

  it('fails when its output cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    for (const args of [['--help'], ['list', temporaryFolder()], ['list', temporaryFolder(), '--json']]) {
      const { status, stderr } = spawnSync(process.execPath, [program, ...args], { stdio: ['ignore', full, 'pipe'] });
      expect([args, status, String(stderr)]).toEqual([args, 1, expect.stringContaining('its disk is full')]);
    }
    closeSync(full);
  });

  it('does not touch a folder of another program', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'model'), 'precious');
    const { code, stderr } = await verisim(['train', ...settings, '--out_dir', cwd, '--overwrite']);
    expect(code).toBe(2);
    expect(stderr).toContain('which no run of Verisim');
    expect(readFileSync(join(cwd, 'model'), 'utf8')).toBe('precious');
  });
});
