/** The README of an export for TRL. */
import type { Language } from '../../../../shared/language.js';

interface Words {
  readonly lead: string;
  readonly all: string;
  readonly ten: string;
  readonly files: readonly (readonly [name: string, what: string])[];
  readonly reward: string;
}

const english: Words = {
  lead: 'This model and its reward were exported by Verisim for training with TRL.',
  all: 'TRL’s GRPO, with the project’s settings, into trained/',
  ten: 'only ten steps',
  files: [
    ['reward.py', 'the reward, as TRL calls it'],
    ['prompts.jsonl', 'beginnings from the text it was trained on, half a block each'],
    ['settings.json', 'the project’s settings'],
    ['the rest', 'the model for AutoModelForCausalLM.from_pretrained, and the reward model’s weights'],
  ],
  reward: `The reward is the mean of log r - log q over the completion for a critic, each token bounded; q is this model as it was
exported. For a reward model of kind head it is P(natural). Rewards of single tokens (token_log_ratio, expected_log_ratio), the mix with
text and the KL target have no equivalent in TRL.`,
};

const german: Words = {
  lead: 'Dieses Modell und seine Belohnung hat Verisim für das Training mit TRL exportiert.',
  all: 'GRPO von TRL mit den Einstellungen des Projekts, nach trained/',
  ten: 'nur zehn Schritte',
  files: [
    ['reward.py', 'die Belohnung, wie TRL sie aufruft'],
    ['prompts.jsonl', 'Anfänge aus dem Text, mit dem trainiert wurde, je einen halben Block lang'],
    ['settings.json', 'die Einstellungen des Projekts'],
    ['alles andere', 'das Modell für AutoModelForCausalLM.from_pretrained und die Gewichte des Belohnungsmodells'],
  ],
  reward: `Die Belohnung ist bei einem Kritiker das Mittel von log r - log q über die Fortsetzung, jedes Token begrenzt; q ist dieses Modell,
wie es exportiert wurde. Bei einem Belohnungsmodell der Art head ist sie P(natürlich). Belohnungen einzelner Tokens (token_log_ratio,
expected_log_ratio), der Anteil mit Text und das KL-Ziel haben in TRL keine Entsprechung.`,
};

const words: Readonly<Record<Language, Words>> = { en: english, de: german };

export function readmeIn(language: Language): string {
  const { lead, all, ten, files, reward } = words[language];
  const width = Math.max(...files.map(([name]) => name.length)) + 2;
  return `${lead}

    pip install torch transformers datasets trl
    python train_trl.py            ${all}
    python train_trl.py 10         ${ten}

${files.map(([name, what]) => `${name.padEnd(width)}${what}`).join('\n')}

${reward}
`;
}
