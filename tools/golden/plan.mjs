// What is run: a fixed list of small runs, each in a folder of its own. Between them they take every command that
// writes or prints something repeatable, every kind of reward, both tokenizations and both input modes. Settings are
// written out where a default may change, since a changed default is for a test to find and not for a refactoring.

/**
 * @typedef {object} Step one call of the command line
 * @property {string} name of its printed output, unique in the run
 * @property {readonly string[]} args
 * @property {string} [input] what is typed; left out, there is nothing to read
 * @property {number} [code] the exit code that is expected; left out, 0
 *
 * @typedef {object} Run steps that share a folder, in order
 * @property {string} name
 * @property {readonly Step[]} steps
 * @property {readonly string[]} [inputs] files that are there at the beginning; left out, the text
 */

/** @returns {Step} */
const step = (/** @type {string} */ name, /** @type {readonly string[]} */ args, more = {}) => ({
  name,
  args,
  ...more,
});

const threads = ['--threads', '1', '--device', 'cpu'];
const machine = [...threads, '--seed', '7'];
const text = ['--data_path', 'input.txt'];
const char = [...text, '--tokenization', 'char'];
const bpe = [...text, '--tokenization', 'bpe'];
const training = [
  ...['--preset', 'nano', '--max_iters', '40', '--eval_interval', '20', '--eval_iters', '4'],
  ...['--warmup_iters', '10', '--log_interval', '10'],
];
const rewardSamples = ['--samples_per_chunk', '1', '--reward_train_samples', '128', '--reward_val_samples', '64'];
const rewardSteps = ['--reward_max_iters', '20', '--reward_eval_interval', '10'];
const grpo = [
  ...['--grpo_max_steps', '4', '--prompts_per_step', '2', '--group_size', '4', '--grpo_eval_prompts', '8'],
  ...['--perplexity_interval', '2', '--ptx_batch_size', '8'],
];
const project = [...char, ...training, ...rewardSamples, ...rewardSteps, ...grpo, '--max_cycles', '2', ...machine];

const commands = [
  ...['start', 'serve', 'preview', 'new', 'cycle', 'list', 'clone', 'import', 'rm', 'train', 'prepare_reward_data'],
  ...['train_reward_model', 'train_grpo', 'rate', 'sample', 'perplexity', 'dataset_info', 'export', 'doctor'],
];

/** Asks for everything that can go wrong before TensorFlow is loaded. */
const faults = [
  step('unknown-command', ['trian'], { code: 2 }),
  step('unknown-flag', ['train', ...char, '--n_layr', '2'], { code: 2 }),
  step('bad-values', ['train', ...char, '--n_embd', '65', '--n_head', '4', '--train_split', '2'], { code: 2 }),
  step('bad-values-json', ['cycle', 'p', ...char, '--reward_kind', 'criticc', '--json'], { code: 2 }),
  step('missing-text', ['train', '--data_path', 'nowhere.txt', '--out_dir', 'out'], { code: 2 }),
  step('missing-model', ['sample', 'nowhere', ...machine], { code: 2 }),
  step('reward-shape-without-critic', ['new', 'p', ...char, '--reward_kind', 'head', '--reward_shape', 'log_ratio'], {
    code: 2,
  }),
  step('missing-archive', ['import', 'nowhere.tar'], { code: 2 }),
];

/** Exports a model in both forms, and reads each form back by measuring it. */
const exported = (/** @type {string} */ model, /** @type {readonly string[]} */ data) =>
  ['huggingface', 'nanogpt'].flatMap((format) => [
    step(`export-${format}`, ['export', model, '--format', format, '--out_dir', `out-${format}`]),
    step(`perplexity-${format}`, [
      ...['perplexity', format === 'nanogpt' ? `out-${format}/ckpt.pt` : `out-${format}`, ...data, ...machine],
      ...(format === 'nanogpt' && data === char ? ['--meta_path', `out-${format}/meta.pkl`] : []),
    ]),
  ]);

const rewardModel = (/** @type {string} */ out, /** @type {readonly string[]} */ flags) =>
  step(`train_reward_model-${out}`, [
    ...['train_reward_model', '--model_path', 'base', '--reward_data', 'reward_data', '--out_dir', out],
    ...[...rewardSteps, ...flags, ...machine],
  ]);

