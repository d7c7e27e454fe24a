/** The README of a project that is trained on elsewhere: what lies there, and the commands for each program, in every language. */
import type { Language } from '../../../../shared/language.js';

interface Words {
  readonly lead: string;
  readonly all: string;
  readonly ten: string;
  /** What lies there: beside its name, which is as wide as the longest. */
  readonly files: readonly (readonly [name: string, what: string])[];
  readonly reward: string;
  readonly verl: string;
  readonly openrlhf: string;
}

const english: Words = {
  lead: 'This model and its reward were exported by Verisim, to be trained on with other programs.',
  all: 'TRL’s GRPO, with the project’s settings, into trained/',
  ten: 'only ten steps',
  files: [
    ['reward.py', 'the reward: reward() for TRL, compute_score() for verl, reward_func() for OpenRLHF'],
    ['prompts.jsonl', 'beginnings from the text it was trained on, half a block each'],
    ['settings.json', 'what the project is set to'],
    ['the rest', 'the model for AutoModelForCausalLM.from_pretrained, and the reward model’s weights'],
  ],
  reward: `What the reward is: with a reward model of kind critic or hybrid the mean of log r - log q over what was written, each token
bounded (Verisim's reward shape log_ratio), q being this model as it was exported; with kind head or token P(natural).
Rewards of single tokens (token_log_ratio, expected_log_ratio), the mix with text and the KL target have no place there.`,
  verl: 'verl 0.9 (Verisim’s authors have seen it call the reward, and not trained with it): write the prompts as it wants them, then train.',
  openrlhf: 'OpenRLHF 0.11 (the same of it):',
};

const german: Words = {
  lead: 'Dieses Modell und seine Belohnung hat Verisim exportiert, um sie mit anderen Programmen weiterzutrainieren.',
  all: 'GRPO von TRL mit den Einstellungen des Projekts, nach trained/',
  ten: 'nur zehn Schritte',
  files: [
    ['reward.py', 'die Belohnung: reward() für TRL, compute_score() für verl, reward_func() für OpenRLHF'],
    ['prompts.jsonl', 'Anfänge aus dem Text, mit dem trainiert wurde, je einen halben Block lang'],
    ['settings.json', 'wie das Projekt eingestellt ist'],
    ['alles andere', 'das Modell für AutoModelForCausalLM.from_pretrained und die Gewichte des Belohnungsmodells'],
  ],
  reward: `Was die Belohnung ist: bei einem Belohnungsmodell der Art critic oder hybrid das Mittel von log r - log q über das Geschriebene,
jedes Token begrenzt (die Form log_ratio in Verisim), wobei q dieses Modell ist, wie es exportiert wurde; bei head oder token P(natürlich).
Belohnungen einzelner Tokens (token_log_ratio, expected_log_ratio), der Anteil mit Text und das KL-Ziel haben dort keinen Platz.`,
  verl: 'verl 0.9 (die Autoren von Verisim haben gesehen, dass es die Belohnung aufruft, und nicht damit trainiert): die Prompts schreiben, wie es sie braucht, dann trainieren.',
  openrlhf: 'OpenRLHF 0.11 (dafür gilt dasselbe):',
};

const words: Readonly<Record<Language, Words>> = { en: english, de: german };

/** @param block how many tokens a passage has; @param group how many are written to each prompt */
export function readmeIn(
  language: Language,
  { block, group }: { readonly block: number; readonly group: number },
): string {
  const { lead, all, ten, files, reward, verl, openrlhf } = words[language];
  const half = Math.floor(block / 2);
  const width = Math.max(...files.map(([name]) => name.length)) + 2;
  return `${lead}

    pip install torch transformers datasets trl
    python train_trl.py            ${all}
    python train_trl.py 10         ${ten}

${files.map(([name, what]) => `${name.padEnd(width)}${what}`).join('\n')}

${reward}

${verl}

    python -c "
    import datasets
    rows = datasets.load_dataset('json', data_files='prompts.jsonl', split='train')
    rows.map(lambda row: {'data_source': 'verisim', 'prompt': [{'role': 'user', 'content': row['prompt']}],
        'reward_model': {'style': 'rule', 'ground_truth': ''}, 'extra_info': {'prompt': row['prompt']}}).to_parquet('prompts.parquet')"
    python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=. \\
        +actor_rollout_ref.model.custom_chat_template="{% for m in messages %}{{ m['content'] }}{% endfor %}" \\
        data.train_files=prompts.parquet data.val_files=prompts.parquet \\
        data.max_prompt_length=${half} data.max_response_length=${half} actor_rollout_ref.rollout.n=${group} \\
        custom_reward_function.path=reward.py custom_reward_function.name=compute_score

${openrlhf}

    python -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path . --reward.remote_url reward.py \\
        --data.prompt_dataset prompts.jsonl --data.input_key prompt --data.max_len ${block} --rollout.max_new_tokens ${half} \\
        --algo.advantage.estimator group_norm --rollout.n_samples_per_prompt ${group}
`;
}
