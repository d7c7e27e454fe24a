/**
 * The field's words, explained in a sentence or two for someone who meets them for the first time. Shown on hover and
 * on keyboard focus wherever a term appears (`<TermHint>`).
 */
interface Term {
  readonly word: string;
  readonly meaning: string;
}

export const glossary = {
  perplexity: {
    word: 'Perplexity',
    meaning:
      'How many tokens the model hesitates between, on average, on text it has not seen. Lower is better; 1 would be certainty. Only models that cut text into the same tokens can be compared by it.',
  },
  nats_per_character: {
    word: 'Nats per character',
    meaning:
      'How surprised the model is by each character of text it has not seen, in nats. Lower is better. It does not depend on how the text is cut into tokens, so any two models of the same text can be compared by it.',
  },
  bits_per_byte: {
    word: 'Bits per byte',
    meaning:
      'How many bits the model would need for each byte of text it has not seen, were it used to compress it. Lower is better; as nats per character, it does not depend on the tokens.',
  },
  words_known: {
    word: 'Known words',
    meaning:
      'Share of the written words that occur in the training text. What is missing are words that the model made up, and words of its own knowledge where it began from a pretrained model.',
  },
  loss: {
    word: 'Loss',
    meaning:
      'How surprised the model is by the true next token, in nats per token. Lower is better; perplexity is e to its power.',
  },
  reward_loss: {
    word: 'Loss of the reward model',
    meaning:
      'How far its answers are from the true share of a passage that is natural. Lower is better; always answering the middle has a squared error of about 0.08.',
  },
  grpo_loss: {
    word: 'GRPO loss',
    meaning:
      'What one update minimises. It hovers around zero by design and says nothing about progress: watch reward, KL and held-out perplexity.',
  },
  token: {
    word: 'Token',
    meaning: 'The piece of text a model reads and writes at once: a character, or a piece of a word.',
  },
  natural: { word: 'Natural', meaning: 'Unmodified text from your corpus.' },
  generated: { word: 'Generated', meaning: 'Text that the model wrote.' },
  crossover: {
    word: 'Crossover point K',
    meaning: 'Where a passage stops being natural: its first K tokens are from your text, the rest the model wrote.',
  },
  reward_model: {
    word: 'Reward model',
    meaning: 'Says how much of a passage is natural and how much generated: what the writing is improved against.',
  },
  reward: {
    word: 'Reward',
    meaning: 'What the reward model says of a completion: 100% is “all natural”, 0% is “all generated”.',
  },
  evidence: {
    word: 'Evidence',
    meaning:
      'How much likelier the critic finds a token than the model that wrote it, in nats. Above zero it sounds more like your text than the model knew.',
  },
  critic: {
    word: 'Critic',
    meaning:
      'A stronger language model of your text. Where it and the generator disagree, the reward model sees who wrote a passage.',
  },
  independent_judge: {
    word: 'Independent judge',
    meaning:
      'A larger language model of your text that only reads and is never trained against: nothing the model learns can be a trick to please it.',
  },
  fresh_discriminator: {
    word: 'Fresh discriminator',
    meaning:
      'A detector trained anew on this model’s writing. The lower its R², the harder the writing is to tell from your text.',
  },
  nats: {
    word: 'Nats per token',
    meaning:
      'How surprised a reader is by each token, on average: 0 is no surprise, and 0.69 more is twice as surprising.',
  },
  human_rating: {
    word: 'Rating',
    meaning:
      'How far people prefer a version’s writing, from all their answers about pairs (Bradley–Terry with ties). 400 points above another are odds of ten to one.',
  },
  p_natural: {
    word: 'P(natural)',
    meaning:
      'What the newest reward model says at the end of these passages, on average: 100% is “all natural”, 0% is “all generated”.',
  },
  grpo: {
    word: 'GRPO',
    meaning:
      'Group relative policy optimisation: for each prompt the model writes several completions, and those judged better than their group become likelier.',
  },
  advantage: {
    word: 'Advantage',
    meaning:
      'How much better a completion was judged than the others for the same prompt; above zero it becomes likelier.',
  },
  kl: {
    word: 'KL divergence',
    meaning:
      'How far the model has moved from the one this cycle began with, in nats per token. Beyond the cap, GRPO stops.',
  },
  beta: {
    word: 'β',
    meaning:
      'How strongly the model is held to where the cycle began: the weight of the KL in each update. With a KL target it is adapted at every step.',
  },
  ptx: {
    word: 'Pre-training mix',
    meaning:
      'Each update also learns from passages of your text, from their own tokens or from what the critic expects there, so that the language is kept; this is the loss on them.',
  },
  reward_spread: {
    word: 'Spread of the reward',
    meaning:
      'Standard deviation of the rewards, within groups of the same prompt and within the whole batch. Without any, there is nothing to learn from.',
  },
  zero_variance: {
    word: 'Zero-variance groups',
    meaning: 'Share of the groups in which every completion has the same reward: they teach nothing.',
  },
  entropy: {
    word: 'Entropy',
    meaning: 'How undecided the model is about the next token. Falling quickly, it writes ever more of the same.',
  },
  clip_ratio: {
    word: 'Clip ratio',
    meaning: 'Share of tokens whose update was cut short because it went too far in one step.',
  },
  r2: {
    word: 'R²',
    meaning:
      'How much of the differences the reward model explains: 1 is perfect, 0 is no better than always saying the mean.',
  },
  calibration: {
    word: 'Calibration',
    meaning: 'Whether what the reward model says holds: of passages it calls 70% natural, 70% should be.',
  },
  tokens_per_second: {
    word: 'Tokens per second',
    meaning: 'How much text this machine works through while it trains.',
  },
  tokens_so_far: {
    word: 'Tokens so far',
    meaning: 'What the steps of this phase have worked through, prompts included.',
  },
  seconds_per_step: {
    word: 'Time of a step',
    meaning: 'Where it goes: writing the completions, scoring them, and learning from them.',
  },
  mfu: {
    word: 'MFU',
    meaning: 'Model FLOPs utilisation: the share of this machine’s measured peak speed that training really uses.',
  },
  learning_rate: { word: 'Learning rate', meaning: 'How large a step each update takes.' },
  grad_norm: {
    word: 'Gradient norm',
    meaning: 'How strongly a batch asks for change. Sudden peaks are a sign of trouble; they are clipped.',
  },
  early_stopping: {
    word: 'Early stopping',
    meaning: 'Training ends when the held-out loss has not improved for a while, and the best model is kept.',
  },
  distinct_2: {
    word: 'Distinct-2',
    meaning: 'Share of different pairs among all pairs of neighbouring tokens: how varied the writing is.',
  },
  distinct_3: {
    word: 'Distinct-3',
    meaning: 'Share of different triples among all triples of neighbouring tokens: how varied the writing is.',
  },
  copied_share: {
    word: 'Copied share',
    meaning: 'Share of the writing that stands word for word in the training text.',
  },
  longest_copied: {
    word: 'Longest copy',
    meaning: 'The longest stretch of a completion that stands word for word in the training text.',
  },
  repetition: {
    word: 'Longest repetition',
    meaning:
      'The longest stretch of a completion that is one piece said at least twice in a row, on average. Rising, the writing begins to loop.',
  },
  completion_length: {
    word: 'Length of completions',
    meaning: 'How much is written after each prompt, on average.',
  },
  judge_gain: {
    word: 'Gain over the base model',
    meaning: 'By how many nats per token the judge finds the writing likelier than that of the first base model.',
  },
  temperature: { word: 'Temperature', meaning: 'Below 1 the writing is safer, above 1 more surprising.' },
  top_p: {
    word: 'Top-p',
    meaning:
      'Choose only among the likeliest tokens that together have this share of the probability: 0.9 leaves out the unlikeliest tenth, 1 nothing.',
  },
  top_k: { word: 'Top-k', meaning: 'Choose only among this many of the likeliest tokens.' },
  seed: { word: 'Seed', meaning: 'The number all chance is made from: the same seed gives the same text again.' },
  bpe: {
    word: 'Word pieces (BPE)',
    meaning: 'GPT-2’s vocabulary of 50,257 frequent letter groups; good for large texts.',
  },
  char: { word: 'Characters', meaning: 'One token per character; good for small texts and small models.' },
} satisfies Record<string, Term>;

export type TermName = keyof typeof glossary;