const improve = (/** @type {string} */ out, /** @type {readonly string[]} */ flags) =>
  step(`train_grpo-${out}`, [
    ...['train_grpo', '--model_path', 'base', '--out_dir', out, ...text, ...grpo, ...flags, ...machine],
  ]);

/** @type {readonly Run[]} */
export const plan = [
  {
    name: 'help',
    steps: [
      step('version', ['--version']),
      step('general', ['--help']),
      ...commands.map((name) => step(name, [name, '--help'])),
    ],
  },
  { name: 'faults', steps: faults },
  {
    name: 'texts',
    inputs: ['input.txt', 'rows.jsonl', 'rows.jsonl.gz', 'part-1.txt', 'part-2.txt', 'settings.json'],
    steps: [
      step('new-plain', ['new', 'plain', ...char, '--preset', 'nano']),
      step('new-auto', ['new', 'auto', ...text, '--preset', 'nano', '--json']),
      step('new-lines', ['new', 'lines', '--data_path', 'rows.jsonl', '--tokenization', 'char', '--preset', 'nano']),
      step('new-packed', [
        'new',
        'packed',
        '--data_path',
        'rows.jsonl.gz',
        '--tokenization',
        'bpe',
        '--preset',
        'nano',
      ]),
      step('new-pattern', ['new', 'pattern', '--data_path', 'part-*.txt', '--tokenization', 'char']),
      step('new-config', ['new', 'configured', '--config', 'settings.json', '--n_layer', '3']),
      step('preview-char', ['preview', ...char, '--preset', 'nano', ...machine]),
      step('preview-bpe', ['preview', ...bpe, '--preset', 'tiny', ...machine, '--json']),
      step('clone', ['clone', 'plain', '--to', 'cloned', '--n_embd', '32', '--reward_kind', 'hybrid']),
      step('list', ['list', '.']),
      step('rm', ['rm', 'auto']),
      step('rm-force', ['rm', 'lines', '--force']),
      step('list-json', ['list', '.', '--json']),
    ],
  },
  {
    name: 'commands-char',
    steps: [
      step('train', ['train', ...char, ...training, ...machine, '--out_dir', 'base', '--tensorboard', 'true']),
      step('train-again', ['train', ...char, ...training, ...machine, '--out_dir', 'base', '--tensorboard', 'true']),
      step('train-critic', [
        ...['train', ...char, ...training, ...machine, '--out_dir', 'critic'],
        ...['--max_iters', '80', '--dropout', '0.1', '--gradient_accumulation_steps', '2'],
      ]),
      step('train-binary', [
        ...['train', '--input_mode', 'binary', '--train_bin', 'base/data/train.bin', '--val_bin', 'base/data/val.bin'],
        ...['--tokenization', 'char', '--meta_path', 'base/data/meta.pkl', ...training, ...machine],
        ...['--out_dir', 'binary', '--bias', 'false', '--json'],
      ]),
      step('perplexity', ['perplexity', 'base', ...char, ...machine]),
      step('perplexity-train', ['perplexity', 'base', ...char, '--split', 'train', ...machine, '--json']),
      step('sample', ['sample', 'base', '--prompt', 'The whale', '--num_samples', '3', ...machine]),
      step('sample-json', [
        ...['sample', 'base', '--num_samples', '2', '--max_new_tokens', '50', '--temperature', '0.7', '--top_k', '5'],
        ...[...machine, '--json'],
      ]),
      step('preview-model', ['preview', ...char, '--model_path', 'base', ...machine]),
      step('prepare_reward_data', [
        ...['prepare_reward_data', '--model_path', 'base', '--output_dir', 'reward_data', ...text],
        ...[...rewardSamples, ...machine],
      ]),
      step('dataset_info', ['dataset_info', 'reward_data']),
      step('dataset_info-json', ['dataset_info', 'reward_data', '--json']),
      rewardModel('head', ['--reward_kind', 'head']),
      rewardModel('attention', [
        ...['--reward_kind', 'head', '--reward_pooling', 'attention', '--reward_loss', 'cross_entropy'],
        ...['--reward_unfreeze', '1', '--json'],
      ]),
      rewardModel('token', ['--reward_kind', 'token']),
      rewardModel('by-critic', ['--reward_kind', 'critic', '--critic_path', 'critic']),
      rewardModel('hybrid', ['--reward_kind', 'hybrid', '--critic_path', 'critic']),
      improve('grpo-head', ['--reward_model_path', 'head', '--num_iterations', '2', '--kl_target', '0.01']),
      improve('grpo-critic', [
        ...['--reward_model_path', 'by-critic', '--reward_shape', 'token_log_ratio', '--scale_rewards', 'none'],
        ...['--loss_type', 'dapo', '--ptx_coef', '1', '--policy_average', '0.9', '--json'],
      ]),
      ...exported('base', char),
    ],
  },
  {
    name: 'commands-bpe',
    steps: [
      step('train', [
        'train',
        ...bpe,
        ...training,
        '--max_iters',
        '4',
        '--eval_interval',
        '2',
        ...machine,
        '--out_dir',
        'base',
      ]),
      step('train-binary', [
        ...['train', '--input_mode', 'binary', '--train_bin', 'base/data/train.bin', '--val_bin', 'base/data/val.bin'],
        ...['--tokenization', 'bpe', ...training, '--max_iters', '4', '--eval_interval', '2', ...machine],
        ...['--out_dir', 'binary'],
      ]),
      step('perplexity', ['perplexity', 'base', ...bpe, ...machine]),
      step('sample', [
        'sample',
        'base',
        '--prompt',
        'The whale',
        '--num_samples',
        '2',
        '--max_new_tokens',
        '20',
        ...machine,
      ]),
      step('prepare_reward_data', [
        ...['prepare_reward_data', '--model_path', 'base', '--output_dir', 'reward_data', ...text],
        ...['--reward_train_samples', '32', '--reward_val_samples', '16', '--samples_per_chunk', '1', ...machine],
      ]),
      step('dataset_info', ['dataset_info', 'reward_data']),
      rewardModel('token', ['--reward_kind', 'token', '--reward_max_iters', '4', '--reward_eval_interval', '2']),
      ...exported('base', bpe),
    ],
  },
  {
    name: 'project-critic',
    steps: [
      step('cycle', [
        ...['cycle', 'p', ...project, '--reward_kind', 'critic', '--reward_shape', 'token_log_ratio'],
        ...['--critic_length', '2', '--judge_passages', '16', '--judge_length', '1'],
      ]),
      step('cycle-again', ['cycle', 'p']),
      step('sample', ['sample', 'p', '--num_samples', '1', ...machine]),
      step('rate', ['rate', 'p', '--passages', '4', ...threads], { input: 'n\ng\n\nb\nn\nwhat\ng\nq\n' }),
      step('rate-json', ['rate', 'p', '--passages', '4', '--json', ...threads], { input: '' }),
      step('export', ['export', 'p', '--format', 'project', '--file', 'p.verisim.tar']),
      step('import', ['import', 'p.verisim.tar', '--project', 'back']),
      step('export-model', ['export', 'p', '--out_dir', 'model']),
      step('list', ['list', '.', '--json']),
    ],
  },
  {
    name: 'project-hybrid',
    steps: [
      step('cycle', [
        ...[
          'cycle',
          'p',
          ...project,
          '--reward_kind',
          'hybrid',
          '--reward_shape',
          'log_ratio',
          '--judge_passages',
          '0',
        ],
        ...['--critic_length', '2', '--critic_strengthen', '1', '--tensorboard', 'true', '--json'],
      ]),
    ],
  },
  {
    name: 'project-head',
    steps: [
      step('new', [
        ...['new', 'p', ...project, '--reward_kind', 'head', '--reward_shape', 'fraction', '--judge_passages', '0'],
        ...['--max_cycles', '1', '--reward_compare', 'true', '--critic_length', '1'],
      ]),
      step('cycle', ['cycle', 'p']),
      step('cycle-on', ['cycle', 'p', '--max_cycles', '2', '--json']),
    ],
  },
  {
    name: 'project-token',
    steps: [
      step('cycle', [
        ...['cycle', 'p', ...project, '--reward_kind', 'token', '--reward_shape', 'fraction', '--judge_passages', '0'],
        ...['--scale_rewards', 'group', '--loss_type', 'grpo', '--ptx_coef', '0', '--policy_average', '0'],
      ]),
    ],
  },
];
