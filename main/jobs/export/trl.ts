/** Exports a project's newest model, its reward model and prompts from its text, for GRPO by TRL. */
import { logRatioBound } from '../../../shared/config/grpo.js';
import { join } from 'node:path';
import { isRewardHead, parameterCount } from '../../../shared/architectures/index.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { UserError } from '../../../shared/errors.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { localized } from '../../../shared/messages/message.js';
import { merged } from '../../engine/model/adapters.js';
import { cutAtCharacter } from '../../engine/tokenizer/index.js';
import { writeHuggingFaceModel } from '../../formats/huggingface.js';
import { documentFormat } from '../../formats/pages/document.js';
import { encodeSafetensors } from '../../formats/safetensors.js';
import { stableJson } from '../../formats/stable-json.js';
import { openTokenFile } from '../../storage/datasets/token-files.js';
import type { Bytes } from '../../storage/disk/file-bytes.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { mustBeFinite, newestModel, openModel, type LoadedModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { rewardScript, trainScript } from './trl-scripts.js';

/** Enough for a run of usual length without repetition. */
const PROMPTS = 4096;

interface TrlFiles {
  readonly files: Readonly<Record<string, Bytes>>;
  readonly bytes: number;
}

/** @throws UserError `bad_input` for anything but a project; `checkpoint`, `file_not_found` if it has no reward model yet */
export async function trlFiles(
  generator: LoadedModel,
  { path, language }: { readonly path: string; readonly language: Language },
): Promise<TrlFiles> {
  if (!isProject(path)) {
    throw new UserError({
      code: 'bad_input',
      message: localized('trl.not_a_project', { path }),
      hint: localized('trl.choose_project'),
      field: 'model_path',
    });
  }
  const { config, paths } = openProject(path);
  if (newestModel(paths.checkpoints, 'reward') === null) {
    throw new UserError({
      code: 'checkpoint',
      message: localized('trl.no_reward_model', { path }),
      hint: localized('trl.train_cycle_first'),
      field: 'model_path',
    });
  }
  const opened = openModel(path, 'reward', { context: { emit: () => undefined } });
  mustBeFinite(opened, path);
  const reward = merged({ model: opened.config, weights: opened.weights });
  const entries = Object.entries(reward.weights);
  const head = Object.fromEntries(entries.filter(([name]) => isRewardHead(name)));
  const trunk = Object.fromEntries(entries.filter(([name]) => !isRewardHead(name)));
  const judge = writeHuggingFaceModel({ ...reward.model, mode: 'generator' }, trunk);
  const { block_size } = generator.config;
  return {
    files: {
      'reward-config.json': judge['config.json'],
      'reward-model.safetensors': judge['model.safetensors'],
      'reward-head.safetensors': encodeSafetensors(head, { format: 'pt' }),
      'settings.json': `${stableJson(settingsOf(config, reward.model, block_size), 2)}\n`,
      'prompts.jsonl': await promptLines(generator, join(paths.data, 'train.bin')),
      'reward.py': rewardScript,
      'train_trl.py': trainScript,
      'README.txt': documentFormat(language)('exported.trl'),
    },
    bytes: 4 * (parameterCount(generator.config) + parameterCount(reward.model)),
  };
}

function settingsOf(config: ProjectConfig, reward: GPTConfig, block_size: number) {
  const { group_size, prompts_per_step, num_iterations, beta, epsilon, temperature } = config;
  const { loss_type, scale_rewards, grpo_learning_rate, grpo_lr_schedule, grpo_warmup_steps, grpo_max_steps } = config;
  const group = { block_size, group_size, prompts_per_step, num_iterations, beta, epsilon };
  const schedule = { loss_type, scale_rewards, grpo_learning_rate, grpo_lr_schedule, grpo_warmup_steps };
  return {
    ...group,
    log_ratio_bound: logRatioBound(config),
    temperature,
    ...schedule,
    grpo_max_steps,
    reward_kind: reward.reward_kind ?? 'head',
  };
}

/** Beginnings of half a block from all over the text, of whole characters, so of about one length; one JSON object a line. */
export async function promptLines(
  { config, tokenization }: Pick<LoadedModel, 'config' | 'tokenization'>,
  path: string,
): Promise<string> {
  const tokenizer = await tokenizerOf(tokenization);
  const tokens = openTokenFile(path, { split: 'train', vocabSize: config.vocab_size });
  try {
    const length = Math.max(1, Math.min(Math.floor(config.block_size / 2), tokens.length));
    const places = tokens.length - length + 1;
    return Array.from({ length: Math.min(PROMPTS, places) }, (_, i) => {
      const ids = tokens.read(Math.floor((i * places) / Math.min(PROMPTS, places)), length);
      const text = tokenizer.decode(ids.subarray(0, cutAtCharacter(tokenizer, ids, length)));
      return `${JSON.stringify({ prompt: text.replace(/^\ufffd+/, '') })}\n`;
    }).join('');
  } finally {
    tokens.close();
  }
}
