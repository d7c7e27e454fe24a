// shared/config/init.ts
import { z as z2 } from "zod";

// shared/config/parameter.ts
import { z } from "zod";
function parameter(schema, info) {
  return schema.meta({ ...info });
}
var whole = (min, max = Number.MAX_SAFE_INTEGER) => z.int().min(min).max(max);
var real = (min, max = Number.MAX_VALUE) => z.number().min(min).max(max);
var positive = () => z.number().positive();

// shared/config/init.ts
var initShape = {
  init_from: parameter(z2.string().min(1).optional(), {
    label: "Begin from",
    help: "A model to train further: its folder, that of a Hugging Face model (gpt2, llama, qwen2, qwen3 or nanochat), a GGUF file, or a name on the Hugging Face hub (owner/name), from where it is downloaded once. Its shape and its tokens are then the model\u2019s. Unset or scratch: from nothing.",
    path: "folder"
  })
};

// shared/config/model.ts
import { z as z4 } from "zod";

// shared/config/tune.ts
import { z as z3 } from "zod";
var rank = whole(1, 4096);
var projections = z3.enum(["all", "attention", "feed_forward"]);
var tuneShape = {
  tune: parameter(z3.enum(["full", "lora"]).default("full"), {
    label: "What is trained",
    help: "{full}: every weight. {lora}: small adapters beside the weights of the model to begin from, which stay as they are; this takes a fraction of the memory. Adapters want a learning rate about ten times as large.",
    choices: { full: "All weights", lora: "Small adapters (LoRA)" }
  }),
  lora_rank: parameter(rank.default(16), {
    label: "Rank of the adapters",
    help: "With {tune=lora}: how much an adapter can change; larger learns more and takes more memory.",
    advanced: true
  }),
  lora_alpha: parameter(positive().default(32), {
    label: "Weight of the adapters",
    help: "With {tune=lora}: what an adapter adds is multiplied by this, divided by its rank.",
    advanced: true
  }),
  lora_projections: parameter(projections.default("all"), {
    label: "Adapted matrices",
    help: "With {tune=lora}: which matrices of each block have an adapter, those of attention, those of the feed-forward network, or all.",
    choices: { all: "All", attention: "Attention", feed_forward: "Feed-forward" },
    advanced: true
  })
};
var loraSchema = z3.object({ rank, alpha: positive(), projections });

// shared/config/model.ts
var modelShape = {
  architecture: parameter(z4.enum(["gpt2", "modern"]).default("gpt2"), {
    label: "Architecture",
    help: "How a network that starts from scratch is built: {gpt2} as nanoGPT has it; {modern} with what has been found since (rotary positions, RMSNorm, normed queries and keys, squared ReLU, bounded scores), as transformers\u2019 NanoChat. A model to begin from keeps its own.",
    choices: { gpt2: "GPT-2", modern: "Modern" },
    advanced: true
  }),
  block_size: parameter(whole(2, 65536).default(1024), {
    label: "Context length",
    help: "How many tokens the model sees at once."
  }),
  eval_block_size: parameter(whole(2, 65536).nullable().default(null), {
    label: "Context of held-out text",
    help: "How many tokens the model sees at once when its loss on held-out text is measured: longer than the context only as far as the positions of the model to begin from reach. Unset means the context length.",
    advanced: true
  }),
  vocab_size: parameter(whole(1, 65536).default(50304), {
    label: "Vocabulary size",
    help: "How many different tokens there are; taken from the tokenizer when data is prepared.",
    advanced: true
  }),
  n_layer: parameter(whole(1, 256).default(12), {
    label: "Layers",
    help: "How many transformer blocks are stacked."
  }),
  n_head: parameter(whole(1, 256).default(12), {
    label: "Attention heads",
    help: "How many places each layer can attend to at once; must divide the width."
  }),
  n_embd: parameter(whole(1, 65536).default(768), {
    label: "Width",
    help: "How many numbers describe each token inside the model."
  }),
  dropout: parameter(real(0, 0.99).default(0), {
    label: "Dropout",
    help: "Share of activations switched off at random in training, against memorising a small text."
  }),
  bias: parameter(z4.boolean().default(true), {
    label: "Biases",
    help: "Whether linear layers and layer norms have a bias, as in GPT-2; with {architecture=modern} there are none.",
    advanced: true
  }),
  mode: parameter(z4.enum(["generator", "reward"]).default("generator"), {
    label: "Mode",
    help: "{generator} predicts the next token; {reward} predicts how much of a passage is natural.",
    choices: { generator: "Generator", reward: "Reward model" },
    advanced: true
  }),
  reward_head_hidden_dim: parameter(whole(1, 65536).default(256), {
    label: "Reward head width",
    help: "Hidden units of the reward model\u2019s head.",
    advanced: true
  }),
  reward_kind: parameter(z4.enum(["head", "token", "critic", "hybrid"]).default("head"), {
    label: "Reward model",
    help: "How natural text is told from generated: {head} is a head on the generator\u2019s last position, {token} decides for each position, {critic} compares with a stronger language model, {hybrid} adds a learned head to the critic.",
    choices: {
      head: "Head on the generator",
      token: "A decision for each token",
      critic: "Critic, a stronger model",
      hybrid: "Critic with a learned head"
    }
  }),
  reward_pooling: parameter(z4.enum(["last", "mean", "attention"]).default("last"), {
    label: "Reward pooling",
    help: "What the head sees with {reward_kind=head}: the last position, the mean of all, or a learned average.",
    choices: { last: "Last position", mean: "Mean of all positions", attention: "Learned average" },
    advanced: true
  })
};
var ropeScalingSchema = z4.discriminatedUnion("type", [
  z4.object({ type: z4.literal("linear"), factor: real(1) }),
  z4.object({
    type: z4.literal("llama3"),
    factor: real(1),
    low_freq_factor: positive(),
    high_freq_factor: positive(),
    /** Positions before they were stretched. */
    original_positions: whole(1)
  }).refine(
    ({ low_freq_factor, high_freq_factor }) => low_freq_factor < high_freq_factor,
    "low_freq_factor of its rope_scaling must be below high_freq_factor"
  )
]);
var rotaryShape = {
  /** Heads of keys and values, each of which serves as many heads of queries as the others (Ainslie et al. 2023). */
  n_kv_head: whole(1, 256),
  /** Numbers of a head; may differ from n_embd / n_head. */
  head_dim: whole(2, 1024).multipleOf(2),
  /** Width inside the feed-forward network. */
  n_inner: whole(1, 1048576),
  norm_epsilon: positive().max(0.1),
  rope_theta: positive(),
  /** Positions that it was made for; `block_size`, how far it looks here, is no more. */
  max_positions: whole(2),
  /** Whether the token embedding is the output layer too. */
  tied_head: z4.boolean()
};
var llamaShapeSchema = z4.object({
  ...rotaryShape,
  rope_scaling: ropeScalingSchema.optional(),
  /** Norms of each head's queries and keys (Qwen3). */
  qk_norm: z4.boolean(),
  /** Which projections of attention have a bias: of queries, keys and values (Qwen2), or the output's too. */
  attention_bias: z4.enum(["none", "inputs", "all"])
});
var modernShapeSchema = z4.object({
  ...rotaryShape,
  /** Scores are this times tanh of themselves divided by it; null: as they are. */
  logit_cap: positive().nullable()
});
var MAX_VOCABULARY = 2 ** 20;
var multipleOfWidth = ({ n_head, architecture }) => architecture === "modern" ? 2 * n_head : n_head;
function nearestWidth(config) {
  const multiple = multipleOfWidth(config);
  return Math.max(1, Math.round(config.n_embd / multiple)) * multiple;
}
var kinds = modelShape.reward_kind.unwrap();
var poolings = modelShape.reward_pooling.unwrap();
var takenOverShape = {
  vocab_size: whole(1, MAX_VOCABULARY).default(50304),
  architecture: z4.enum(["gpt2", "llama", "modern"]).optional(),
  llama: llamaShapeSchema.optional(),
  /** Left out: as those that begin here, from scratch (../architectures/modern.ts). */
  modern: modernShapeSchema.optional()
};
var keptShape = {
  ...modelShape,
  ...takenOverShape,
  /** Left out: held-out text is read as all else, in windows of `block_size`. */
  eval_block_size: modelShape.eval_block_size.unwrap().optional(),
  reward_kind: kinds.optional(),
  reward_pooling: poolings.optional(),
  /** Adapters, which are all that is trained; left out: there are none. */
  lora: loraSchema.optional()
};
var modelConfigSchema = z4.object(keptShape).superRefine((config, context) => {
  const impossible = (field, message) => context.addIssue({ code: "custom", path: [field], message });
  const { architecture = "gpt2", llama, modern, n_embd, n_head, block_size } = config;
  const rotary = llama ?? modern;
  if (architecture === "llama" !== (llama !== void 0)) {
    impossible("llama", `architecture ${architecture} ${llama ? "has no" : "needs a"} llama shape`);
  } else if (modern && architecture !== "modern") {
    impossible("modern", `architecture ${architecture} has no modern shape`);
  } else if (rotary && n_head % rotary.n_kv_head !== 0) {
    impossible(architecture, `n_head (${n_head}) must be divisible by n_kv_head (${rotary.n_kv_head})`);
  } else if (rotary && block_size > rotary.max_positions) {
    impossible("block_size", `block_size (${block_size}) must be at most max_positions (${rotary.max_positions})`);
  } else if (!rotary && n_embd % multipleOfWidth(config) !== 0) {
    const of = multipleOfWidth(config);
    const message = `n_embd (${n_embd}) must be divisible by ${of === n_head ? "" : "twice "}n_head (${n_head}); the nearest that is: ${nearestWidth(config)}`;
    impossible("n_embd", message);
  }
});
var architectureNames = takenOverShape.architecture.unwrap().options;
var rewardKinds = kinds.options;

// shared/config/scoring-models.ts
import { z as z5 } from "zod";
var scoringModelsShape = {
  critic_from: parameter(z5.string().min(1).optional(), {
    label: "Critic from",
    help: "A model that can write already, as init_from takes one, to teach the writer: tuned to the text, it is the critic. A small writer that starts from scratch has those of its tokens that the text uses most; one that begins from a model must have its tokens, as a smaller model of the same family has. Unset: the critic begins as the writer does.",
    path: "folder"
  }),
  critic_steps: parameter(whole(1, 1e6).default(36), {
    label: "Critic\u2019s tuning",
    help: "With critic_from: for how many steps, of about 1,024 tokens each, the critic is tuned to the text.",
    advanced: true
  }),
  critic_length: parameter(real(0.01, 1e3).default(3), {
    label: "Critic\u2019s training",
    help: "The critic is a stronger language model than the generator: it trains this many times as many steps as the base model. Used with {reward_kind=critic} and {reward_kind=hybrid}."
  }),
  critic_width: parameter(real(0.25, 16).default(1), {
    label: "Critic\u2019s width",
    help: "How many times as wide as the base model the critic is.",
    advanced: true
  }),
  critic_average: parameter(real(0, 0.9999).default(0), {
    label: "Critic\u2019s average of weights",
    help: "Keep a running average of the critic\u2019s weights instead of the last: the share of the old average that stays at each step; 0 keeps the last.",
    advanced: true
  }),
  critic_strengthen: parameter(whole(0, 100).default(0), {
    label: "Strengthen the critic",
    help: "When the generator has caught up with the critic, train it on from where it is, up to this many times a cycle; 0 ends the cycles there instead.",
    advanced: true
  }),
  judge_passages: parameter(whole(0, 1e6).default(0), {
    label: "Judged passages",
    help: "How many passages of each generator an independent judge reads, with prompts and without; 0 leaves the judge out, which saves the time to train it."
  }),
  judge_length: parameter(real(0.01, 1e3).default(2), {
    label: "Judge\u2019s training",
    help: "The judge trains this many times as many steps as the base model.",
    advanced: true
  }),
  judge_width: parameter(real(0.25, 16).default(1.5), {
    label: "Judge\u2019s width",
    help: "How many times as wide as the base model the judge is.",
    advanced: true
  }),
  control_share: parameter(real(0, 1).default(0), {
    label: "Control",
    help: "Each cycle is held against training on for this share of its work, by the judge: did it pay? 0 leaves the control out. It needs judged passages.",
    advanced: true
  }),
  reward_compare: parameter(z5.boolean().default(false), {
    label: "Compare reward models",
    help: "Train the other kinds of reward model too, and report how well each sees; only the chosen one is used.",
    advanced: true
  })
};

// shared/cycle-advice.ts
var adviceWords = {
  blind: "Cycles will hardly pay here: a reward model without a critic is no better than guessing at these sizes.",
  teacher: "Cycles pay here: they teach this model what its larger teacher knows.",
  model: "Cycles will hardly pay here: without a larger teacher, training longer gives this model as much.",
  alone: "Cycles will hardly pay here: a critic that knows only this text leads by little. Training longer gives more.",
  few_passes: (passes, steps, enough) => `Train on first: base training goes through the text ${passes} times, and more steps help more than cycles. ${steps} steps go through it ${enough} times.`
};

// shared/words/de-outcome.ts
var adviceInGerman = {
  blind: "Zyklen werden sich hier kaum lohnen: Ein Belohnungsmodell ohne Kritiker r\xE4t bei diesen Gr\xF6\xDFen nur.",
  teacher: "Zyklen lohnen sich hier: Sie bringen diesem Modell bei, was sein gr\xF6\xDFerer Lehrer wei\xDF.",
  model: "Zyklen werden sich hier kaum lohnen: Ohne gr\xF6\xDFeren Lehrer bringt l\xE4ngeres Training diesem Modell ebenso viel.",
  alone: "Zyklen werden sich hier kaum lohnen: Ein Kritiker, der nur diesen Text kennt, ist kaum voraus. L\xE4ngeres Training bringt mehr.",
  few_passes: (passes, steps, enough) => `Zuerst weitertrainieren: Das Basistraining geht ${passes}-mal durch den Text, und mehr Schritte helfen mehr als Zyklen. ${steps} Schritte gehen ${enough}-mal durch ihn.`
};

// renderer/strings/de-told/advice.ts
var FIGURES = [0, 1, 2];
function sentences(words, gap) {
  const { blind, teacher, model, alone, few_passes } = words;
  const [first = "", second = "", third = ""] = FIGURES.map(gap);
  return [blind, teacher, model, alone, few_passes(first, second, third)];
}
var german = sentences(adviceInGerman, (at) => `{${String(at)}}`);
var advice = sentences(adviceWords, () => "{}").map((english, at) => [english, german[at] ?? english]);

// renderer/strings/de-told/models.ts
var models = [
  // main/formats/checkpoint.ts
  ["{} is missing", "{} fehlt"],
  ["{} is larger than {} bytes", "{} ist gr\xF6\xDFer als {} Byte"],
  ["{} is not JSON", "{} ist kein JSON"],
  ["{} has no format_version", "{} hat keine format_version"],
  ["{} has format_version {}; this Verisim reads {}", "{} hat die format_version {}; dieses Verisim liest {}"],
  [
    "It was written by another version of Verisim; open it with that one or a newer one.",
    "Eine andere Version von Verisim hat es geschrieben; mit dieser oder einer neueren \xF6ffnen."
  ],
  ["tensor {} [{}] is missing", "der Tensor {} [{}] fehlt"],
  ["tensor {} has shape [{}], the model needs [{}]", "der Tensor {} hat die Form [{}], das Modell braucht [{}]"],
  ["the model has no tensor {}", "das Modell hat keinen Tensor {}"],
  ["The checkpoint does not fit the model: {}", "Der Checkpoint passt nicht zum Modell: {}"],
  [
    "Use the model shape (n_layer, n_head, n_embd, block_size, vocab_size, bias, mode) it was trained with.",
    "Die Form des Modells (n_layer, n_head, n_embd, block_size, vocab_size, bias, mode) verwenden, mit der er trainiert wurde."
  ],
  [
    "Use another copy of the checkpoint, or train again.",
    "Eine andere Kopie des Checkpoints verwenden oder neu trainieren."
  ],
  // main/formats/foreign-weights.ts
  ["its {} is not {}, which is to be the output layer too", "{} ist nicht {}, das auch die Ausgabeschicht sein soll"],
  [
    "Use a model with tied embeddings, as GPT-2 and nanoGPT have, or one whose config.json says that they are not.",
    "Ein Modell mit gemeinsamen Embeddings verwenden, wie GPT-2 und nanoGPT, oder eines, dessen config.json sagt, dass sie nicht gemeinsam sind."
  ],
  [
    "Use a model of an architecture that Verisim computes.",
    "Ein Modell einer Architektur verwenden, die Verisim rechnet."
  ],
  ["{} cannot be {}", "{} kann nicht {} sein"],
  ["{} cannot be used: {}", "{} l\xE4sst sich nicht verwenden: {}"],
  // main/formats/gguf/gguf-export.ts
  ["llama.cpp has no architecture {}", "llama.cpp hat keine Architektur {}"],
  ["It has these of ours: {}.", "Von unseren hat es diese: {}."],
  ["GGUF has no name for its tensor {}", "GGUF hat keinen Namen f\xFCr den Tensor {}"],
  ["Export it with --format huggingface.", "Als Hugging-Face-Ordner exportieren."],
  // main/formats/gguf/gguf-header.ts
  ["{} cannot be {} bytes long", "{} kann nicht {} Byte lang sein"],
  ["{} is not UTF-8", "{} ist kein UTF-8"],
  ["the value of {}", "der Wert von {}"],
  ["{} has the unknown type {}", "{} hat den unbekannten Typ {}"],
  ["{} is a list of lists, which is not read", "{} ist eine Liste von Listen, die nicht gelesen wird"],
  ["{} is a list of the unknown type {}", "{} ist eine Liste des unbekannten Typs {}"],
  ["{} cannot have {} values", "{} kann nicht {} Werte haben"],
  ["a value of {}", "ein Wert von {}"],
  ["its header is larger than {} bytes", "der Kopf ist gr\xF6\xDFer als {} Byte"],
  ["it was cut short", "die Datei ist abgeschnitten"],
  ["{} is not a readable GGUF file: {}", "{} ist keine lesbare GGUF-Datei: {}"],
  ["Use another copy of the file, or make it again.", "Eine andere Kopie der Datei verwenden oder sie neu erzeugen."],
  // main/formats/gguf/gguf-model.ts
  ["Use a model of one of these architectures: {}.", "Ein Modell einer dieser Architekturen verwenden: {}."],
  ["Use another copy of the model.", "Eine andere Kopie des Modells verwenden."],
  ["its architecture is {}", "die Architektur ist {}"],
  ["it names none", "es nennt keine Architektur"],
  ["it does not say its {}", "es nennt {} nicht"],
  ["its {} is not one number", "{} ist nicht eine einzige Zahl"],
  ["its {}.{} cannot be {}", "{}.{} kann nicht {} sein"],
  ["its {}.{} is {}, but a head has {}", "{}.{} ist {}, aber ein Kopf hat {}"],
  ["it is a mixture of experts", "es ist eine Mischung von Experten"],
  ["it has no token_embd.weight", "es hat kein token_embd.weight"],
  ["its {} are not those of Llama 3.1 or 3.2", "{} sind nicht die von Llama 3.1 oder 3.2"],
  ["it has a tensor {}, which Llama's family has not", "es hat einen Tensor {}, den Llamas Familie nicht hat"],
  ["{} has {} rows, not {} heads of {}", "{} hat {} Zeilen, nicht {} K\xF6pfe zu je {}"],
  // main/formats/gguf/gguf-tokenizer.ts
  ["its tokenizer is of the kind {}", "der Tokenizer ist von der Art {}"],
  ["it has no tokenizer", "es hat keinen Tokenizer"],
  [
    "Use a model whose tokenizer is of the kind gpt2 or llama, or its Hugging Face folder.",
    "Ein Modell verwenden, dessen Tokenizer von der Art gpt2 oder llama ist, oder dessen Hugging-Face-Ordner."
  ],
  [
    "Use the model's Hugging Face folder, or a model whose pattern is one of {}.",
    "Den Hugging-Face-Ordner des Modells verwenden oder ein Modell, dessen Muster eines von {} ist."
  ],
  ["its tokenizer cuts a text as {} does", "der Tokenizer teilt einen Text wie {}"],
  ["its tokens do not have a score each", "nicht jedes Token hat eine Bewertung"],
  ["it has no tokenizer.ggml.{}", "es hat kein tokenizer.ggml.{}"],
  ["its tokens do not have a type each", "nicht jedes Token hat einen Typ"],
  ["it has a token of {} characters", "es hat ein Token von {} Zeichen"],
  // main/formats/gguf/gguf-vocabulary.ts
  [
    "Export it with --format huggingface, which keeps the tokenizer as it is.",
    "Als Hugging-Face-Ordner exportieren, der den Tokenizer beh\xE4lt, wie er ist."
  ],
  [
    "its tokenizer has no token that ends a text, which llama.cpp needs",
    "der Tokenizer hat kein Token, das einen Text beendet; llama.cpp braucht eines"
  ],
  [
    "its tokenizer cuts a text by rules that are none of those which GGUF files name ({})",
    "der Tokenizer teilt einen Text nach Regeln, die GGUF-Dateien nicht kennen ({})"
  ],
  [
    "its tokenizer is neither of bytes nor like SentencePiece\u2019s with byte fallback",
    "der Tokenizer besteht weder aus Bytes noch gleicht er dem von SentencePiece mit Byte-R\xFCckgriff"
  ],
  // main/formats/gguf/gguf.ts
  ["the file", "die Datei"],
  ["it is too short", "sie ist zu kurz"],
  ['it does not begin with "GGUF"', "sie beginnt nicht mit \u201EGGUF\u201C"],
  ["it is written for big-endian machines", "sie ist f\xFCr Big-Endian-Rechner geschrieben"],
  ["it has version {} of the format", "sie hat die Version {} des Formats"],
  [
    "Use a file of version 2 or 3 for ordinary (little-endian) machines.",
    "Eine Datei der Version 2 oder 3 f\xFCr gew\xF6hnliche (Little-Endian-)Rechner verwenden."
  ],
  ["it cannot hold {} tensors", "sie kann nicht {} Tensoren enthalten"],
  ["it cannot hold {} pieces of metadata", "sie kann nicht {} Metadaten enthalten"],
  ["a key of its metadata", "ein Schl\xFCssel der Metadaten"],
  ["it says {} twice", "{} kommt zweimal vor"],
  ["a tensor's name", "der Name eines Tensors"],
  ["it has the tensor {} twice", "der Tensor {} kommt zweimal vor"],
  ["tensor {} cannot have {} axes", "der Tensor {} kann nicht {} Achsen haben"],
  ["tensor {} has the unknown form {}", "der Tensor {} hat die unbekannte Form {}"],
  ["tensor {} is quantised as {}", "der Tensor {} ist als {} quantisiert"],
  [
    "Use a file whose tensors are of these forms: {}.",
    "Eine Datei verwenden, deren Tensoren eine dieser Formen haben: {}."
  ],
  ["tensor {} cannot have the shape [{}]", "der Tensor {} kann nicht die Form [{}] haben"],
  ["rows of {} in tensor {} are no whole blocks of {}", "Zeilen von {} im Tensor {} sind keine ganzen Bl\xF6cke von {}"],
  ["its {} cannot be {}", "{} kann nicht {} sein"],
  ["tensor {} does not begin on {} bytes", "der Tensor {} beginnt nicht auf {} Byte"],
  ["tensor {} overlaps another", "der Tensor {} \xFCberlappt einen anderen"],
  [
    "it was cut short: tensor {} ends {} bytes behind its end",
    "die Datei ist abgeschnitten: Der Tensor {} endet {} Byte hinter ihrem Ende"
  ],
  // main/formats/huggingface-decoder.ts
  ["in its config.json, {}", "in der config.json, {}"],
  [
    "{} was trained with a dropout of {} in attention; here it has none.",
    "{} wurde mit einem Dropout von {} in der Attention trainiert; hier hat es keinen."
  ],
  // main/formats/huggingface-gpt2.ts
  [
    "{} was trained with {}, the tanh approximation of GELU; Verisim computes GELU exactly, as nanoGPT does. Each activation differs by at most {}, so its texts and losses can differ slightly from those in transformers.",
    "{} wurde mit {} trainiert, der tanh-N\xE4herung von GELU; Verisim rechnet GELU genau, wie nanoGPT. Jede Aktivierung weicht um h\xF6chstens {} ab; Texte und Verluste k\xF6nnen daher leicht von denen in transformers abweichen."
  ],
  [
    "{} has three different dropouts; its resid_pdrop ({}) is used for all.",
    "{} hat drei verschiedene Dropouts; resid_pdrop ({}) gilt f\xFCr alle."
  ],
  [
    "Use a GPT-2 model, such as gpt2 or distilgpt2, or one that Verisim or nanoGPT made.",
    "Ein GPT-2-Modell verwenden, etwa gpt2 oder distilgpt2, oder eines von Verisim oder nanoGPT."
  ],
  [
    "in its config.json, n_inner is {}, not four times n_embd",
    "in der config.json ist n_inner {}, nicht viermal n_embd"
  ],
  ["it has {} twice", "{} ist zweimal darin"],
  // main/formats/huggingface-llama.ts
  [
    "Use a model of the types llama, qwen2 or qwen3 without these changes, such as SmolLM2, Qwen2.5 or Llama 3.2.",
    "Ein Modell der Typen llama, qwen2 oder qwen3 ohne diese \xC4nderungen verwenden, etwa SmolLM2, Qwen2.5 oder Llama 3.2."
  ],
  // main/formats/huggingface-model.ts
  ["{} is {}", "{} ist {}"],
  ["Use a model in float32, float16 or bfloat16.", "Ein Modell in float32, float16 oder bfloat16 verwenden."],
  ["in the scaling of its rotary positions, {}", "in der Skalierung der Rotationspositionen, {}"],
  ["only {} of each head is rotary", "nur {} jedes Kopfes rotiert"],
  [
    "its rotary positions are scaled by {}, which Verisim does not compute",
    "die Rotationspositionen sind mit {} skaliert, was Verisim nicht rechnet"
  ],
  // main/formats/huggingface-nanochat.ts
  [
    "Use a model of the type nanochat without these changes, as transformers and Verisim write it.",
    "Ein Modell des Typs nanochat ohne diese \xC4nderungen verwenden, wie transformers und Verisim es schreiben."
  ],
  ['its rotary positions are scaled by "{}"', "die Rotationspositionen sind mit \u201E{}\u201C skaliert"],
  // main/formats/huggingface.ts
  ["its config.json is not JSON", "die config.json ist kein JSON"],
  ["lacks a model_type", "nennt keinen model_type"],
  ["has the model_type {}", "hat den model_type {}"],
  [
    "Use a model of one of the types {}, or one that Verisim or nanoGPT made.",
    "Ein Modell eines der Typen {} verwenden oder eines von Verisim oder nanoGPT."
  ],
  ["its config.json {}, which Verisim does not compute", "die config.json {}, was Verisim nicht rechnet"],
  // main/formats/pickle/meta-pickle.ts
  ["not an acceptable pickle: {} (byte {})", "kein zul\xE4ssiges Pickle: {} (Byte {})"],
  [
    "Use the meta.pkl that nanoGPT or Verisim wrote, or leave it out and have a vocabulary made from the text.",
    "Die meta.pkl verwenden, die nanoGPT oder Verisim geschrieben hat, oder sie weglassen und ein Vokabular aus dem Text bilden lassen."
  ],
  ["it does not hold a dictionary", "es enth\xE4lt kein W\xF6rterbuch"],
  ["vocab_size must be a whole number from 1 to {}", "vocab_size muss eine ganze Zahl von 1 bis {} sein"],
  ["itos must be a dictionary", "itos muss ein W\xF6rterbuch sein"],
  ["stoi must be a dictionary", "stoi muss ein W\xF6rterbuch sein"],
  ["vocab_size is {}, but itos has {} entries and stoi {}", "vocab_size ist {}, aber itos hat {} Eintr\xE4ge und stoi {}"],
  ["itos[{}] is not a single character", "itos[{}] ist kein einzelnes Zeichen"],
  ["stoi and itos disagree about {}", "stoi und itos widersprechen sich bei {}"],
  ["not nanoGPT's meta.pkl: {}", "nicht die meta.pkl von nanoGPT: {}"],
  [
    "Use the meta.pkl that belongs to the data, or leave it out and have a vocabulary made from the text.",
    "Die meta.pkl verwenden, die zu den Daten geh\xF6rt, oder sie weglassen und ein Vokabular aus dem Text bilden lassen."
  ],
  // main/formats/pickle/pickle-bytes.ts
  ["text that is not UTF-8", "Text, der kein UTF-8 ist"],
  ["a line that is too long", "eine zu lange Zeile"],
  ["it is cut short", "es ist abgeschnitten"],
  ["a text without quotes", "ein Text ohne Anf\xFChrungszeichen"],
  ["a text with an unfinished escape", "ein Text mit unfertiger Escape-Folge"],
  ["a character that does not exist", "ein Zeichen, das es nicht gibt"],
  ["a number that is none", "eine Zahl, die keine ist"],
  ["a number that is too large", "eine zu gro\xDFe Zahl"],
  // main/formats/pickle/pickle.ts
  ["it ends with something left over", "am Ende bleibt etwas \xFCbrig"],
  ["too much on the stack", "zu viel auf dem Stapel"],
  ["a protocol above 5", "ein Protokoll \xFCber 5"],
  [
    "the instruction {}, which could run code; nothing was run",
    "die Anweisung {}, die Code ausf\xFChren k\xF6nnte; nichts wurde ausgef\xFChrt"
  ],
  ["the unknown instruction 0x{}", "die unbekannte Anweisung 0x{}"],
  ["{} with such arguments", "{} mit solchen Argumenten"],
  ["what is not callable", "etwas, das sich nicht aufrufen l\xE4sst"],
  [
    "it calls {}, which could run code; nothing was run",
    "es ruft {} auf, was Code ausf\xFChren k\xF6nnte; nichts wurde ausgef\xFChrt"
  ],
  [
    "it sets the state of something, which could run code; nothing was run",
    "es setzt den Zustand von etwas, was Code ausf\xFChren k\xF6nnte; nichts wurde ausgef\xFChrt"
  ],
  ["a reference to something outside of it", "ein Verweis auf etwas au\xDFerhalb"],
  ["a name that is none", "ein Name, der keiner ist"],
  [
    "it asks for Python\u2019s {}, which could run code; nothing was run",
    "es verlangt Pythons {}, was Code ausf\xFChren k\xF6nnte; nichts wurde ausgef\xFChrt"
  ],
  ["it makes more values than such a file needs", "es erzeugt mehr Werte, als eine solche Datei braucht"],
  ["a note under an impossible number", "ein Vermerk unter einer unm\xF6glichen Nummer"],
  ["a reference to nothing", "ein Verweis auf nichts"],
  ["keys for something that is not a dict", "Schl\xFCssel f\xFCr etwas, das kein Dict ist"],
  ["a dict key that is not a number or a text", "ein Dict-Schl\xFCssel, der weder Zahl noch Text ist"],
  ["too many large or broken numbers as keys", "zu viele gro\xDFe oder gebrochene Zahlen als Schl\xFCssel"],
  ["items for something that is not a list", "Eintr\xE4ge f\xFCr etwas, das keine Liste ist"],
  ["members for something that is not a set", "Elemente f\xFCr etwas, das keine Menge ist"],
  ["an empty stack", "ein leerer Stapel"],
  ["a missing mark", "eine fehlende Marke"],
  // main/formats/safetensors-shards.ts
  ["it is not JSON", "es ist kein JSON"],
  ["it has no weight_map from tensors to files", "es hat keine weight_map von Tensoren zu Dateien"],
  ["it names {} files; at most {} are read", "es nennt {} Dateien; h\xF6chstens {} werden gelesen"],
  [
    "it names {}, which is no safetensors file of its own folder",
    "es nennt {}, keine safetensors-Datei des eigenen Ordners"
  ],
  ["{} is not in {}, where it should be", "{} ist nicht in {}, wo es sein m\xFCsste"],
  ["Use another copy of the model, with all its files.", "Eine andere Kopie des Modells mit allen Dateien verwenden."],
  // main/formats/safetensors.ts
  ["tensor {} ({}) holds numbers that float32 cannot", "der Tensor {} ({}) enth\xE4lt Zahlen, die float32 nicht fasst"],
  ["its header cannot be {} bytes long", "der Kopf kann nicht {} Byte lang sein"],
  ["{} is not a list of texts by name", "{} ist keine Liste von Texten nach Namen"],
  ["a tensor cannot be called {}", "ein Tensor kann nicht {} hei\xDFen"],
  ["its header is not JSON", "der Kopf ist kein JSON"],
  ["its header says {} twice", "der Kopf nennt {} zweimal"],
  ["its header is not a JSON object", "der Kopf ist kein JSON-Objekt"],
  ["tensor {} overlaps another or leaves a gap", "der Tensor {} \xFCberlappt einen anderen oder l\xE4sst eine L\xFCcke"],
  ["tensor {} has {} bytes", "der Tensor {} hat {} Byte"],
  ["{}, which does not fit shape [{}]", "{}, was nicht zur Form [{}] passt"],
  ["it holds {} bytes of numbers instead of {}", "die Datei enth\xE4lt {} Byte an Zahlen statt {}"],
  ["tensor {} has more than {} axes", "der Tensor {} hat mehr als {} Achsen"],
  ["tensor {}: {} {}", "der Tensor {}: {} {}"],
  ["{} is not a readable safetensors file: {}", "{} ist keine lesbare safetensors-Datei: {}"],
  // main/formats/tokenizer/tokenizer-json.ts
  ["it is of the kind {}, not a byte-pair encoding (BPE)", "er ist von der Art {}, keine Byte-Pair-Codierung (BPE)"],
  ["it marks the parts of words with a prefix or suffix", "er kennzeichnet Wortteile mit einem Pr\xE4fix oder Suffix"],
  ["it leaves out merges at random (dropout)", "er l\xE4sst Zusammenf\xFCgungen zuf\xE4llig aus (Dropout)"],
  ["two of its steps put a prefix before a text", "zwei seiner Schritte setzen ein Pr\xE4fix vor einen Text"],
  ["it is not JSON that can be read ({})", "es ist kein lesbares JSON ({})"],
  ["it has no vocabulary", "er hat kein Vokabular"],
  ["the token {} cannot have the id {}", "das Token {} kann nicht die Nummer {} haben"],
  ["its vocabulary is empty", "das Vokabular ist leer"],
  ["the tokens {} and {} have the same id", "die Tokens {} und {} haben dieselbe Nummer"],
  ["it has no list of merges", "er hat keine Liste von Zusammenf\xFCgungen"],
  ["its merge {} is no pair of tokens", "die Zusammenf\xFCgung {} ist kein Paar von Tokens"],
  [
    "its merge {}, of {} and {}, is of tokens that it does not have",
    "die Zusammenf\xFCgung {}, von {} und {}, betrifft Tokens, die er nicht hat"
  ],
  ["{} is not a readable tokenizer: {}", "{} ist kein lesbarer Tokenizer: {}"],
  [
    "Use another copy of the file, or save the tokenizer again with save_pretrained.",
    "Eine andere Kopie der Datei verwenden oder den Tokenizer mit save_pretrained neu speichern."
  ],
  [
    "Use a model whose tokenizer is a byte-pair encoding such as GPT-2\u2019s, Llama\u2019s, Qwen\u2019s or SmolLM\u2019s.",
    "Ein Modell verwenden, dessen Tokenizer eine Byte-Pair-Codierung ist, wie bei GPT-2, Llama, Qwen oder SmolLM."
  ],
  // main/formats/tokenizer/patterns.ts
  ["its pattern {} repeats what is repeated already", "das Muster {} wiederholt, was schon wiederholt ist"],
  ["its pattern {} cannot be translated", "das Muster {} l\xE4sst sich nicht \xFCbersetzen"],
  ["its pattern {} has more than {} alternatives", "das Muster {} hat mehr als {} Alternativen"],
  [
    "its pattern {} takes more than {} seconds for a part of a text",
    "das Muster {} braucht mehr als {} Sekunden f\xFCr einen Teil eines Textes"
  ],
  // main/formats/tokenizer/tokenizer-steps.ts
  ["its {}: {}", "{}: {}"],
  ["it normalises a text by {}", "er normalisiert einen Text mit {}"],
  [
    "its normalizer makes a text more than {} times as long",
    "die Normalisierung macht einen Text mehr als {}-mal so lang"
  ],
  ["its step {} comes after ByteLevel", "der Schritt {} kommt nach ByteLevel"],
  ["it puts a blank before each piece", "er setzt ein Leerzeichen vor jedes St\xFCck"],
  ["it cuts a text by {}", "er teilt einen Text mit {}"],
  // main/formats/torch/torch-checkpoint-pickle.ts
  ["{} (byte {} of data.pkl)", "{} (Byte {} der data.pkl)"],
  // main/formats/torch/torch-checkpoint-tensors.ts
  ["it has no data.pkl, or more than one", "sie hat keine data.pkl oder mehr als eine"],
  ["its data.pkl is larger than {} bytes", "die data.pkl ist gr\xF6\xDFer als {} Byte"],
  ["{} has {} bytes instead of {}", "{} hat {} Byte statt {}"],
  ["tensor {} is {}; {} can be read", "der Tensor {} ist {}; lesbar ist {}"],
  [
    "tensor {} [{}] does not fit the numbers stored for it",
    "der Tensor {} [{}] passt nicht zu den daf\xFCr gespeicherten Zahlen"
  ],
  [
    "many of its tensors are the same numbers, which takes more memory than such a file should",
    "viele der Tensoren sind dieselben Zahlen, was mehr Speicher braucht, als eine solche Datei sollte"
  ],
  ["tensor {} holds numbers that float32 cannot", "der Tensor {} enth\xE4lt Zahlen, die float32 nicht fasst"],
  [
    "it has the format of PyTorch before 1.6; load it in PyTorch and save it again",
    "sie hat das Format von PyTorch vor 1.6; in PyTorch laden und neu speichern"
  ],
  ["it is not a zip archive, which torch.save makes", "sie ist kein Zip-Archiv, wie torch.save es macht"],
  ['its byte order is {}, not "little"', "die Byte-Reihenfolge ist {}, nicht \u201Elittle\u201C"],
  // main/formats/torch/torch-checkpoint-zip.ts
  ["{} is not a readable PyTorch checkpoint: {}", "{} ist kein lesbarer PyTorch-Checkpoint: {}"],
  [
    "Use another copy of the file, or save the model again with torch.save.",
    "Eine andere Kopie der Datei verwenden oder das Modell mit torch.save neu speichern."
  ],
  // main/formats/torch/torch-checkpoint.ts
  [
    'it holds no "model" with its weights beside "model_args" or "config"',
    "es gibt darin kein \u201Emodel\u201C mit den Gewichten neben \u201Emodel_args\u201C oder \u201Econfig\u201C"
  ],
  [
    "Save it as nanoGPT does: torch.save({'model': model.state_dict(), 'model_args': model_args}, path).",
    "Wie nanoGPT speichern: torch.save({'model': model.state_dict(), 'model_args': model_args}, path)."
  ],
  ["{} in its model is not a tensor", "{} im Modell ist kein Tensor"],
  ["Save model.state_dict().", "model.state_dict() speichern."],
  ["its model has {} twice", "das Modell hat {} zweimal"],
  [
    "it does not say how many layers and heads the model has",
    "es sagt nicht, wie viele Schichten und K\xF6pfe das Modell hat"
  ],
  ['Save "model_args" or "config" with it, as nanoGPT does.', "\u201Emodel_args\u201C oder \u201Econfig\u201C mitspeichern, wie nanoGPT."],
  // main/formats/zip.ts
  ["it holds {} twice", "{} ist zweimal darin"],
  ["its parts overlap", "die Teile \xFCberlappen sich"],
  ["{} does not fit into it", "{} passt nicht hinein"],
  ["the bytes of {} are not those that were written", "die Bytes von {} sind nicht die geschriebenen"],
  ["{} cannot be unpacked", "{} l\xE4sst sich nicht entpacken"],
  ["it is cut short or not a zip archive", "das Archiv ist abgeschnitten oder kein Zip-Archiv"],
  ["it has a comment", "das Archiv hat einen Kommentar"],
  ["its last parts do not fit together", "die letzten Teile passen nicht zusammen"],
  ["its list of contents is too long", "das Inhaltsverzeichnis ist zu lang"],
  ["its list of contents is not where it says", "das Inhaltsverzeichnis ist nicht dort, wo es sein m\xFCsste"],
  ["its list of contents is damaged", "das Inhaltsverzeichnis ist besch\xE4digt"],
  ["{} is encrypted", "{} ist verschl\xFCsselt"],
  ["{} is compressed in a way that is not read", "{} ist auf eine Weise gepackt, die nicht gelesen wird"],
  ["the size of {} is unclear", "die Gr\xF6\xDFe von {} ist unklar"],
  ["{} would have more than {} bytes", "{} h\xE4tte mehr als {} Byte"],
  ["the name of a part is not text", "der Name eines Teils ist kein Text"],
  ["{} has two names", "{} hat zwei Namen"],
  // main/jobs/export/export.ts
  ["Give --out_dir another folder.", "Einen anderen Ordner angeben."],
  ["{} holds what is exported", "{} enth\xE4lt, was exportiert wird"],
  ["the exported model", "das exportierte Modell"],
  // main/jobs/export/trl/files.ts
  [
    "{} is no project: training goes on with a model, its reward model and its text",
    "{} ist kein Projekt: Weitertrainiert wird mit einem Modell, seinem Belohnungsmodell und seinem Text"
  ],
  [
    "Give a project\u2019s folder, or export the model alone with --format huggingface.",
    "Den Ordner eines Projekts angeben oder das Modell allein als Hugging-Face-Ordner exportieren."
  ],
  [
    "Let it go through a cycle first, or export the model alone with --format huggingface.",
    "Zuerst einen Zyklus durchlaufen lassen oder das Modell allein als Hugging-Face-Ordner exportieren."
  ],
  // main/jobs/export/formats.ts
  ["of GPT-2\u2019s architecture", "mit der Architektur von GPT-2"],
  ["of Llama\u2019s family", "aus Llamas Familie"],
  ["of the modern architecture (NanoChat)", "mit der neueren Architektur (NanoChat)"],
  ["llama.cpp has no such architecture", "llama.cpp hat keine solche Architektur"],
  ["nanoGPT\u2019s checkpoints hold GPT-2\u2019s", "Checkpoints von nanoGPT fassen nur GPT-2"],
  ["Export it with --format {}.", "In der Form {} exportieren."],
  ["{} is {}; {}", "{} ist {}; {}"],
  [
    "Export it with --format nanogpt, or give --model_path a base model.",
    "Als nanoGPT-Checkpoint exportieren oder ein Basismodell w\xE4hlen."
  ],
  ["{} is a reward model; {} has no such head", "{} ist ein Belohnungsmodell; {} hat keinen solchen Kopf"],
  [
    "Export it with --format huggingface; adapters come of training with --tune lora.",
    "Als Hugging-Face-Ordner exportieren; Adapter entstehen beim Training mit \u201Enur Adapter\u201C (tune lora)."
  ],
  ["{} has no adapters: all of its weights were trained", "{} hat keine Adapter: Alle Gewichte wurden trainiert"],
  [
    "Put the meta.pkl of the text it was trained on beside it.",
    "Die meta.pkl des Textes danebenlegen, mit dem es trainiert wurde."
  ],
  ["{} does not say which characters its tokens are", "{} sagt nicht, welche Zeichen seine Tokens sind"],
  // main/jobs/initial-critic.ts
  [
    "{} does not say what its network is before its weights are read",
    "{} sagt erst mit den Gewichten, was f\xFCr ein Netz es ist"
  ],
  [
    "Use a Hugging Face folder, a GGUF file or a model that Verisim trained.",
    "Einen Hugging-Face-Ordner, eine GGUF-Datei oder ein mit Verisim trainiertes Modell verwenden."
  ],
  // main/jobs/initial-shape.ts
  ["{} is a reward model, not a base model", "{} ist ein Belohnungsmodell, kein Basismodell"],
  [
    "Choose a model that writes, such as checkpoints/base_model_v1.",
    "Ein Modell w\xE4hlen, das schreibt, etwa checkpoints/base_model_v1."
  ],
  // main/jobs/models.ts
  ["{} is a {}, not a {}", "{} ist ein {}, kein {}"],
  ["reward model", "Belohnungsmodell"],
  ["base model", "Basismodell"],
  ["Give --{} a model made by {}.", "F\xFCr --{} ein Modell angeben, das {} erzeugt hat."],
  ["train or train_grpo", "train oder train_grpo"],
  [
    "{} cannot be used: {} holds numbers that are not finite",
    "{} l\xE4sst sich nicht verwenden: {} enth\xE4lt Zahlen, die nicht endlich sind"
  ],
  [
    "Its training went wrong, or the file is damaged; use an earlier checkpoint or another copy.",
    "Das Training ist misslungen oder die Datei besch\xE4digt; einen fr\xFCheren Checkpoint oder eine andere Kopie verwenden."
  ],
  // main/services/models/models.ts
  ["Not the name of a model on the hub: {}", "Kein Name eines Modells auf dem Hub: {}"],
  [
    "A name has an owner and a model: HuggingFaceTB/SmolLM2-135M.",
    "Ein Name besteht aus Besitzer und Modell: HuggingFaceTB/SmolLM2-135M."
  ],
  [
    "This model came with the set-up and is not removed here.",
    "Dieses Modell kam mit der Einrichtung und wird hier nicht entfernt."
  ],
  ["It is used by the sample project.", "Das Beispielprojekt verwendet es."],
  // main/storage/hub/hub-client.ts
  ["{}; trying again", "{}; noch ein Versuch"],
  ["HF_ENDPOINT is not an address: {}", "HF_ENDPOINT ist keine Adresse: {}"],
  ["Begin it with https://, or unset it.", "Sie mit https:// beginnen lassen oder die Variable entfernen."],
  ["the answer is longer than {} bytes", "die Antwort ist l\xE4nger als {} Byte"],
  // main/storage/hub/hub-faults.ts
  ["What was fetched before works without a network.", "Was fr\xFCher geladen wurde, geht ohne Netz."],
  [
    "What has arrived is kept; the next download resumes there.",
    "Was angekommen ist, bleibt; der n\xE4chste Download setzt dort fort."
  ],
  ["{} did not arrive as the hub describes it: {}", "{} ist nicht so angekommen, wie der Hub es beschreibt: {}"],
  [
    "What arrived was deleted. Try again; if it stays so, something between here and the hub changes what it sends.",
    "Das Angekommene wurde gel\xF6scht. Es erneut versuchen; bleibt es dabei, ver\xE4ndert etwas zwischen hier und dem Hub, was er sendet."
  ],
  ["a while", "einer Weile"],
  ["{} seconds", "{} Sekunden"],
  ["The hub ({}) cannot answer now: {}", "Der Hub ({}) kann gerade nicht antworten: {}"],
  ["It asks for fewer requests; try again in {}.", "Er bittet um weniger Anfragen; in {} erneut versuchen."],
  ["Try again in {}. {}", "In {} erneut versuchen. {}"],
  [
    "What answers at {} is not the hub: it sent something else than JSON",
    "Unter {} antwortet nicht der Hub: Es kam etwas anderes als JSON"
  ],
  [
    "A network that asks to sign in first, or a proxy, may answer in its place; HF_ENDPOINT names another address of the hub.",
    "Ein Netz, das eine Anmeldung verlangt, oder ein Proxy antwortet vielleicht an seiner Stelle; HF_ENDPOINT nennt eine andere Adresse des Hubs."
  ],
  ["The hub ({}) could not be reached: {}", "Der Hub ({}) war nicht erreichbar: {}"],
  [
    "Check the network; behind a proxy, set HTTPS_PROXY; HF_ENDPOINT names a mirror. {}",
    "Das Netz pr\xFCfen; hinter einem Proxy HTTPS_PROXY setzen; HF_ENDPOINT nennt einen Spiegel. {}"
  ],
  [
    "The proxy asks who you are: give it a name and a password in HTTPS_PROXY, http://name:password@proxy:port.",
    "Der Proxy fragt, wer anfragt: Name und Passwort in HTTPS_PROXY angeben, http://name:password@proxy:port."
  ],
  ["{} has no revision {}", "{} hat keine Revision {}"],
  [
    "Name a branch, a tag or a commit that its page on the hub lists, or leave @\u2026 out for the newest.",
    "Einen Zweig, ein Tag oder einen Commit von der Seite des Modells auf dem Hub angeben oder @\u2026 f\xFCr das Neueste weglassen."
  ],
  ["{} is given only to those who have agreed to its terms", "{} bekommt nur, wer den Bedingungen zugestimmt hat"],
  [
    "Agree to its terms on its page of the hub with the account of HF_TOKEN, and wait until that is confirmed.",
    "Den Bedingungen auf der Seite des Modells auf dem Hub mit dem Konto von HF_TOKEN zustimmen und warten, bis das best\xE4tigt ist."
  ],
  [
    "Agree to its terms on its page of the hub, make a token in the settings of your account there, and set HF_TOKEN to it.",
    "Den Bedingungen auf der Seite des Modells auf dem Hub zustimmen, in den Einstellungen des Kontos dort ein Token anlegen und HF_TOKEN darauf setzen."
  ],
  ["The hub does not know the token in HF_TOKEN", "Der Hub kennt das Token in HF_TOKEN nicht"],
  [
    "Make a new one in the settings of your account, or unset HF_TOKEN for a public model.",
    "In den Einstellungen des Kontos ein neues anlegen oder HF_TOKEN f\xFCr ein \xF6ffentliches Modell entfernen."
  ],
  ["There is no model {} on the hub, or it is private", "Auf dem Hub gibt es kein Modell {}, oder es ist privat"],
  [
    "Check its name; there is no file or folder of that name either. For a private model, set HF_TOKEN to a token of an account that may read it.",
    "Den Namen pr\xFCfen; eine Datei oder einen Ordner dieses Namens gibt es auch nicht. F\xFCr ein privates Modell HF_TOKEN auf ein Token eines Kontos setzen, das es lesen darf."
  ],
  ["{} could not be fetched from {}: {}", "{} lie\xDF sich nicht von {} laden: {}"],
  [
    "Try again; if it stays so, check HF_ENDPOINT and the proxy.",
    "Es erneut versuchen; bleibt es dabei, HF_ENDPOINT und den Proxy pr\xFCfen."
  ],
  // main/storage/hub/hub-fetch.ts
  ["download of {}", "den Download von {}"],
  ["{} is being fetched", "{} wird gerade geladen"],
  ["Stop its download first.", "Den Download zuerst anhalten."],
  // main/storage/hub/hub-offer.ts
  ["{} is {} bytes long", "{} ist {} Byte lang"],
  ["its {} did not arrive as the hub describes it", "{} ist nicht so angekommen, wie der Hub es beschreibt"],
  ["the repository lists more than {} files", "das Verzeichnis nennt mehr als {} Dateien"],
  ["its {} names {}, which it does not have", "{} nennt {}, das es nicht gibt"],
  ["Try again, or use another model.", "Es erneut versuchen oder ein anderes Modell verwenden."],
  ["It has GGUF files; name one: {}/{}", "Es hat GGUF-Dateien; eine davon nennen: {}/{}"],
  [
    "Its weights are in another form; use a model that is saved as safetensors.",
    "Die Gewichte haben eine andere Form; ein als safetensors gespeichertes Modell verwenden."
  ],
  [
    "Use the repository of a model that is saved as safetensors, or name a GGUF file in one.",
    "Das Verzeichnis eines als safetensors gespeicherten Modells verwenden oder darin eine GGUF-Datei nennen."
  ],
  ["{} has no {}", "{} hat keine {}"],
  // main/storage/projects/foreign-models.ts
  ["an ONNX model", "ein ONNX-Modell"],
  [
    "Use the model that it was made from, as safetensors or GGUF.",
    "Das Modell verwenden, aus dem es entstand, als safetensors oder GGUF."
  ],
  ["a Keras or TensorFlow model", "ein Keras- oder TensorFlow-Modell"],
  ["Use the model as safetensors or GGUF.", "Das Modell als safetensors oder GGUF verwenden."],
  [
    "weights without the config.json that says what network they are of",
    "Gewichte ohne die config.json, die sagt, was f\xFCr ein Netz es ist"
  ],
  [
    "Use the whole folder of the model, saved with model.save_pretrained(folder).",
    "Den ganzen Ordner des Modells verwenden, gespeichert mit model.save_pretrained(folder)."
  ],
  ["{} holds {}", "{} enth\xE4lt {}"],
  [
    "adapters of PEFT, which are no model without the one that they were made for{}",
    "Adapter von PEFT, die ohne das Modell, f\xFCr das sie gemacht wurden, keines sind{}"
  ],
  [
    "Merge them into it with Python\u2019s peft: PeftModel.from_pretrained(model, folder).merge_and_unload(), then save_pretrained(other_folder), and its tokenizer likewise.",
    "Sie mit der Python-Bibliothek peft damit verschmelzen: PeftModel.from_pretrained(model, folder).merge_and_unload(), dann save_pretrained(other_folder), und ebenso den Tokenizer."
  ],
  ["{} has no {}, nor {}", "{} hat keine {}, auch keine {}"],
  [
    "Save the model as safetensors: model.save_pretrained(folder).",
    "Das Modell als safetensors speichern: model.save_pretrained(folder)."
  ],
  ["{} has no {}, in which {} says that weights are", "{} hat keine {}, in der nach {} Gewichte sind"],
  [
    "Vocabulary size mismatch: {} lists {} characters, but the model knows {} tokens",
    "Die Gr\xF6\xDFe des Vokabulars passt nicht: {} nennt {} Zeichen, aber das Modell kennt {} Tokens"
  ],
  [
    "Give the meta.pkl of the data that the model was trained on, with {} or beside the model.",
    "Die meta.pkl der Daten, mit denen das Modell trainiert wurde, mit {} oder neben dem Modell angeben."
  ],
  // main/storage/projects/models.ts
  ["Model file not found: {}", "Modelldatei nicht gefunden: {}"],
  [
    "Check that the model checkpoint file exists and the path is correct",
    "Pr\xFCfen, ob es den Checkpoint gibt und der Pfad stimmt"
  ],
  ["it has no {}", "{} fehlt darin"],
  ["{} is not a finished model: {}", "{} ist kein fertiges Modell: {}"],
  [
    "Give the folder of a model, such as checkpoints/base_model_v1.",
    "Den Ordner eines Modells angeben, etwa checkpoints/base_model_v1."
  ],
  // main/storage/hub/initial-model-name.ts
  ["{} Instruct, 4 bits", "{} Instruct, 4 Bit"]
];

// renderer/strings/de-told/projects.ts
var projects = [
  // Files and disks
  ["The disk is full ({})", "Die Festplatte ist voll ({})"],
  [
    "The disk is full: {} could not be written ({})",
    "Die Festplatte ist voll: {} konnte nicht geschrieben werden ({})"
  ],
  [
    "Free some space on this disk, or choose a folder on another one, and run the command again; nothing half-written was kept.",
    "Platz auf dieser Festplatte schaffen oder einen Ordner auf einer anderen w\xE4hlen und es erneut versuchen; nichts halb Geschriebenes wurde aufgehoben."
  ],
  [
    "Free some space on this disk, or set TMPDIR (TEMP on Windows) to a folder on another one, and try again.",
    "Platz auf dieser Festplatte schaffen oder TMPDIR (unter Windows TEMP) auf einen Ordner auf einer anderen setzen und es erneut versuchen."
  ],
  [
    "It is for what is soon removed: set TMPDIR (TEMP on Windows) to a folder that can be written.",
    "Dort liegt, was bald wieder gel\xF6scht wird: TMPDIR (unter Windows TEMP) auf einen beschreibbaren Ordner setzen."
  ],
  [
    "Free some space on this disk and try again: what is compiled is kept there for the next time.",
    "Platz auf dieser Festplatte schaffen und es erneut versuchen: Kompiliertes wird dort f\xFCr das n\xE4chste Mal aufgehoben."
  ],
  ["File not found: {}", "Datei nicht gefunden: {}"],
  ["Check that the path is correct.", "Den Pfad pr\xFCfen."],
  ["{} is a folder, not a file", "{} ist ein Ordner, keine Datei"],
  ["Name a file in it.", "Eine Datei darin angeben."],
  ["Cannot write {} ({})", "{} l\xE4sst sich nicht schreiben ({})"],
  ["Cannot read {} ({})", "{} l\xE4sst sich nicht lesen ({})"],
  [
    "You have no permission to write there; choose another folder, or change its permissions.",
    "Dort fehlt das Recht zu schreiben; einen anderen Ordner w\xE4hlen oder die Rechte \xE4ndern."
  ],
  ["Check the disk, or choose another folder.", "Die Festplatte pr\xFCfen oder einen anderen Ordner w\xE4hlen."],
  ["You have no permission to read it; change its permissions.", "Das Recht zu lesen fehlt; die Rechte \xE4ndern."],
  ["Check that it is a file.", "Pr\xFCfen, ob es eine Datei ist."],
  ["The disk could not read {} ({})", "Die Festplatte konnte {} nicht lesen ({})"],
  [
    "The disk or its connection is failing; copy what you can to another one.",
    "Die Festplatte oder ihre Verbindung versagt; retten, was sich auf eine andere kopieren l\xE4sst."
  ],
  ["{} is in use by {}", "{} wird benutzt von {}"],
  // Projects
  ["This project is not in the list any more.", "Dieses Projekt ist nicht mehr in der Liste."],
  ["Open its folder to add it again.", "Den Ordner \xF6ffnen, um es wieder hinzuzuf\xFCgen."],
  ["The project\u2019s folder is not there any more: {}", "Der Ordner des Projekts ist nicht mehr da: {}"],
  [
    "Put it back, open it where it is now, or take it out of the list.",
    "Ihn zur\xFCcklegen, das Projekt an seinem neuen Ort \xF6ffnen oder aus der Liste nehmen."
  ],
  [
    "The loss became infinite or not a number at step {}. {}",
    "Der Verlust wurde bei Schritt {} unendlich oder keine Zahl. {}"
  ],
  ["{} holds no notes that can be read", "{} enth\xE4lt keine lesbaren Notizen"],
  [
    "Mend the file, or move it away; then write the notes again.",
    "Die Datei in Ordnung bringen oder wegr\xE4umen und die Notizen noch einmal schreiben."
  ],
  // main/ipc/dispatcher.ts
  ["Nothing was changed.", "Nichts wurde ge\xE4ndert."],
  [
    "This is a bug in Verisim; please report it with what you did, and with \u201CCopy diagnostics\u201D from the settings.",
    "Das ist ein Fehler in Verisim; bitte melden, mit dem, was getan wurde, und mit \u201EDiagnosedaten kopieren\u201C aus den Einstellungen."
  ],
  ["There is no channel {}", "Es gibt keinen Kanal {}"],
  [
    "This window and the program are of different versions: reload it.",
    "Dieses Fenster und das Programm haben verschiedene Versionen: neu laden."
  ],
  ["Not acceptable: {}{}", "Nicht zul\xE4ssig: {}{}"],
  ["Change this value and try again.", "Diesen Wert \xE4ndern und es erneut versuchen."],
  // main/ipc/handlers/app.ts
  ["A browser cannot open the system\u2019s dialog.", "Ein Browser kann den Dialog des Systems nicht \xF6ffnen."],
  ["Choose the folder from the list.", "Den Ordner aus der Liste w\xE4hlen."],
  // main/ipc/handlers/files.ts
  ["The window chooses files in the system\u2019s dialog.", "Das Fenster w\xE4hlt Dateien im Dialog des Systems."],
  ["Open the dialog.", "Den Dialog \xF6ffnen."],
  ["A folder cannot be taken together with others.", "Ein Ordner l\xE4sst sich nicht zusammen mit anderem nehmen."],
  [
    "Take one folder, with all it holds, or several files.",
    "Einen Ordner mit allem darin nehmen oder mehrere Dateien."
  ],
  ["The sample text is not there.", "Der Beispieltext ist nicht da."],
  ["npm run setup fetches it.", "npm run setup l\xE4dt ihn."],
  ["A browser cannot open the system\u2019s dialogs.", "Ein Browser kann die Dialoge des Systems nicht \xF6ffnen."],
  ["Choose from the list, or send the file.", "Aus der Liste w\xE4hlen oder die Datei senden."],
  // main/ipc/session.ts
  ["Too much was asked at once.", "Es wurde zu viel auf einmal verlangt."],
  ["Wait for the answers to what was asked before.", "Auf die Antworten zum bisher Verlangten warten."],
  // main/jobs/commands/playground.ts
  ["This project has no reward model yet", "Dieses Projekt hat noch kein Belohnungsmodell"],
  [
    "It is trained in the first cycle, after base training.",
    "Es wird im ersten Zyklus trainiert, nach dem Basistraining."
  ],
  [
    "Use characters of the text that the model was trained on.",
    "Zeichen des Textes verwenden, mit dem das Modell trainiert wurde."
  ],
  // main/jobs/project/list.ts
  ["awaiting votes", "wartet auf Stimmen"],
  // main/jobs/project/project-artefacts.ts
  ["{} is damaged", "{} ist besch\xE4digt"],
  [
    "Delete it: the cycle is then finished again from its last checkpoint.",
    "Es l\xF6schen: Der Zyklus wird dann von seinem letzten Checkpoint aus noch einmal beendet."
  ],
  // main/jobs/project/project.ts
  ["{} is {} there, {} was asked for", "{} ist dort {}, gew\xFCnscht war {}"],
  ["The project was made with other settings: {}", "Das Projekt wurde mit anderen Einstellungen begonnen: {}"],
  [
    "Leave these flags out to resume it, or make a new project in another folder. Of an existing project only {} can be changed.",
    "Diese Angaben weglassen, um es fortzusetzen, oder in einem anderen Ordner ein neues Projekt beginnen. An einem bestehenden Projekt l\xE4sst sich nur {} \xE4ndern."
  ],
  // main/jobs/project/remove.ts
  [
    "There is no trash that {} could go to; it is still there",
    "Es gibt keinen Papierkorb, in den {} k\xF6nnte; es ist noch da"
  ],
  ["Delete it for good with --force, or move the folder away yourself.", "Den Ordner selbst wegr\xE4umen."],
  // main/jobs/project/settings-again.ts
  ["The project has no base model {}.", "Das Projekt hat kein Basismodell {}."],
  ["Choose one of its finished base models.", "Eines seiner fertigen Basismodelle w\xE4hlen."],
  // main/jobs/rating/desk.ts
  ["That passage is rated already, or was made anew.", "Diese Passage ist schon bewertet oder wurde neu geschrieben."],
  ["Rate the next one.", "Die n\xE4chste bewerten."],
  ["That is no answer to this question.", "Das ist keine Antwort auf diese Frage."],
  ["Choose one of the answers that are shown.", "Eine der angezeigten Antworten w\xE4hlen."],
  // main/jobs/rating/rate.ts
  ["The newest model has no {} version to be compared with.", "Das neueste Modell hat keine {} Version zum Vergleich."],
  ["Compare with: {}.", "Vergleichen mit: {}."],
  // main/jobs/rating/report.ts
  ["Nothing of {} has been rated yet.", "Von {} wurde noch nichts bewertet."],
  ["In no pair of {} was one side preferred.", "In keinem Paar von {} wurde eine Seite vorgezogen."],
  ["Rate it first, with rate.", "Zuerst bewerten."],
  // main/jobs/rating/task-files.ts
  ["There are no passages to rate yet.", "Es gibt noch keine Passagen zum Bewerten."],
  ["Have them written first.", "Sie zuerst schreiben lassen."],
  ["These answers are imported already.", "Diese Antworten wurden schon \xFCbernommen."],
  ["There is nothing left to do.", "Es ist nichts mehr zu tun."],
  [
    "These answers belong to a rating task of another project.",
    "Diese Antworten geh\xF6ren zu einer Bewertungsaufgabe eines anderen Projekts."
  ],
  ["Import them where it was exported.", "Sie dort \xFCbernehmen, wo die Aufgabe exportiert wurde."],
  ["The file was changed after it was downloaded.", "Die Datei wurde nach dem Herunterladen ver\xE4ndert."],
  ["Ask for the file as the page wrote it.", "Um die Datei bitten, wie die Seite sie geschrieben hat."],
  ["There is no question {} in this task.", "Diese Aufgabe hat keine Frage {}."],
  ["This is no file of answers, or it is damaged.", "Das ist keine Datei mit Antworten, oder sie ist besch\xE4digt."],
  [
    "Choose the JSON file that the page of the rating task wrote.",
    "Die JSON-Datei w\xE4hlen, die die Seite der Bewertungsaufgabe geschrieben hat."
  ],
  // main/jobs/rating/write.ts
  [
    "{} has no finished model yet, so there is no writing to rate.",
    "{} hat noch kein fertiges Modell, also gibt es nichts Geschriebenes zu bewerten."
  ],
  ["Train it first, with cycle.", "Es zuerst trainieren."],
  // main/jobs/report/gather.ts
  [
    "Neither a project nor a run: {} holds no project.json and no run.json",
    "Weder ein Projekt noch ein Lauf: {} enth\xE4lt weder project.json noch run.json"
  ],
  [
    "Give the folder of a project, or the output folder of train, train_reward_model or train_grpo.",
    "Den Ordner eines Projekts angeben oder den Ausgabeordner von train, train_reward_model oder train_grpo."
  ],
  // main/jobs/report/report.ts
  ["There is nothing to report on.", "Es gibt nichts zu berichten."],
  ["Name at least one project or run.", "Mindestens ein Projekt oder einen Lauf angeben."],
  // main/jobs/report/tensorboard.ts
  ["{} exists and is not empty", "{} ist schon da und nicht leer"],
  ["Name a folder that is not there yet.", "Einen Ordner angeben, den es noch nicht gibt."],
  // main/services/files/file-handles.ts
  ["This file is not known any more.", "Diese Datei ist nicht mehr bekannt."],
  ["Choose it again.", "Sie noch einmal w\xE4hlen."],
  // main/services/files/file-pattern.ts
  ["These files cannot be taken together.", "Diese Dateien lassen sich nicht zusammen nehmen."],
  [
    "Put them into one folder, under names without braces and commas, and choose them there; or join them to one file.",
    "Sie in einen Ordner legen, unter Namen ohne geschweifte Klammern und Kommas, und dort w\xE4hlen; oder zu einer Datei zusammenf\xFCgen."
  ],
  // main/services/files/uploads.ts
  ["{} is too large to be sent", "{} ist zu gro\xDF zum Senden"],
  [
    "Copy it to the machine that Verisim runs on, and choose it there.",
    "Auf den Rechner kopieren, auf dem Verisim l\xE4uft, und dort w\xE4hlen."
  ],
  ["{} did not arrive whole", "{} ist nicht vollst\xE4ndig angekommen"],
  ["Send it again.", "Noch einmal senden."],
  ["There is no such file to fetch.", "Diese Datei gibt es nicht zum Abholen."],
  ["Export it again.", "Noch einmal exportieren."],
  ["There is no such folder to send files to.", "Diesen Ordner gibt es nicht zum Senden von Dateien."],
  ["Drop the folder again.", "Den Ordner noch einmal hineinziehen."],
  // main/services/machine/absent-supervisor.ts
  ["Training cannot be started from here.", "Von hier aus l\xE4sst sich kein Training starten."],
  ["Use the terminal: verisim cycle.", "Im Terminal: verisim cycle."],
  // main/services/projects/deletion.ts
  ["This project cannot be brought back any more.", "Dieses Projekt l\xE4sst sich nicht mehr zur\xFCckholen."],
  ["Look in the system\u2019s trash.", "Im Papierkorb des Systems nachsehen."],
  ["Something else is where the project was: {}", "Wo das Projekt war, ist jetzt etwas anderes: {}"],
  ["Move or rename it, and try again.", "Das verschieben oder umbenennen und es erneut versuchen."],
  // main/services/projects/project-making.ts
  ["Try fewer values at once.", "Weniger Werte auf einmal durchprobieren."],
  ["Give all its values in one place.", "Alle ihre Werte an einer Stelle angeben."],
  // main/services/projects/reward-data.ts
  ["Cycle {} has no reward data yet.", "Zyklus {} hat noch keine Belohnungsdaten."],
  [
    "It is written when base training, or the cycle before, is over.",
    "Sie entstehen, wenn das Basistraining oder der Zyklus davor vorbei ist."
  ],
  // main/storage/disk/disk.ts
  [
    "Not enough room for {} at {}: it needs {}, {} are free, {} are missing",
    "Nicht genug Platz f\xFCr {} in {}: N\xF6tig sind {}, frei sind {}, es fehlen {}"
  ],
  [
    "Free some space on this disk, or choose a folder on another one.",
    "Platz auf dieser Festplatte schaffen oder einen Ordner auf einer anderen w\xE4hlen."
  ],
  // main/storage/disk/file-bytes.ts
  ["{} ends earlier than it should", "{} endet fr\xFCher als es sollte"],
  ["{} was changed while it was in use", "{} wurde ge\xE4ndert, w\xE4hrend es in Gebrauch war"],
  [
    "Try again once no other program writes to it.",
    "Versuchen Sie es noch einmal, wenn kein anderes Programm mehr hineinschreibt."
  ],
  [
    "It was cut short while being copied or written; use another copy.",
    "Beim Kopieren oder Schreiben wurde die Datei abgeschnitten; eine andere Kopie verwenden."
  ],
  ["{} is {} bytes long; such a file has at most {}", "{} ist {} Byte lang; eine solche Datei hat h\xF6chstens {}"],
  [
    "Check that it is the right file, or use another copy.",
    "Pr\xFCfen, ob es die richtige Datei ist, oder eine andere Kopie verwenden."
  ],
  // main/storage/disk/json-lines.ts
  ["{} has a line of more than {} bytes", "{} hat eine Zeile von mehr als {} Byte"],
  ["{} line {} is damaged", "{}, Zeile {}, ist besch\xE4digt"],
  [
    "{} has {} bytes; its checkpoint was saved when it had {}",
    "{} hat {} Byte; als der Checkpoint gesichert wurde, waren es {}"
  ],
  [
    "Move the file away to continue without it, or restore it from a copy.",
    "Die Datei wegr\xE4umen, um ohne sie weiterzumachen, oder sie aus einer Kopie wiederherstellen."
  ],
  // main/storage/disk/lock.ts
  ["another process", "einem anderen Programm"],
  ["process {} on {} ({})", "Prozess {} auf {} ({})"],
  ["Wait until it has finished, or stop it first.", "Warten, bis es fertig ist, oder es zuerst anhalten."],
  [
    "If you are sure that nothing uses this project any more, delete the folder {}.",
    "Wenn sicher nichts mehr dieses Projekt benutzt, den Ordner {} l\xF6schen."
  ],
  // main/storage/disk/manifest.ts
  ["is missing", "fehlt"],
  ["an export in the format {}", "einen Export in der Form {}"],
  ["a model, or an export by an older Verisim", "ein Modell oder einen Export eines \xE4lteren Verisim"],
  ["{} holds {}, which is not replaced", "{} enth\xE4lt {}; das wird nicht ersetzt"],
  ["move this one away", "dieses wegr\xE4umen"],
  ["{} holds files that Verisim did not write there: {}", "{} enth\xE4lt Dateien, die nicht von Verisim sind: {}"],
  ["move these files away", "diese Dateien wegr\xE4umen"],
  ["Choose another folder, or {}.", "Einen anderen Ordner w\xE4hlen oder {}."],
  ["is damaged", "ist besch\xE4digt"],
  ["{} {} (in {})", "{} {} (in {})"],
  [
    "It is not what was saved there; use another copy, or make it again.",
    "Es ist nicht, was dort gespeichert wurde; eine andere Kopie verwenden oder es neu erzeugen."
  ],
  // main/storage/disk/names.ts
  ["Not an acceptable name: {}", "Kein zul\xE4ssiger Name: {}"],
  [
    "Use letters, digits, dots, hyphens and underscores, beginning with a letter or a digit.",
    "Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche verwenden, am Anfang einen Buchstaben oder eine Ziffer."
  ],
  // main/storage/projects/checkpoint-store.ts
  ["Stepped back to checkpoint {}: {}", "Zur\xFCck zum Checkpoint {}: {}"],
  ["No checkpoint could be used, starting anew: {}", "Kein Checkpoint war brauchbar, es beginnt von vorn: {}"],
  // main/storage/projects/environment-record.ts
  ["the runtime", "die Laufzeit"],
  ["the device", "das Ger\xE4t"],
  ["the precision", "die Genauigkeit"],
  ["the processor", "der Prozessor"],
  ["the number of threads", "die Zahl der Threads"],
  ["{} was {}, is {} now", "{} war {}, ist jetzt {}"],
  // main/storage/projects/export-place.ts
  ["{} {} the folder of a {}: {}", "{} {} der Ordner eines anderen ({}): {}"],
  ["lies in", "liegt in"],
  [
    "Choose a place outside of it, so that what is there stays as it is.",
    "Einen Ort au\xDFerhalb w\xE4hlen, damit bleibt, was dort ist."
  ],
  // main/storage/projects/project-archive.ts
  ["it was written by another version of Verisim", "eine andere Version von Verisim hat es geschrieben"],
  ["{} has more than {} folders inside each other at {}\u2026", "{} hat bei {2}\u2026 mehr als {1} Ordner ineinander"],
  ["A link may lead round in circles; remove it.", "Vielleicht f\xFChrt eine Verkn\xFCpfung im Kreis; sie entfernen."],
  ["the exported project", "das exportierte Projekt"],
  ["{} is there already, and is not an exported project", "{} ist schon da und kein exportiertes Projekt"],
  ["Choose another file, or move this one away.", "Eine andere Datei w\xE4hlen oder diese wegr\xE4umen."],
  ["{} is there already", "{} ist schon da"],
  ["Choose a folder that is not there yet, with --project.", "Einen Ordner w\xE4hlen, den es noch nicht gibt."],
  ["the project", "das Projekt"],
  ["{} differs", "{} weicht ab"],
  ["there is no project in it ({})", "darin ist kein Projekt ({})"],
  ["it is no project of Verisim", "es ist kein Projekt von Verisim"],
  ["its files are not those that its manifest lists", "die Dateien sind nicht die des Manifests"],
  ["its manifest is not JSON", "das Manifest ist kein JSON"],
  ["it names a file outside of the project: {}", "es nennt eine Datei au\xDFerhalb des Projekts: {}"],
  ["{} cannot be imported: {}", "{} l\xE4sst sich nicht importieren: {}"],
  [
    "Use another copy of the file, or export the project again.",
    "Eine andere Kopie der Datei verwenden oder das Projekt noch einmal exportieren."
  ],
  // main/storage/projects/project-folder.ts
  [
    "this Verisim reads {}; the project was written by another version",
    "dieses Verisim liest {}; eine andere Version hat das Projekt geschrieben"
  ],
  ["Choose a new or empty folder for the project.", "F\xFCr das Projekt einen neuen oder leeren Ordner w\xE4hlen."],
  ["Not a Verisim project: {} holds no project.json", "Kein Verisim-Projekt: {} enth\xE4lt keine project.json"],
  [
    "A project\u2019s folder has a file project.json in it: choose that folder, or make a new project.",
    "Der Ordner eines Projekts enth\xE4lt eine Datei project.json: diesen Ordner w\xE4hlen oder ein neues Projekt beginnen."
  ],
  [
    "Fix this value in the file, or restore the file from a copy.",
    "Diesen Wert in der Datei berichtigen oder die Datei aus einer Kopie wiederherstellen."
  ],
  ["{} is damaged: it is not JSON", "{} ist besch\xE4digt: Es ist kein JSON"],
  [
    "Restore the file from a copy, or fix it in a text editor.",
    "Die Datei aus einer Kopie wiederherstellen oder in einem Texteditor berichtigen."
  ],
  // main/storage/projects/tar.ts
  ["a header is", "ein Kopf ist"],
  ["a file in it is cut short or", "eine Datei darin ist abgeschnitten oder"],
  ["an extended header is", "ein erweiterter Kopf ist"],
  ["it holds something other than files ({}) or", "es enth\xE4lt etwas anderes als Dateien ({}) oder ist"],
  ["it ends too early or", "es endet zu fr\xFCh oder ist"],
  ["{} is not a whole archive: {} damaged", "{} ist kein vollst\xE4ndiges Archiv: {} besch\xE4digt"],
  // shared/client/client.ts
  ["The connection was lost before the answer came.", "Die Verbindung riss ab, bevor die Antwort kam."],
  [
    "It is being made again; then look whether it was done, and try once more if not.",
    "Sie wird wiederhergestellt; dann nachsehen, ob es geschehen ist, und es sonst noch einmal versuchen."
  ],
  ["The answer was not of the form that was agreed on.", "Die Antwort hatte nicht die vereinbarte Form."],
  [
    "This window and the program are of different versions, or this is a bug: reload, and report it if it stays.",
    "Dieses Fenster und das Programm haben verschiedene Versionen, oder das ist ein Fehler: neu laden, und melden, wenn es bleibt."
  ],
  // shared/errors.ts
  [
    "This is a bug in Verisim; please report it with the command you ran.",
    "Das ist ein Fehler in Verisim; bitte melden, mit dem ausgef\xFChrten Befehl."
  ],
  // main/ipc/handlers/drafts.ts
  ["New project", "Neues Projekt"],
  // main/jobs/project/keep-checkpoint.ts
  [
    "The checkpoint of {} at step {} is not there any more.",
    "Den Checkpoint von {} bei Schritt {} gibt es nicht mehr."
  ],
  [
    "Training has gone on and keeps newer ones: choose one of those.",
    "Das Training ist weitergegangen und hebt neuere auf: einen davon w\xE4hlen."
  ],
  // main/services/updates
  ["the server sent another range than was asked for", "der Server hat einen anderen Bereich gesendet als verlangt"],
  ["This Verisim has no source of updates.", "Dieses Verisim hat keine Quelle f\xFCr Updates."],
  ["Download the new version by hand.", "Die neue Version von Hand herunterladen."],
  ["The update could not be loaded: {}", "Das Update lie\xDF sich nicht laden: {}"],
  [
    "Try again later, or download the new version by hand.",
    "Sp\xE4ter erneut versuchen oder die neue Version von Hand herunterladen."
  ]
];

// renderer/strings/de-told/runs.ts
var runs = [
  // main/engine/control.ts
  [
    "Stopped between two phases; everything so far is kept.",
    "Zwischen zwei Phasen angehalten; alles bis hierher ist gesichert."
  ],
  ["Run the same command again to resume from here.", "Erneut starten: Es geht von hier aus weiter."],
  // main/engine/cycle/cycle-phase.ts
  ["{} is already there.", "{} ist schon da."],
  // main/engine/cycle/cycle-reward-model.ts
  [
    "The generator has caught up with {}: it is trained on.",
    "Der Generator hat {} eingeholt: Es wird damit weitertrainiert."
  ],
  // main/engine/cycle/cycle.ts
  [
    "Waiting after cycle {}: about {} on {} against {} decide whether there is another cycle.",
    "Warten nach Zyklus {}: Etwa {} zu {} gegen {} entscheiden, ob es einen weiteren Zyklus gibt."
  ],
  ["more vote", "weitere Stimme"],
  [
    "Stopped after cycle {}: held-out perplexity has not fallen by more than chance.",
    "Nach Zyklus {} beendet: Die Perplexit\xE4t auf zur\xFCckgehaltenem Text ist nicht um mehr als Zufall gefallen."
  ],
  [
    "Stopped after cycle {}: held-out perplexity has not improved for {} cycle(s).",
    "Nach Zyklus {} beendet: Die Perplexit\xE4t auf zur\xFCckgehaltenem Text hat sich seit {} Zyklen nicht verbessert."
  ],
  [
    "Stopped after cycle {}: the reward has not risen by more than chance.",
    "Nach Zyklus {} beendet: Die Belohnung ist nicht um mehr als Zufall gestiegen."
  ],
  [
    "Stopped after cycle {}: people do not find its writing better than what was before.",
    "Nach Zyklus {} beendet: Menschen finden das Geschriebene nicht besser als das davor."
  ],
  [
    "Stopped before GRPO of cycle {}: the generator has caught up with its critic. {}",
    "Vor GRPO in Zyklus {} beendet: Der Generator hat seinen Kritiker eingeholt. {}"
  ],
  // main/engine/cycle/judgement.ts
  ["reading with the judge", "liest mit dem Gutachter"],
  // main/engine/generate/generate.ts
  ["A prompt must have at least one token.", "Ein Prompt braucht mindestens ein Token."],
  ["Give a prompt of one character or more.", "Einen Prompt mit mindestens einem Zeichen angeben."],
  // main/engine/grpo/grpo-state.ts
  [
    "GRPO stopped at step {}: the model moved {} nats per token from where the cycle began, past the cap of {}. The last weights below the cap are kept.",
    "GRPO endete bei Schritt {}: Das Modell hat sich {} Nats pro Token von seinem Anfang im Zyklus entfernt, mehr als die Grenze von {}. Die letzten Gewichte unterhalb der Grenze sind gesichert."
  ],
  [
    "GRPO stopped at step {}: the mean reward reached {}.",
    "GRPO endete bei Schritt {}: Die mittlere Belohnung erreichte {}."
  ],
  [
    "GRPO stopped at step {}: the reward has not risen for {} steps.",
    "GRPO endete bei Schritt {}: Die Belohnung ist seit {} Schritten nicht gestiegen."
  ],
  ["GRPO ended at step {}, as asked.", "GRPO endete wie gew\xFCnscht bei Schritt {}."],
  ["GRPO ran all of its {} steps.", "GRPO hat alle {} Schritte gemacht."],
  // main/engine/grpo/grpo-step.ts
  ["The rewards are not finite. {}", "Die Belohnungen sind keine endlichen Zahlen. {}"],
  // main/engine/grpo/grpo.ts
  ["reward {}%, KL {}", "Belohnung {} %, KL {}"],
  ["reward {}, KL {}", "Belohnung {}, KL {}"],
  // main/engine/grpo/reward-evaluation.ts
  ["judging what is written on held-out prompts", "bewertet, was zu zur\xFCckgehaltenen Prompts geschrieben wird"],
  // main/engine/model/precision.ts
  [
    "Matrix products use bfloat16: a model of this width trains in about half the time with it here (--precision f32 does without).",
    "Matrixprodukte rechnen in bfloat16: Ein Modell dieser Breite trainiert damit hier in etwa der halben Zeit (die Genauigkeit f32 rechnet ohne)."
  ],
  // main/engine/reward/reward-data.ts
  [
    "The training text has {} tokens, less than one chunk of {}.",
    "Der Trainingstext hat {} Tokens, weniger als einen Abschnitt von {}."
  ],
  [
    "The {} text has {} tokens, less than one chunk of {}.",
    "Der Text ({}) hat {} Tokens, weniger als einen Abschnitt von {}."
  ],
  [
    "Use a longer text, a smaller {}, or another {}.",
    "Einen l\xE4ngeren Text, ein kleineres {} oder ein anderes {} nehmen."
  ],
  ["training samples", "Beispiele zum Trainieren"],
  ["validation samples", "Beispiele zum Validieren"],
  [
    "{} of {} samples were left out: on their text the model\u2019s numbers are not finite.",
    "{} von {} Beispielen wurden ausgelassen: Zu ihrem Text liefert das Modell keine endlichen Zahlen."
  ],
  ["Stopped after {} samples of reward data.", "Nach {} Beispielen der Belohnungsdaten angehalten."],
  ["Run the same command again: it resumes there.", "Erneut starten: Es geht dort weiter."],
  [
    "Generation failed for {} of {} samples: the model\u2019s numbers are not finite",
    "Bei {} von {} Beispielen ist das Schreiben misslungen: Das Modell liefert keine endlichen Zahlen"
  ],
  [
    "The model is damaged, or its training went wrong: check it with sample, use another copy, or train it again with a smaller learning_rate.",
    "Das Modell ist besch\xE4digt, oder sein Training ist misslungen: mit \u201ESchreiben\u201C ansehen, eine andere Kopie nehmen oder mit kleinerer Lernrate neu trainieren."
  ],
  // main/engine/reward/reward-quality.ts
  ["Split consistency", "Aufteilung stimmt"],
  ["There are no samples", "Es gibt keine Beispiele"],
  ["{} train, {} validation", "{} zum Trainieren, {} zum Validieren"],
  ["{}, but train_split was {}", "{}, aber train_split war {}"],
  ["Generation quality", "G\xFCte des Geschriebenen"],
  ["The samples are too short to judge", "Die Beispiele sind zu kurz, um sie zu beurteilen"],
  ["generated text has distinct-2 {}, natural {}", "Geschriebenes hat Distinct-2 {}, nat\xFCrlicher Text {}"],
  ["longest repetition {} and {} tokens", "l\xE4ngste Wiederholung {} und {} Tokens"],
  [
    "the model repeats itself; a higher temperature or more training helps",
    "das Modell wiederholt sich; eine h\xF6here Temperatur oder mehr Training hilft"
  ],
  // main/engine/reward/reward-report.ts
  ["R\xB2 is not defined here", "R\xB2 ist hier nicht definiert"],
  ["R\xB2 {}, 95% interval {} to {}", "R\xB2 {}, 95-%-Intervall {} bis {}"],
  [
    "The reward model cannot tell natural from generated text here ({}). GRPO would follow noise.",
    "Das Belohnungsmodell kann hier Nat\xFCrliches nicht von Geschriebenem unterscheiden ({}). GRPO w\xFCrde Rauschen folgen."
  ],
  [
    "The reward model can tell natural from generated text {} ({}; 0 is guessing, 1 is perfect).",
    "Das Belohnungsmodell kann Nat\xFCrliches {} von Geschriebenem unterscheiden ({}; 0 hei\xDFt raten, 1 ist vollkommen)."
  ],
  [
    "The reward model can tell natural from generated text well ({}; 0 is guessing, 1 is perfect).",
    "Das Belohnungsmodell kann Nat\xFCrliches gut von Geschriebenem unterscheiden ({}; 0 hei\xDFt raten, 1 ist vollkommen)."
  ],
  ["to some degree", "bis zu einem gewissen Grad"],
  // main/engine/reward/reward.ts
  ["reading what the generator wrote", "liest, was der Generator geschrieben hat"],
  ["loss {}", "Verlust {}"],
  // main/engine/runtime/errors.ts
  ["an unknown line", "einer unbekannten Zeile"],
  ["{} cannot be compiled at {}: {}", "{} l\xE4sst sich bei {} nicht \xFCbersetzen: {}"],
  // main/engine/runtime/native.ts
  ["TensorFlow finds no CUDA device.", "TensorFlow findet kein CUDA-Ger\xE4t."],
  [
    "Run `npm run setup -- --gpu` on a machine with an NVIDIA GPU and driver, or choose {}.",
    "Auf einem Rechner mit NVIDIA-Grafikkarte und Treiber `npm run setup -- --gpu` ausf\xFChren, oder {} w\xE4hlen."
  ],
  [
    "CUDA needs TensorFlow, which is not installed or does not load.",
    "CUDA braucht TensorFlow, das nicht installiert ist oder sich nicht laden l\xE4sst."
  ],
  ["Run `npm run setup -- --gpu`, or choose {}.", "`npm run setup -- --gpu` ausf\xFChren, oder {} w\xE4hlen."],
  ["TensorFlow is not installed", "TensorFlow ist nicht installiert"],
  ["TensorFlow does not load{}", "TensorFlow l\xE4sst sich nicht laden{}"],
  [
    "{}: running in plain JavaScript, many times slower. To fix it: npm run setup",
    "{}: Es wird in einfachem JavaScript gerechnet, um ein Vielfaches langsamer. Abhilfe: npm run setup"
  ],
  [
    "There is no bfloat16 here: the processor has no instructions for it (AVX512_BF16, AMX), or it is turned off.",
    "Hier gibt es kein bfloat16: Dem Prozessor fehlen die Befehle daf\xFCr (AVX512_BF16, AMX), oder es ist ausgeschaltet."
  ],
  ["Leave {} out, or choose {}: it is faster here.", "{} weglassen oder {} w\xE4hlen: Das ist hier schneller."],
  // main/engine/train/begin-from.ts
  [
    "block_size is {}, but the model to begin from has positions for {} tokens",
    "block_size ist {}, aber das Ausgangsmodell hat Positionen f\xFCr {} Tokens"
  ],
  ["Use --block_size {} or less.", "H\xF6chstens --block_size {} verwenden."],
  // main/engine/train/dataset.ts
  ["The {} has {} tokens; a {} of {} needs at least {}", "{} hat {} Tokens; ein {} von {} braucht mindestens {}"],
  // main/engine/train/divergence.ts
  [
    "The first tensor that went wrong is {}: it holds values that are not finite.",
    "Der erste fehlerhafte Tensor ist {}: Er enth\xE4lt Werte, die keine endlichen Zahlen sind."
  ],
  [
    "All weights were finite when last looked at, and then the scores of the text overflowed. The largest weights, up to {}, were in {}.",
    "Alle Gewichte waren bei der letzten Pr\xFCfung endlich, dann liefen die Bewertungen des Textes \xFCber. Die gr\xF6\xDFten Gewichte, bis zu {}, waren in {}."
  ],
  [
    "Every gradient is finite, but together they are too large for their length to be.",
    "Jeder Gradient ist endlich, aber zusammen sind sie so gro\xDF, dass ihre L\xE4nge es nicht ist."
  ],
  ["The loss is finite, but its gradient is not.", "Der Verlust ist endlich, sein Gradient nicht."],
  ["The first tensor that went wrong is the gradient of {}.", "Der erste fehlerhafte Tensor ist der Gradient von {}."],
  [
    "A smaller learning rate or a longer warm-up usually helps.",
    "Meist hilft eine kleinere Lernrate oder ein l\xE4ngeres Aufw\xE4rmen."
  ],
  [
    "A smaller learning rate for the reward model usually helps.",
    "Meist hilft eine kleinere Lernrate f\xFCr das Belohnungsmodell."
  ],
  [
    "A smaller learning rate for GRPO usually helps, or a smaller grpo_grad_clip.",
    "Meist hilft eine kleinere Lernrate f\xFCr GRPO oder ein kleineres grpo_grad_clip."
  ],
  ["The last good checkpoint is kept.", "Der letzte gute Checkpoint ist gesichert."],
  // shared/config/suited-dropout.ts
  [
    "Training goes through this text {} times, so it uses a dropout of {} against learning it by heart.",
    "Das Training geht {}-mal durch diesen Text und nutzt deshalb ein Dropout von {}, damit es ihn nicht auswendig lernt."
  ],
  // main/engine/train/minutes.ts
  ["{} {} {} steps here.", "{} {} hier {} Schritte."],
  ["minute is", "Minute sind"],
  ["minutes are", "Minuten sind"],
  // main/engine/train/perplexity.ts
  ["held-out text", "Der zur\xFCckgehaltene Text"],
  [
    "Stopped while the model was measured on held-out text.",
    "Angehalten, w\xE4hrend das Modell auf zur\xFCckgehaltenem Text gemessen wurde."
  ],
  ["Run the same command again: the measurement begins again.", "Erneut starten: Die Messung beginnt von vorn."],
  // main/engine/train/phase.ts
  ["Stopped at step {}, with a checkpoint.", "Bei Schritt {} angehalten, mit einem Checkpoint."],
  // main/engine/train/train.ts
  ["training text", "Der Trainingstext"],
  [
    "Stopped early at step {}: the held-out loss has not improved by {} in {} evaluations.",
    "Bei Schritt {} vorzeitig beendet: Der Verlust auf zur\xFCckgehaltenem Text hat sich in {2} Auswertungen nicht um {1} verbessert."
  ],
  [
    "Took all of its {} steps; the model of step {}, which had the lowest held-out loss, is kept.",
    "Alle {} Schritte gemacht; gesichert ist das Modell von Schritt {} mit dem kleinsten Verlust auf zur\xFCckgehaltenem Text."
  ],
  // main/formats/reward-dataset.ts
  ['the line {} is not "key: value"', "die Zeile {} ist nicht \u201Ekey: value\u201C"],
  ["{} must be a whole number from {}, not {}", "{} muss eine ganze Zahl ab {} sein, nicht {}"],
  ["{} is {}, expected {}", "{} ist {}, erwartet war {}"],
  ["tokenization_method is {}", "tokenization_method ist {}"],
  [
    "{} has format_version {}; this Verisim reads up to {}",
    "{} hat die format_version {}; dieses Verisim liest bis {}"
  ],
  [
    "It was made by a newer Verisim: use that one, or make the dataset again.",
    "Ein neueres Verisim hat ihn erzeugt: dieses verwenden oder den Datensatz neu erzeugen."
  ],
  ["{} is not a reward dataset's metadata: {}", "{} sind keine Metadaten eines Belohnungsdatensatzes: {}"],
  ["Make the dataset again with prepare_reward_data.", "Den Datensatz mit prepare_reward_data neu erzeugen."],
  [
    "Make the dataset again with --tokenization {}, or use the model and the dataset that belong together.",
    "Den Datensatz mit --tokenization {} neu erzeugen oder Modell und Datensatz verwenden, die zusammengeh\xF6ren."
  ],
  [
    "Tokenization method mismatch: dataset uses '{}' but expected '{}'",
    "Die Tokenisierung passt nicht: Der Datensatz verwendet \u201E{}\u201C, erwartet war \u201E{}\u201C"
  ],
  [
    "Vocabulary size mismatch: dataset uses {} but expected {}",
    "Die Gr\xF6\xDFe des Vokabulars passt nicht: Der Datensatz hat {}, erwartet waren {}"
  ],
  [
    "Block size mismatch: dataset uses {} but expected {}",
    "Die Kontextl\xE4nge passt nicht: Der Datensatz hat {}, erwartet waren {}"
  ],
  [
    "Make the dataset again with this model, or use the model that it was made with.",
    "Den Datensatz mit diesem Modell neu erzeugen oder das Modell verwenden, mit dem er erzeugt wurde."
  ],
  [
    "{}: sample {} has the target [{}], which is not a pair of probabilities that sum to 1",
    "{}: Beispiel {} hat das Ziel [{}], das kein Paar von Wahrscheinlichkeiten mit der Summe 1 ist"
  ],
  [
    "The file was damaged or is of another kind; make the dataset again with prepare_reward_data.",
    "Die Datei ist besch\xE4digt oder von anderer Art; den Datensatz mit prepare_reward_data neu erzeugen."
  ],
  // main/jobs/changes.ts
  ["what runs now", "was jetzt l\xE4uft"],
  ["Try again once the next phase has begun.", "Es erneut versuchen, wenn die n\xE4chste Phase begonnen hat."],
  [
    "What was asked for {} came too late: that was already over.",
    "Was f\xFCr {} gew\xFCnscht war, kam zu sp\xE4t: Das war schon vorbei."
  ],
  ["From step {} of {} on: {}.", "Ab Schritt {} ({}): {}."],
  ["made longer", "verl\xE4ngert werden"],
  ["There will be {} cycles.", "Es wird {} Zyklen geben."],
  ["{} more steps", "{} weitere Schritte"],
  ["the phase ends here, as asked", "die Phase endet hier, wie gew\xFCnscht"],
  // main/jobs/machine/runtime.ts
  [
    "Preparing: compiling the model for this machine, about {} s the first time",
    "Vorbereitung: Das Modell wird f\xFCr diesen Rechner \xFCbersetzt, beim ersten Mal etwa {} s"
  ],
  // main/jobs/run/checkpoints.ts
  [
    "Rows of the metrics are lost: {}. Training resumes from its checkpoint.",
    "Messwerte sind verloren: {}. Das Training geht von seinem Checkpoint aus weiter."
  ],
  // main/jobs/run/given-settings.ts
  ["The settings are not complete", "Die Einstellungen sind nicht vollst\xE4ndig"],
  ["Fix them first.", "Sie zuerst berichtigen."],
  // main/jobs/run/run-folder.ts
  [
    "{} holds the result of this very run; --overwrite begins again.",
    "{} enth\xE4lt das Ergebnis genau dieses Laufs; --overwrite beginnt von vorn."
  ],
  ["{} holds {}, but not as a run of Verisim", "{} enth\xE4lt {}, aber nicht als Lauf von Verisim"],
  ["Give another folder, or move these away first.", "Einen anderen Ordner angeben oder diese zuerst wegr\xE4umen."],
  // main/jobs/run/run-record.ts
  ["{} is not a run of this Verisim", "{} ist kein Lauf dieses Verisim"],
  [
    "Give another folder, or begin again with --overwrite.",
    "Einen anderen Ordner angeben oder mit --overwrite von vorn beginnen."
  ],
  ["it is a run of {}", "es ist ein Lauf von {}"],
  ["{} is {} there, {} now", "{} ist dort {}, jetzt {}"],
  ["{} has changed since", "{} hat sich seitdem ge\xE4ndert"],
  ["{} holds another run: {}", "{} enth\xE4lt einen anderen Lauf: {}"],
  [
    "Give another folder, begin again with --overwrite, or use the settings of that run to resume it.",
    "Einen anderen Ordner angeben, mit --overwrite von vorn beginnen oder mit den Einstellungen dieses Laufs fortsetzen."
  ],
  ["{} bytes, {}", "{} Byte, {}"],
  // main/jobs/run/run-store.ts
  [
    "Since this run was last worked on, {}. It resumes, but running it anew need not give the same bytes.",
    "Seit zuletzt an diesem Lauf gearbeitet wurde: {}. Er geht weiter, aber ein neuer Lauf ergibt nicht unbedingt dieselben Bytes."
  ],
  // main/storage/datasets/reward-dataset-files.ts
  ["{} pairs of float32", "{} Paare von float32"],
  ["{} \xD7 {} uint{}", "{} \xD7 {} uint{}"],
  ["Reward dataset file not found: {}", "Datei des Belohnungsdatensatzes nicht gefunden: {}"],
  ["Reward dataset not found: {}", "Belohnungsdatensatz nicht gefunden: {}"],
  [
    "Check the path, or make the dataset with prepare_reward_data.",
    "Den Pfad pr\xFCfen oder den Datensatz mit prepare_reward_data erzeugen."
  ],
  ["{} has {} bytes; its metadata promises {} ({})", "{} hat {} Byte; die Metadaten versprechen {} ({})"],
  [
    "The file was cut short or belongs to another dataset; make the dataset again with prepare_reward_data.",
    "Die Datei ist abgeschnitten oder geh\xF6rt zu einem anderen Datensatz; ihn mit prepare_reward_data neu erzeugen."
  ],
  // main/storage/datasets/reward-dataset-writer.ts
  [
    "{} was begun with other settings and is not finished: {}",
    "{} wurde mit anderen Einstellungen begonnen und ist nicht fertig: {}"
  ],
  [
    "Use those settings to resume it, begin again with --overwrite, or choose another folder with --output_dir.",
    "Mit jenen Einstellungen fortsetzen, mit --overwrite von vorn beginnen oder einen anderen Ordner w\xE4hlen."
  ],
  ["{} holds something other than a reward dataset: {}", "{} enth\xE4lt etwas anderes als einen Belohnungsdatensatz: {}"],
  [
    "Choose another folder: with --overwrite it would be deleted first.",
    "Einen anderen Ordner w\xE4hlen: Mit --overwrite w\xFCrde es zuerst gel\xF6scht."
  ],
  ["{} holds what this run is to read: {}", "{} enth\xE4lt, was dieser Lauf lesen soll: {}"],
  [
    "Choose another folder with --output_dir; this one is not touched.",
    "Einen anderen Ordner w\xE4hlen; dieser wird nicht anger\xFChrt."
  ],
  ["There is a reward dataset already: {}", "Es gibt schon einen Belohnungsdatensatz: {}"],
  [
    "Choose another folder with --output_dir, or replace this one with --overwrite.",
    "Einen anderen Ordner w\xE4hlen oder diesen mit --overwrite ersetzen."
  ],
  [
    "{} holds something other than unfinished reward data: {}",
    "{} enth\xE4lt etwas anderes als unfertige Belohnungsdaten: {}"
  ],
  ["Move it away, or choose another folder with --output_dir.", "Es wegr\xE4umen oder einen anderen Ordner w\xE4hlen."],
  // main/supervisor/connection.ts
  ["it is of another version", "er hat eine andere Version"],
  ["it has ended", "er ist beendet"],
  ["The trainer did not answer any more and was ended.", "Der Trainer antwortete nicht mehr und wurde beendet."],
  ["The trainer ended unexpectedly ({}).", "Der Trainer endete unerwartet ({})."],
  [
    "Try again. If it happens again, report it with \u201CCopy diagnostics\u201D from the settings.",
    "Es erneut versuchen. Geschieht es wieder, mit \u201EDiagnosedaten kopieren\u201C aus den Einstellungen melden."
  ],
  // main/supervisor/index.ts
  [
    "Verisim was closed: it stops here with a checkpoint.",
    "Verisim wurde geschlossen: Hier wird mit einem Checkpoint angehalten."
  ],
  [
    "The computer\u2019s clock was set back. Nothing depends on it.",
    "Die Uhr des Rechners wurde zur\xFCckgestellt. Davon h\xE4ngt nichts ab."
  ],
  ["{} minutes", "{} Minuten"],
  ["a moment", "einen Augenblick"],
  [
    "The computer slept for {}; the run continues where it was.",
    "Der Rechner schlief {}; der Lauf geht dort weiter, wo er war."
  ],
  ["{} is not running", "{} l\xE4uft nicht"],
  ["Start it first.", "Es zuerst starten."],
  // main/supervisor/run.ts
  ["The trainer did not answer any more", "Der Trainer antwortete nicht mehr"],
  ["The trainer ended unexpectedly ({})", "Der Trainer endete unerwartet ({})"],
  ["{}; it resumes from its last checkpoint.", "{}; es geht von seinem letzten Checkpoint aus weiter."],
  [
    "{}, {} times without getting as far as the next checkpoint.",
    "{}, {}-mal, ohne bis zum n\xE4chsten Checkpoint zu kommen."
  ],
  [
    "Everything up to the last checkpoint is kept. If memory was short, close other programs or use a smaller batch; then start it again.",
    "Alles bis zum letzten Checkpoint ist gesichert. Fehlte Arbeitsspeicher, andere Programme schlie\xDFen oder eine kleinere Batch-Gr\xF6\xDFe w\xE4hlen; dann erneut starten."
  ],
  ["The trainer is being started again.", "Der Trainer wird gerade neu gestartet."],
  ["Try again in a moment.", "Gleich noch einmal versuchen."],
  // main/supervisor/trainer-process.ts
  ["exit code {}", "Exit-Code {}"],
  // main/trainer/calls.ts
  ["not what was expected", "nicht wie erwartet"],
  ["Check this value.", "Diesen Wert pr\xFCfen."],
  // main/trainer/steering.ts, main/trainer/pauses.ts
  ["Stopped, as asked.", "Angehalten, wie gew\xFCnscht."],
  ["It will stop after this phase, as asked.", "Es wird wie gew\xFCnscht nach dieser Phase angehalten."],
  ["There is room on the disk again.", "Auf der Festplatte ist wieder Platz."],
  ["The project is only being opened.", "Das Projekt wird gerade erst ge\xF6ffnet."],
  ["Try again in a moment, when it runs.", "Gleich noch einmal versuchen, wenn es l\xE4uft."],
  // main/trainer/serve.ts
  ["The trainer does not understand this message", "Der Trainer versteht diese Nachricht nicht"],
  [
    "Restart Verisim: parts of two versions may be running together.",
    "Verisim neu starten: Vielleicht laufen Teile zweier Versionen zusammen."
  ],
  ["This trainer is at work on {}", "Dieser Trainer arbeitet an {}"],
  ["Nothing runs here", "Hier l\xE4uft nichts"],
  ["Start the project first.", "Zuerst das Projekt starten."],
  // main/trainer/watches.ts
  [
    "Paused: the disk of {} has only {} free, and the next checkpoint may need {}. Free some space: it resumes by itself then.",
    "Pausiert: Auf der Festplatte von {} sind nur {} frei, und der n\xE4chste Checkpoint kann {} brauchen. Platz schaffen: Dann geht es von selbst weiter."
  ],
  [
    "Memory is climbing: the trainer holds {}, {} before. Stopping and starting the project frees it and loses nothing.",
    "Der Speicherbedarf steigt: Der Trainer h\xE4lt {}, vorher {}. Anhalten und Starten des Projekts gibt ihn frei und verliert nichts."
  ],
  // main/engine/cycle/cycle.ts, counted
  ["{} more votes", "{} weitere Stimmen"],
  ["{} more vote", "{} weitere Stimme"]
];

// renderer/strings/de-told/settings.ts
var settings = [
  // Settings that are a slip of the keyboard, and a machine that is too small for them
  ["{} is {}, with which training diverges", "{} ist {}; damit divergiert das Training"],
  ["Usually it is between 0.00001 and 0.01.", "\xDCblich ist ein Wert zwischen 0,00001 und 0,01."],
  ["At the speed of this machine it would take about {} days", "Auf diesem Rechner w\xFCrde es etwa {} Tage dauern"],
  ["Check {} and {}, or use a smaller model.", "{} und {} pr\xFCfen oder ein kleineres Modell nehmen."],
  [
    "About {} of memory would be needed at the peak; {} are free now",
    "H\xF6chstens w\xFCrden etwa {} Arbeitsspeicher gebraucht; {} sind jetzt frei"
  ],
  [
    "Close other programs before it gets that far, or use a smaller model or {}: short of memory, a machine becomes slow, and may end the training.",
    "Vorher andere Programme schlie\xDFen, oder ein kleineres Modell oder {} nehmen: Ohne genug Arbeitsspeicher wird ein Rechner langsam und beendet wom\xF6glich das Training."
  ],
  [
    "About {} would be written; {} are free where projects are kept",
    "Etwa {} w\xFCrden geschrieben; {} sind dort frei, wo die Projekte liegen"
  ],
  // main/jobs/machine/memory.ts
  [
    "a smaller model ({}, {}, {}) or a shorter context ({})",
    "ein kleineres Modell ({}, {}, {}) oder einen k\xFCrzeren Kontext ({})"
  ],
  [
    "About {} of memory would be needed; this machine has {}",
    "Etwa {} Arbeitsspeicher w\xFCrden gebraucht; dieser Rechner hat {}"
  ],
  ["Use {} {} instead of {}, or {}.", "{} {} statt {} verwenden, oder {}."],
  ["Use {}.", "{} verwenden."],
  ["{} GB", "{} GB"],
  // main/jobs/problems.ts
  [
    "{} needs {}: beginning from scratch, there is nothing to adapt",
    "{} braucht {}: Wer von nichts beginnt, hat nichts anzupassen"
  ],
  [
    "Give {} a model that can write already, or use {}.",
    "F\xFCr {} ein Modell angeben, das schon schreiben kann, oder {} verwenden."
  ],
  ["Not a Verisim project: {}", "Kein Verisim-Projekt: {}"],
  ["{} list shows the projects.", "{} list zeigt die Projekte."],
  [
    "Give the folder itself, which holds train_metadata.txt and val_metadata.txt.",
    "Den Ordner selbst angeben, der train_metadata.txt und val_metadata.txt enth\xE4lt."
  ],
  ["Reward dataset is a file, not a folder: {}", "Der Belohnungsdatensatz ist eine Datei, kein Ordner: {}"],
  ["Reward dataset {}: {}", "Belohnungsdatensatz {}: {}"],
  ["not found", "nicht gefunden"],
  [
    "Make it with prepare_reward_data, or give {} its folder.",
    "Mit prepare_reward_data erzeugen oder f\xFCr {} seinen Ordner angeben."
  ],
  ["Check what {} names.", "Pr\xFCfen, was {} nennt."],
  // main/services/drafts/draft-check.ts
  [
    "Download it first: the page on which it was chosen does that.",
    "Es zuerst herunterladen: Das geht auf der Seite, auf der es gew\xE4hlt wurde."
  ],
  ["{} is not on this machine yet", "{} ist noch nicht auf diesem Rechner"],
  [
    "{} is {}, but the model to begin from has positions for {} tokens",
    "{} ist {}, aber das Ausgangsmodell hat Positionen f\xFCr {} Tokens"
  ],
  ["Use {} {} or less.", "{} h\xF6chstens {} w\xE4hlen."],
  ["Use {} {} instead of {}.", "{} {} statt {} verwenden."],
  [
    "Use a smaller model or a shorter context, or fewer completions.",
    "Ein kleineres Modell, einen k\xFCrzeren Kontext oder weniger Fortsetzungen verwenden."
  ],
  [
    "Free some space, choose another folder for projects in the settings, or use a smaller model.",
    "Platz schaffen, in den Einstellungen einen anderen Ordner f\xFCr Projekte w\xE4hlen oder ein kleineres Modell verwenden."
  ],
  // main/services/drafts/drafts.ts
  ["This draft is not there any more.", "Dieser Entwurf ist nicht mehr da."],
  [
    "It was started or discarded, perhaps in another window; begin a new one.",
    "Er wurde gestartet oder verworfen, vielleicht in einem anderen Fenster; einen neuen beginnen."
  ],
  ["{} is not a setting of a project", "{} ist keine Einstellung eines Projekts"],
  ["Leave it out.", "Es weglassen."],
  // shared/config/checks.ts
  ["{} is not a setting", "{} ist keine Einstellung"],
  ["Give {}. {}: {}", "{} angeben. {}: {}"],
  ["{} is required", "{} ist n\xF6tig"],
  [" The default is {}.", " Der Standardwert ist {}."],
  ["{} must be {}; got {}", "{}: erlaubt ist {}; angegeben ist {}"],
  ["twice {}", "das Doppelte von {}"],
  ["{} ({}) must be divisible by {}{} ({})", "{} ({}) muss durch {}{} ({}) teilbar sein"],
  [
    "Use {} {}, the nearest that is, or another {}: each head takes an equal share of the width.",
    "{} {} verwenden, den n\xE4chsten passenden Wert, oder ein anderes {}: Jeder Kopf bekommt einen gleichen Teil der Breite."
  ],
  ["{} ({}) is above {} ({}), so the learning rate rises", "{} ({}) liegt \xFCber {} ({}), sodass die Lernrate steigt"],
  ["Usually {} is a tenth of {}.", "\xDCblich ist f\xFCr {} ein Zehntel von {}."],
  ["{} needs {}, not {}", "{} braucht {}, nicht {}"],
  ["{} needs {} or {}, not {}", "{} braucht {} oder {}, nicht {}"],
  ["Use {}, or {}.", "{} oder {} verwenden."],
  [
    "{} is for a writer that starts from scratch, but {} is given",
    "{} ist f\xFCr ein Modell, das von nichts beginnt, aber {} ist angegeben"
  ],
  [
    "Use {}: the text is cut as that model does it.",
    "{} verwenden: Der Text wird so zerlegt, wie jenes Modell es tut."
  ],
  ["{} needs a text in tokens of that model, not {}", "{} braucht einen Text in Tokens jenes Modells, nicht {}"],
  ["Use {}, or leave {} out.", "{} verwenden oder {} weglassen."],
  [
    "The preset {} is for a model that can write already, and there is none to begin from",
    "Die Voreinstellung {} ist f\xFCr ein Modell, das schon schreiben kann, und es gibt keines, von dem begonnen wird"
  ],
  ["Give {} and a model, or use another preset.", "{} und ein Modell angeben oder eine andere Voreinstellung nehmen."],
  ["Reward model", "Belohnungsmodell"],
  ['Allow reading it: chmod -R u+rX "{}"', 'Das Lesen erlauben: chmod -R u+rX "{}"'],
  ["{} file cannot be read: {}", "Datei nicht lesbar ({}): {}"],
  ["Folder not found: {}", "Ordner nicht gefunden: {}"],
  ["{} is a file, not a folder: {}", "{} ist eine Datei, kein Ordner: {}"],
  ["Give {} another folder.", "F\xFCr {} einen anderen Ordner angeben."],
  [
    "Give {} a folder of your own, or allow writing there.",
    "F\xFCr {} einen eigenen Ordner angeben oder das Schreiben dort erlauben."
  ],
  ["Cannot write to {}: no permission", "Schreiben in {} nicht erlaubt"],
  // shared/config/data-checks.ts
  ["{} needs {}, the model whose tokens they are", "{} braucht {}, das Modell, dessen Tokens es sind"],
  ["Use {}, or make a project with {}.", "{} verwenden oder ein Projekt mit {} anlegen."],
  ["{} is ignored when {} is '{}'", "{} wirkt nicht, wenn {} \u201E{}\u201C ist"],
  ["Leave {} out, or use {}.", "{} weglassen oder {} verwenden."],
  ["Add {}, or leave {} out.", "{} hinzuf\xFCgen oder {} weglassen."],
  ["{} is ignored in text mode", "{} wirkt bei Text nicht"],
  ["Give {} and a text file, or {} with {} and {}.", "{} und eine Textdatei angeben, oder {} mit {} und {}."],
  ["{} is required in text mode", "{} ist bei Text n\xF6tig"],
  [
    "Put texts there, such as .txt or .md files, or name a text file instead of a folder.",
    "Texte hineinlegen, etwa .txt- oder .md-Dateien, oder statt des Ordners eine Textdatei angeben."
  ],
  ["Data folder holds no text: {}", "Der Datenordner enth\xE4lt keinen Text: {}"],
  [
    "Check the pattern; in a terminal it must stand in quotes, or the shell replaces it.",
    "Das Muster pr\xFCfen; im Terminal muss es in Anf\xFChrungszeichen stehen, sonst ersetzt es die Shell."
  ],
  ["text file", "Textdatei"],
  [
    "{} is a table, and is read as it stands, with its separators and quotes",
    "{} ist eine Tabelle und wird so gelesen, wie sie dasteht, mit Trennzeichen und Anf\xFChrungszeichen"
  ],
  [
    "To learn from one column, write it to a .jsonl file and name the column as {}.",
    "Um aus einer Spalte zu lernen, sie in eine .jsonl-Datei schreiben und die Spalte als {} angeben."
  ],
  ["{} needs a text to learn from, not binary files", "{} braucht einen Text zum Lernen, keine Token-Dateien"],
  ["Use {}: the files bring their own tokens with them.", "{} verwenden: Die Dateien bringen ihre Tokens mit."],
  ["{} is ignored in binary mode", "{} wirkt bei Token-Dateien nicht"],
  ["binary file", "Token-Datei"],
  ["Give {} and a file of uint16 tokens.", "F\xFCr {} eine Datei mit uint16-Tokens angeben."],
  ["{} is required in binary mode", "{} ist bei Token-Dateien n\xF6tig"],
  ["{} file is a folder: {}", "Ordner statt Datei ({}): {}"],
  ["Give the {} itself.", "Die {} selbst angeben."],
  ["Check that the {} exists and the path is correct{}", "Pr\xFCfen, ob es die {} gibt und der Pfad stimmt{}"],
  ["; there is {}", "; vorhanden ist {}"],
  ['Allow reading it: chmod u+r "{}"', 'Das Lesen erlauben: chmod u+r "{}"'],
  // shared/config/fields.ts: what a setting takes
  ["a whole number of at least {}", "eine ganze Zahl ab {}"],
  ["a whole number from {} to {}", "eine ganze Zahl von {} bis {}"],
  ["a whole number", "eine ganze Zahl"],
  ["a number of at least {}", "eine Zahl ab {}"],
  ["a number above {}, at most {}", "eine Zahl \xFCber {}, h\xF6chstens {}"],
  ["a number above {}", "eine Zahl \xFCber {}"],
  ["a number from {} to {}", "eine Zahl von {} bis {}"],
  ["a number", "eine Zahl"],
  ["one or more folders", "ein Ordner oder mehrere"],
  ["one or more texts", "ein Text oder mehrere"],
  ["a folder", "ein Ordner"],
  ["a path", "ein Pfad"],
  ["text", "Text"],
  ["true or false", "true oder false"],
  ["{}, or none", "{}, oder nichts"],
  ["{} or {}", "{} oder {}"]
];

// renderer/strings/de-told/texts.ts
var texts = [
  // Why files of a folder are left out
  ["{}. Read from {}, {} file: {}. Not read: {}.", "{}. Gelesen aus {}, {} Datei: {}. Nicht gelesen: {}."],
  ["{}. Read from {}, {} files: {}. Not read: {}.", "{}. Gelesen aus {}, {} Dateien: {}. Nicht gelesen: {}."],
  ["{}. Read from {}, {} file: {}.", "{}. Gelesen aus {}, {} Datei: {}."],
  ["{}. Read from {}, {} files: {}.", "{}. Gelesen aus {}, {} Dateien: {}."],
  ["Read from {}, {} file: {}. Not read: {}.", "Gelesen aus {}, {} Datei: {}. Nicht gelesen: {}."],
  ["Read from {}, {} files: {}. Not read: {}.", "Gelesen aus {}, {} Dateien: {}. Nicht gelesen: {}."],
  ["Read from {}, {} file: {}.", "Gelesen aus {}, {} Datei: {}."],
  ["Read from {}, {} files: {}.", "Gelesen aus {}, {} Dateien: {}."],
  ["{} files: {}", "{} Dateien: {}"],
  ["plain text, {}", "reiner Text, {}"],
  ["hidden", "versteckt"],
  ["more than {} folders deep", "mehr als {} Ordner tief"],
  ["not an ordinary file", "keine gew\xF6hnliche Datei"],
  ["not a kind of text that is read", "keine Art von Text, die gelesen wird"],
  ["a link out of the folder", "eine Verkn\xFCpfung aus dem Ordner hinaus"],
  ["a link to what is in the folder", "eine Verkn\xFCpfung auf etwas im Ordner"],
  ["a link to nothing", "eine Verkn\xFCpfung ins Leere"],
  ["cannot be read", "nicht lesbar"],
  ["empty", "leer"],
  ["larger than {} bytes", "gr\xF6\xDFer als {} Byte"],
  ["{} holds more than {} files and folders", "{} enth\xE4lt mehr als {} Dateien und Ordner"],
  ["The folder {} holds no text", "Der Ordner {} enth\xE4lt keinen Text"],
  [
    "Put texts there, such as .txt or .md files, or name a text file. Not read: {}.",
    "Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben. Nicht gelesen: {}."
  ],
  [
    "Put texts there, such as .txt or .md files, or name a text file.",
    "Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben."
  ],
  // Documents
  ["{} is not a {} document that can be read: {}", "{} ist kein lesbares {}-Dokument: {}"],
  ["{} is not an {} document that can be read: {}", "{} ist kein lesbares {}-Dokument: {}"],
  ["not a {} document that can be read: {}", "kein lesbares {}-Dokument: {}"],
  ["not an {} document that can be read: {}", "kein lesbares {}-Dokument: {}"],
  [
    "It was cut short, damaged or protected; use another copy, or save it as plain text (UTF-8).",
    "Sie ist abgeschnitten, besch\xE4digt oder gesch\xFCtzt; eine andere Kopie nehmen oder als reinen Text (UTF-8) speichern."
  ],
  ["it is protected by a password", "es ist durch ein Passwort gesch\xFCtzt"],
  [
    "it is protected: whoever made it does not allow its text to be taken out",
    "es ist gesch\xFCtzt: Wer es gemacht hat, erlaubt nicht, den Text zu entnehmen"
  ],
  ["it would have more than {} pages", "es h\xE4tte mehr als {} Seiten"],
  ["page {} would have more than {} characters", "Seite {} h\xE4tte mehr als {} Zeichen"],
  [
    "its letters stand in a table that is not known here ({})",
    "seine Buchstaben stehen in einer Tabelle, die hier nicht bekannt ist ({})"
  ],
  [
    "{}% of its characters have no letter, as its fonts do not say which they are",
    "{} % seiner Zeichen haben keinen Buchstaben, da die Schriften nicht sagen, welche es sind"
  ],
  [
    "{} holds no text: its pages ({}) are pictures, as a scanner makes them",
    "{} enth\xE4lt keinen Text: Die Seiten ({}) sind Bilder, wie ein Scanner sie macht"
  ],
  [
    "holds no text: its pages ({}) are pictures, as a scanner makes them",
    "enth\xE4lt keinen Text: Die Seiten ({}) sind Bilder, wie ein Scanner sie macht"
  ],
  [
    "Have its text recognised first (OCR), or name a document with text in it.",
    "Den Text zuerst erkennen lassen (OCR) oder ein Dokument mit Text angeben."
  ],
  ["{} cannot be read as a page: {}", "{} l\xE4sst sich nicht als Seite lesen: {}"],
  // What is found in a text, and which tokens suit it
  [
    "One split would have about {} token; {} {} needs at least {}",
    "Ein Teil h\xE4tte etwa {} Token; {} {} braucht mindestens {}"
  ],
  [
    "One split would have about {} tokens; {} {} needs at least {}",
    "Ein Teil h\xE4tte etwa {} Tokens; {} {} braucht mindestens {}"
  ],
  ["Use a longer text or a smaller {}.", "Einen l\xE4ngeren Text nehmen, oder ein kleineres {}."],
  [
    "The text has only {} character: a model will learn it by heart rather than learn to write",
    "Der Text hat nur {} Zeichen: Ein Modell wird ihn eher auswendig lernen als schreiben lernen"
  ],
  [
    "The text has only {} characters: a model will learn it by heart rather than learn to write",
    "Der Text hat nur {} Zeichen: Ein Modell wird ihn eher auswendig lernen als schreiben lernen"
  ],
  ["A few hundred thousand are a good beginning.", "Einige hunderttausend sind ein guter Anfang."],
  ["{}% of this text is repeated", "{} % dieses Textes wiederholen sich"],
  ["Duplicates make test results look too good.", "Doppeltes l\xE4sst Testergebnisse zu gut aussehen."],
  [
    "char, because {} characters are too few to learn longer pieces from",
    "Zeichen, denn {} Zeichen sind zu wenige, um l\xE4ngere St\xFCcke daraus zu lernen"
  ],
  [
    "bpe, because {} characters and a model of this size have use for all of GPT-2\u2019s pieces",
    "Wortst\xFCcke von GPT-2, denn {} Zeichen und ein Modell dieser Gr\xF6\xDFe nutzen alle St\xFCcke von GPT-2"
  ],
  [
    "learned, because it has {} different characters, of which most are rare",
    "gelernte Wortst\xFCcke, denn er hat {} verschiedene Zeichen, von denen die meisten selten sind"
  ],
  [
    "learned, because a small model writes in pieces learned from its text better than in characters or in GPT-2\u2019s pieces",
    "gelernte Wortst\xFCcke, denn ein kleines Modell schreibt in St\xFCcken, die aus seinem Text gelernt sind, besser als in Zeichen oder den St\xFCcken von GPT-2"
  ],
  // main/engine/cycle/preview.ts
  [
    "One split would have about {} {}; {} {} needs at least {}",
    "Ein Teil h\xE4tte etwa {} {}; {} {} braucht mindestens {}"
  ],
  [
    "The text has only {} {}: a model will learn it by heart rather than learn to write",
    "Der Text hat nur {} {}: Ein Modell wird ihn eher auswendig lernen als schreiben lernen"
  ],
  // main/engine/tokenizer/bpe.ts
  [
    "The text has {} characters without a single break between words, numbers and punctuation; bpe tokenization takes at most {}",
    "Der Text hat {} Zeichen ohne eine einzige Grenze zwischen W\xF6rtern, Zahlen und Satzzeichen; Wortst\xFCcke (bpe) fassen h\xF6chstens {}"
  ],
  [
    "Check that this is ordinary text, or use char tokenization.",
    "Pr\xFCfen, ob das gew\xF6hnlicher Text ist, oder Zeichen als Tokens nehmen."
  ],
  // main/engine/tokenizer/char.ts
  [
    "The text has {} different characters; at most {} can be told apart",
    "Der Text hat {} verschiedene Zeichen; h\xF6chstens {} lassen sich unterscheiden"
  ],
  [
    "This is probably not ordinary text. Check the file, or use bpe tokenization, which has no such limit.",
    "Das ist wohl kein gew\xF6hnlicher Text. Die Datei pr\xFCfen oder Wortst\xFCcke (bpe) nehmen, die keine solche Grenze haben."
  ],
  [
    "The character {} is not in the vocabulary: line {}, column {} (character {} of the text, counted from 0)",
    "Das Zeichen {} ist nicht im Vokabular: Zeile {}, Spalte {} (Zeichen {} des Textes, von 0 an gez\xE4hlt)"
  ],
  [
    "Take it out of the text, use the meta.pkl that was made from this text, or leave meta.pkl out so that a vocabulary is made (a model trained on the old one will not fit it); bpe tokenization knows every character.",
    "Es aus dem Text nehmen, die meta.pkl dieses Textes verwenden oder meta.pkl weglassen, sodass ein Vokabular entsteht (ein mit dem alten trainiertes Modell passt dann nicht dazu); Wortst\xFCcke (bpe) kennen jedes Zeichen."
  ],
  // main/engine/tokenizer/detect.ts
  ["learned was asked for", "gelernte Wortst\xFCcke, wie gew\xFCnscht"],
  ["shared was asked for", "geteilte Tokens, wie gew\xFCnscht"],
  ["pretrained was asked for{}", "die Tokens eines vortrainierten Modells, wie gew\xFCnscht{}"],
  [", with {}", ", mit {}"],
  ["bpe was asked for", "Wortst\xFCcke (bpe), wie gew\xFCnscht"],
  ["with the vocabulary {}", "mit dem Vokabular {}"],
  ["with the vocabulary beside the data, {}", "mit dem Vokabular neben den Daten, {}"],
  ["with a vocabulary made from the text", "mit einem Vokabular aus dem Text"],
  ["char was asked for, {}", "Zeichen, wie gew\xFCnscht, {}"],
  ["char, because meta_path names {}", "Zeichen, denn meta_path nennt {}"],
  [
    "pretrained, because tokenizer_path names {}",
    "die Tokens eines vortrainierten Modells, denn tokenizer_path nennt {}"
  ],
  ["char, because there is a meta.pkl: {}", "Zeichen, denn es gibt eine meta.pkl: {}"],
  [
    "pretrained, because there is a tokenizer.json: {}",
    "die Tokens eines vortrainierten Modells, denn es gibt eine tokenizer.json: {}"
  ],
  [`char, because the folder's name, {}, contains "char"`, "Zeichen, denn der Name des Ordners, {}, enth\xE4lt \u201Echar\u201C"],
  [
    `bpe, because there is no meta.pkl and no "char" in the folder's name`,
    "Wortst\xFCcke (bpe), denn es gibt keine meta.pkl und kein \u201Echar\u201C im Namen des Ordners"
  ],
  ["{}, because {}", "{}, denn {}"],
  // main/jobs/text.ts
  [
    "The model does not say which characters it was trained with.",
    "Das Modell sagt nicht, mit welchen Zeichen es trainiert wurde."
  ],
  [
    "Put the meta.pkl of the text it was trained on beside it, or use another copy of it.",
    "Die meta.pkl des Textes danebenlegen, mit dem es trainiert wurde, oder eine andere Kopie verwenden."
  ],
  ["{} ({} files)", "{} ({} Dateien)"],
  ["Preparing the text: {}", "Text wird vorbereitet: {}"],
  [
    "Text prepared: {} tokens to train on, {} held out ({}; {})",
    "Text vorbereitet: {} Tokens zum Trainieren, {} zur\xFCckgehalten ({}; {})"
  ],
  ["the model was trained with '{}' but '{}' was asked for", "das Modell wurde mit \u201E{}\u201C trainiert, gew\xFCnscht war \u201E{}\u201C"],
  [
    "{} is required when {} is 'char' and the model does not list its characters",
    "{} ist n\xF6tig, wenn {} \u201Echar\u201C ist und das Modell seine Zeichen nicht nennt"
  ],
  [
    "Give {} the meta.pkl of the text the model was trained on, or put that file beside the model.",
    "F\xFCr {} die meta.pkl des Textes angeben, mit dem das Modell trainiert wurde, oder diese Datei neben das Modell legen."
  ],
  ["dataset uses '{}' but the model expects '{}'", "der Datensatz verwendet \u201E{}\u201C, das Modell erwartet \u201E{}\u201C"],
  [
    "the text has a vocabulary of {}, the model one of {}",
    "der Text hat ein Vokabular von {}, das Modell eines von {}"
  ],
  ["token {} is {} in the text and {} in the model", "das Token {} ist im Text {} und im Modell {}"],
  ["Tokenization method mismatch: {}", "Die Tokenisierung passt nicht: {}"],
  [
    "Use the text and the meta.pkl or tokenizer.json that the model was trained with, or leave {}, {} and {} out so that the model decides.",
    "Text und meta.pkl oder tokenizer.json verwenden, mit denen das Modell trainiert wurde, oder {}, {} und {} weglassen, sodass das Modell entscheidet."
  ],
  // main/storage/datasets/binary-data.ts
  ["token files", "Token-Dateien"],
  // main/storage/datasets/prepare-text.ts
  ["in a pretrained model's tokens", "in den Tokens eines vortrainierten Modells"],
  ["the token files", "die Token-Dateien"],
  ["{} of the tokens that the critic knows", "{} der Tokens, die der Kritiker kennt"],
  ["{} tokens learned from it", "{} daraus gelernte Tokens"],
  ["{} changed while it was being read", "{} wurde w\xE4hrend des Lesens ver\xE4ndert"],
  [
    "Wait until nothing writes to it any more, and try again.",
    "Warten, bis nichts mehr hineinschreibt, und es erneut versuchen."
  ],
  [
    "Stopped while preparing the text; nothing was written",
    "Beim Vorbereiten des Textes angehalten; nichts wurde geschrieben"
  ],
  ["Run the same command again to prepare it.", "Erneut starten, um ihn vorzubereiten."],
  ["{} is empty", "{} ist leer"],
  [
    "Name a file with some text in it; a few hundred kilobytes is a good beginning.",
    "Eine Datei mit etwas Text angeben; einige hundert Kilobyte sind ein guter Anfang."
  ],
  ["{} holds nothing but the character {}, {} times", "{} enth\xE4lt nichts als das Zeichen {}, {}-mal"],
  [
    "There is nothing to learn from it; name a file with ordinary text.",
    "Daraus l\xE4sst sich nichts lernen; eine Datei mit gew\xF6hnlichem Text angeben."
  ],
  ["The text has {} characters, so a {} of {} leaves {}", "Der Text hat {} Zeichen; ein {} von {} l\xE4sst {}"],
  ["nothing to train on", "nichts zum Trainieren"],
  ["nothing held out", "nichts zum Zur\xFCckhalten"],
  ["Use a longer text, or another {}.", "Einen l\xE4ngeren Text oder ein anderes {} nehmen."],
  [
    "{} says that the data beside it is {}, but {} tokens were to be written there",
    "{} sagt, die Daten daneben seien {}, aber es sollten {}-Tokens dort entstehen"
  ],
  [
    "Choose another folder, or remove this {} if it is not needed any more.",
    "Einen anderen Ordner w\xE4hlen oder {} entfernen, falls nicht mehr gebraucht."
  ],
  // main/jobs/critic-tokens.ts, main/storage/datasets/shared-tokens.ts
  ["The text is cut into tokens that {} does not have{}", "Der Text ist in Tokens zerlegt, die {} nicht hat{}"],
  [", such as {}", ", etwa {}"],
  [
    "Give {} a model with the tokens of the one that the project begins from: a larger one of the same family, such as SmolLM2-360M for SmolLM2-135M.",
    "F\xFCr {} ein Modell mit den Tokens jenes Modells angeben, von dem das Projekt beginnt: ein gr\xF6\xDFeres derselben Familie, etwa SmolLM2-360M f\xFCr SmolLM2-135M."
  ],
  [
    "Use {} shared, which cuts it into tokens of that model.",
    "{} shared verwenden: Das zerlegt ihn in Tokens dieses Modells."
  ],
  [
    "vocab is {}, which has no room for each of the {} bytes",
    "vocab ist {}; darin ist nicht f\xFCr jedes der {} Bytes Platz"
  ],
  ["Use {} {} or more.", "{} mindestens {} w\xE4hlen."],
  [
    "The tokens of {} cannot be cut down: they are not made of bytes as GPT-2's are",
    "Die Tokens von {} lassen sich nicht verkleinern: Sie bestehen nicht wie bei GPT-2 aus Bytes"
  ],
  [
    "Give {} a model whose tokenizer is byte-level, such as SmolLM2, Qwen or Llama 3.",
    "F\xFCr {} ein Modell mit Byte-Tokenizer angeben, etwa SmolLM2, Qwen oder Llama 3."
  ],
  // main/storage/datasets/token-files.ts
  ["it is empty", "die Datei ist leer"],
  ["Prepare the data again.", "Die Daten neu vorbereiten."],
  [
    "its {} bytes are not a whole number of {}-byte token ids",
    "ihre {} Byte sind keine ganze Anzahl von Token-Nummern zu {} Byte"
  ],
  [
    "The file was cut short or is of another kind; prepare the data again.",
    "Die Datei ist abgeschnitten oder von anderer Art; die Daten neu vorbereiten."
  ],
  [
    "it is an llm.c token file of version {}; only versions 1 (16-bit ids) and {} (32-bit ids) can be read",
    "es ist eine llm.c-Token-Datei der Version {}; lesbar sind nur die Versionen 1 (16-Bit-Nummern) und {} (32-Bit-Nummern)"
  ],
  ["Prepare the text with {} instead.", "Stattdessen den Text mit {} vorbereiten."],
  [
    "it is an llm.c token file whose header promises {} tokens, but {} follow",
    "es ist eine llm.c-Token-Datei, deren Kopf {} Tokens verspricht, aber {} folgen"
  ],
  ["The file was cut short; use another copy.", "Die Datei ist abgeschnitten; eine andere Kopie verwenden."],
  [
    "{} is an llm.c token file: its header of {} bytes was skipped, {} tokens follow.",
    "{} ist eine llm.c-Token-Datei: Ihr Kopf von {} Byte wurde \xFCbersprungen, {} Tokens folgen."
  ],
  [
    "Token range incompatible in {}data: {} has the id {} at position {}, but {} is {}",
    "Token au\xDFerhalb des Vokabulars in {}Daten: {} hat an Stelle {2} die Nummer {3}, aber {} ist {}"
  ],
  [
    "Use the tokenization (and the meta.pkl) that the file was made with, or prepare the data again.",
    "Die Tokenisierung (und die meta.pkl) verwenden, mit der die Datei erzeugt wurde, oder die Daten neu vorbereiten."
  ],
  [
    "{} has been changed while it was in use: it now has the id {} at position {}, but {} is {}",
    "{} wurde w\xE4hrend der Benutzung ver\xE4ndert: An Stelle {2} steht jetzt die Nummer {1}, aber {3} ist {4}"
  ],
  [
    "Bring back the file that the run began with and run the same command again, or begin anew with the new one.",
    "Die Datei zur\xFCckholen, mit der der Lauf begann, und erneut starten, oder mit der neuen von vorn beginnen."
  ],
  [
    "every second of its 16-bit ids is 0, as in a file of 32-bit ids",
    "jede zweite der 16-Bit-Nummern ist 0, wie in einer Datei mit 32-Bit-Nummern"
  ],
  ["{} may not be what it should: {}.", "{} ist vielleicht nicht, was es sein soll: {}."],
  [
    "Write the ids as uint16: numpy.array(ids, dtype=numpy.uint16).tofile(path).",
    "Die Nummern als uint16 schreiben: numpy.array(ids, dtype=numpy.uint16).tofile(path)."
  ],
  ["Train binary", "Trainingsdaten"],
  ["Val binary", "Validierungsdaten"],
  ["{} file not found: {}", "Datei nicht gefunden ({}): {}"],
  ["{} is not a file", "{} ist keine Datei"],
  [
    "Check the path, or use {} with {} to prepare the data from a text.",
    "Den Pfad pr\xFCfen oder {} mit {} verwenden, um die Daten aus einem Text vorzubereiten."
  ],
  ["{} is not a token file: {}", "{} ist keine Token-Datei: {}"],
  // main/storage/datasets/tokenizer-files.ts
  ["{} is required when {} is 'char'", "{} ist n\xF6tig, wenn {} \u201Echar\u201C ist"],
  ["Specify {} when using character tokenization, or use {}", "F\xFCr Zeichen als Tokens {} angeben oder {} verwenden"],
  ["{} is required when {} is 'pretrained'", "{} ist n\xF6tig, wenn {} \u201Epretrained\u201C ist"],
  [
    "Give {} and a tokenizer.json, the folder that holds it, or a GGUF file.",
    "F\xFCr {} eine tokenizer.json, den Ordner damit oder eine GGUF-Datei angeben."
  ],
  ["Tokenizer not found: {}", "Tokenizer nicht gefunden: {}"],
  [
    "Name a tokenizer.json, the folder that holds it, or a GGUF file, with {}.",
    "Mit {} eine tokenizer.json, den Ordner damit oder eine GGUF-Datei angeben."
  ],
  ["Meta file not found: {}", "Meta-Datei nicht gefunden: {}"],
  [
    "Use {}, which finds a meta.pkl beside the data; name the right one with {}; or use {}.",
    "{} verwenden, das eine meta.pkl neben den Daten findet; die richtige mit {} angeben; oder {} verwenden."
  ],
  // main/storage/texts/extract/documents/archives.ts
  ["it is an old or a protected Office document", "es ist ein altes oder gesch\xFCtztes Office-Dokument"],
  ["its lists are too long or too deep", "die Listen sind zu lang oder zu tief"],
  ["its container names no book", "der Container nennt kein Buch"],
  ["it is protected against copying (DRM)", "es ist kopiergesch\xFCtzt (DRM)"],
  ["its order names a chapter that it does not list", "die Reihenfolge nennt ein Kapitel, das nicht aufgef\xFChrt ist"],
  ["it has no chapters", "es hat keine Kapitel"],
  ["its elements are in one another more than {} deep", "die Elemente sind mehr als {} tief ineinander"],
  // main/storage/texts/extract/documents/html.ts
  ["a tag has no end", "ein Tag hat kein Ende"],
  ["it is not {}", "es ist kein {}"],
  ["it holds zero bytes, which no page has", "es enth\xE4lt Nullbytes, die keine Seite hat"],
  ["it says that it is {}, which is not known", "es nennt sich {}, das nicht bekannt ist"],
  [
    'Save it as UTF-8, with <meta charset="utf-8">, or name a text file.',
    'Als UTF-8 mit <meta charset="utf-8"> speichern oder eine Textdatei angeben.'
  ],
  // main/storage/texts/extract/damaged.ts
  ["{} is not {} {} document that can be read: {}", "{0} ist kein lesbares {2}-Dokument: {3}"],
  // main/storage/texts/extract/documents/pdf.ts
  ["page {}: {}", "Seite {}: {}"],
  // main/storage/texts/list/folder-texts.ts
  ["Read from {}, {}: {}.{}", "Gelesen aus {}, {}: {}.{}"],
  [" Not read: {}.", " Nicht gelesen: {}."],
  [" and {} more", " und {} weitere"],
  [
    'Choose the folder that the texts are in, or name them with a pattern such as "texts/**/*.txt".',
    "Den Ordner w\xE4hlen, in dem die Texte sind, oder sie mit einem Muster wie \u201Etexts/**/*.txt\u201C angeben."
  ],
  // main/storage/texts/extract/json-records.ts
  ["is not JSON ({})", "ist kein JSON ({})"],
  ["is not a JSON object", "ist kein JSON-Objekt"],
  ["has no text in its field {}", "hat keinen Text im Feld {}"],
  ["{}: line {} has no field {}; its fields are {}", "{}: Zeile {} hat kein Feld {}; die Felder sind {}"],
  ["Name the field that holds the text with {}.", "Das Feld, das den Text enth\xE4lt, mit {} angeben."],
  ["{}: line {} {}", "{}: Zeile {} {}"],
  [
    'A .jsonl file has one JSON object per line, such as {"text": "\u2026"}. Rename it to .txt to read it as plain text.',
    'Eine .jsonl-Datei hat ein JSON-Objekt pro Zeile, etwa {"text": "\u2026"}. In .txt umbenennen, um sie als reinen Text zu lesen.'
  ],
  ["{}: line {} is longer than {} characters", "{}: Zeile {} ist l\xE4nger als {} Zeichen"],
  [
    "A .jsonl file has one JSON object per line; split it, or rename it to .txt to read it as plain text.",
    "Eine .jsonl-Datei hat ein JSON-Objekt pro Zeile; aufteilen oder in .txt umbenennen, um sie als reinen Text zu lesen."
  ],
  // main/storage/texts/extract/damaged.ts
  ["{} is not a Parquet file that can be read: {}", "{} ist keine lesbare Parquet-Datei: {}"],
  [
    "It was cut short or damaged; use another copy, or write its text column to a plain text file.",
    "Die Datei ist abgeschnitten oder besch\xE4digt; eine andere Kopie verwenden oder die Textspalte in eine Textdatei schreiben."
  ],
  // main/storage/texts/extract/parquet.ts
  ["its footer", "der Fu\xDF"],
  ["a row group has no column {}", "eine Zeilengruppe hat keine Spalte {}"],
  ["it is encrypted", "sie ist verschl\xFCsselt"],
  ["its end is missing", "das Ende fehlt"],
  ["its footer would have {} bytes", "der Fu\xDF h\xE4tte {} Byte"],
  [
    "Name the column that holds the text with {}. Columns of text: {}.",
    "Die Spalte, die den Text enth\xE4lt, mit {} angeben. Textspalten: {}."
  ],
  ["{} has no column {}", "{} hat keine Spalte {}"],
  ["{}: the column {} holds no plain text", "{}: Die Spalte {} enth\xE4lt keinen reinen Text"],
  ["it has more row groups than a file has", "sie hat mehr Zeilengruppen, als eine Datei hat"],
  ["it has {} rows, its groups {}", "sie hat {} Zeilen, ihre Gruppen {}"],
  ["it cannot have {} rows", "sie kann nicht {} Zeilen haben"],
  ["its row groups overlap", "die Zeilengruppen \xFCberlappen sich"],
  [
    "it is packed with {}, which is not read: write it with zstd, snappy or gzip instead",
    "sie ist mit {} gepackt, das nicht gelesen wird: mit zstd, snappy oder gzip schreiben"
  ],
  ["the page of row {} of its group", "die Seite der Zeile {} ihrer Gruppe"],
  [
    "its dictionary cannot have as many texts as it says",
    "das W\xF6rterbuch kann nicht so viele Texte haben, wie es sagt"
  ],
  ["{} has {} values", "{} hat {} Werte"],
  ["{} has {} values instead of {}", "{} hat {} Werte statt {}"],
  ["a row group has {} rows of the {} that it promises", "eine Zeilengruppe hat {} der versprochenen {} Zeilen"],
  ["it names a text that its dictionary does not have", "sie nennt einen Text, den das W\xF6rterbuch nicht hat"],
  ["a column lies outside of it", "eine Spalte liegt au\xDFerhalb"],
  ["a page would have {} bytes, unpacked {}", "eine Seite h\xE4tte {} Byte, entpackt {}"],
  ["a page has no readable header", "eine Seite hat keinen lesbaren Kopf"],
  ["{} cannot be read: {}", "{} l\xE4sst sich nicht lesen: {}"],
  // main/storage/texts/extract/decode.ts
  ["Token files are read with {} {} \u2026 {} \u2026", "Token-Dateien werden mit {} {} \u2026 {} \u2026 gelesen"],
  ["a gzip archive", "ein gzip-Archiv"],
  ["It is packed more than once: unpack it first (gunzip).", "Es ist mehrfach gepackt: zuerst entpacken (gunzip)."],
  ["a Zstandard archive", "ein Zstandard-Archiv"],
  ["It is packed more than once: unpack it first (unzstd).", "Es ist mehrfach gepackt: zuerst entpacken (unzstd)."],
  ["an xz archive", "ein xz-Archiv"],
  ["Unpack it first (unxz).", "Zuerst entpacken (unxz)."],
  ["a bzip2 archive", "ein bzip2-Archiv"],
  ["Unpack it first (bunzip2).", "Zuerst entpacken (bunzip2)."],
  ["a 7-Zip archive", "ein 7-Zip-Archiv"],
  ["Unpack it first.", "Zuerst entpacken."],
  [
    "a zip archive (Word, OpenDocument and EPUB files are zip archives too)",
    "ein Zip-Archiv (auch Dateien von Word, OpenDocument und EPUB sind Zip-Archive)"
  ],
  [
    "Unpack it, give a document its ending (.docx, .epub), or save it as plain text (UTF-8).",
    "Entpacken, einem Dokument seine Endung geben (.docx, .epub) oder als reinen Text (UTF-8) speichern."
  ],
  ["a PDF document", "ein PDF-Dokument"],
  ["Give it its ending (.pdf).", "Die Endung .pdf geben."],
  ["an old Word document", "ein altes Word-Dokument"],
  ["Save it as plain text (UTF-8).", "Als reinen Text (UTF-8) speichern."],
  ["a PNG image", "ein PNG-Bild"],
  ["Name a text file.", "Eine Textdatei angeben."],
  ["a JPEG image", "ein JPEG-Bild"],
  ["a program", "ein Programm"],
  ["an llm.c token file", "eine llm.c-Token-Datei"],
  ["{} is {}, not plain text", "{} ist {}, kein reiner Text"],
  ["{} is a tar archive, not plain text", "{} ist ein tar-Archiv, kein reiner Text"],
  ["Unpack it, and name the text files in it.", "Es entpacken und die Textdateien darin angeben."],
  ["{} is UTF-32, which is not read", "{} ist UTF-32, das nicht gelesen wird"],
  ["Save it as UTF-8.", "Als UTF-8 speichern."],
  ["{} looks like UTF-16 without a byte order mark", "{} sieht nach UTF-16 ohne Byte-Order-Mark aus"],
  ["Save it as UTF-8, or as UTF-16 with its mark.", "Als UTF-8 speichern oder als UTF-16 mit dieser Marke."],
  [
    "{} is not valid UTF-8: byte {} (0x{}) cannot be part of a character",
    "{} ist kein g\xFCltiges UTF-8: Byte {} (0x{}) kann nicht Teil eines Zeichens sein"
  ],
  [
    "Save the file as UTF-8: in an editor, or with iconv -f WINDOWS-1252 -t UTF-8, naming the encoding that it has.",
    "Die Datei als UTF-8 speichern: in einem Editor oder mit iconv -f WINDOWS-1252 -t UTF-8, wobei die Codierung zu nennen ist, die sie hat."
  ],
  [
    "{} is UTF-16 of an odd number of bytes: byte {} is half a character",
    "{} ist UTF-16 mit einer ungeraden Zahl von Bytes: Byte {} ist ein halbes Zeichen"
  ],
  [
    "{} is not valid UTF-16: byte {} begins half a character",
    "{} ist kein g\xFCltiges UTF-16: Bei Byte {} beginnt ein halbes Zeichen"
  ],
  [
    "Save the file as UTF-8 in the editor that made it.",
    "Die Datei in dem Editor, der sie gemacht hat, als UTF-8 speichern."
  ],
  ["{} is not text: byte {} is zero", "{} ist kein Text: Byte {} ist null"],
  ["Name a plain text file, saved as UTF-8.", "Eine reine Textdatei angeben, gespeichert als UTF-8."],
  // main/storage/texts/list/list-texts.ts
  ["{} is neither a file nor a folder", "{} ist weder Datei noch Ordner"],
  [
    "The text is read more than once, so it must be an ordinary file: write it to one first.",
    "Der Text wird mehrmals gelesen, muss also eine gew\xF6hnliche Datei sein: ihn zuerst in eine schreiben."
  ],
  ["No file matches {}: {}", "Keine Datei passt zu {}: {}"],
  ["Data file not found: {}", "Datendatei nicht gefunden: {}"],
  [
    'Check the path; it may be a text file, a folder of texts, or a pattern such as "texts/*.txt".',
    "Den Pfad pr\xFCfen; er kann eine Textdatei, ein Ordner mit Texten oder ein Muster wie \u201Etexts/*.txt\u201C sein."
  ],
  [
    "Put texts there, such as .txt or .md files, or name a text file.{}",
    "Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben.{}"
  ],
  // main/storage/texts/extract/extract.ts
  ["{} files: ", "{} Dateien: "],
  [", {} texts", ", {} Texte"],
  ["what is packed in {}", "was in {} gepackt ist"],
  ["JSON Lines", "JSON Lines"],
  ["plain text", "reiner Text"],
  ["{} holds no text", "{} enth\xE4lt keinen Text"],
  [
    "It may hold pictures only; name a document with text in it.",
    "Vielleicht enth\xE4lt es nur Bilder; ein Dokument mit Text angeben."
  ],
  [
    "{} holds more than {} times its size in text: that is not ordinary text",
    "{} enth\xE4lt mehr als das {}-Fache seiner Gr\xF6\xDFe an Text: Das ist kein gew\xF6hnlicher Text"
  ],
  [
    "It says the same again and again; write the texts you want to another file.",
    "Es sagt immer wieder dasselbe; die gew\xFCnschten Texte in eine andere Datei schreiben."
  ],
  // main/storage/texts/extract/unpack.ts
  ["{} cannot be unpacked ({}): {}", "{} l\xE4sst sich nicht entpacken ({}): {}"],
  [
    "The file was cut short or damaged; use another copy.",
    "Die Datei ist abgeschnitten oder besch\xE4digt; eine andere Kopie verwenden."
  ],
  [
    "{} unpacks to more than {} times its size ({} bytes so far from {}): that is not ordinary text",
    "{} wird entpackt mehr als das {}-Fache seiner Gr\xF6\xDFe (bisher {} Byte aus {}): Das ist kein gew\xF6hnlicher Text"
  ],
  [
    "Unpack it yourself, look at it, and name the unpacked file if it really is the text you want.",
    "Sie selbst entpacken, ansehen und die entpackte Datei angeben, wenn sie wirklich der gew\xFCnschte Text ist."
  ],
  // shared/config/suited-tokens.ts
  [
    "{} characters are too few to learn longer pieces from",
    "{} Zeichen sind zu wenige, um l\xE4ngere St\xFCcke daraus zu lernen"
  ],
  [
    "{} characters and a model of this size have use for all of GPT-2\u2019s pieces",
    "{} Zeichen und ein Modell dieser Gr\xF6\xDFe nutzen alle St\xFCcke von GPT-2"
  ],
  [
    "it has {} different characters, of which most are rare",
    "er hat {} verschiedene Zeichen, von denen die meisten selten sind"
  ],
  [
    "a small model writes in pieces learned from its text better than in characters or in GPT-2\u2019s pieces",
    "ein kleines Modell schreibt in St\xFCcken, die aus seinem Text gelernt sind, besser als in Zeichen oder den St\xFCcken von GPT-2"
  ]
];

// renderer/strings/de-told/index.ts
var told = [...advice, ...texts, ...models, ...settings, ...runs, ...projects];

// renderer/strings/en-told.ts
var told2 = [
  // Why a text is cut as it is: not by the names that the flag takes.
  [
    "char, because {} characters are too few to learn longer pieces from",
    "characters, because {} of them are too few to learn longer pieces from"
  ],
  [
    "bpe, because {} characters and a model of this size have use for all of GPT-2\u2019s pieces",
    "word pieces, because {} characters and a model of this size have use for all of GPT-2\u2019s"
  ],
  [
    "learned, because it has {} different characters, of which most are rare",
    "pieces learned from it, because it has {} different characters, of which most are rare"
  ],
  [
    "learned, because a small model writes in pieces learned from its text better than in characters or in GPT-2\u2019s pieces",
    "pieces learned from it, because a small model writes better in them than in characters or in GPT-2\u2019s pieces"
  ],
  [
    "pretrained, because there is a tokenizer.json: {}",
    "the tokens of a pretrained model, because there is a tokenizer.json: {}"
  ],
  ["char, because there is a meta.pkl: {}", "characters, because there is a meta.pkl: {}"],
  [
    `char, because the folder's name, {}, contains "char"`,
    "characters, because the folder\u2019s name, {}, contains \u201Cchar\u201D"
  ],
  [
    `bpe, because there is no meta.pkl and no "char" in the folder's name`,
    "word pieces, because there is no meta.pkl and no \u201Cchar\u201D in the folder\u2019s name"
  ],
  ["Run the same command again to resume from here.", "Start it again to resume from here."],
  ["Run the same command again: it resumes there.", "Start it again: it resumes there."],
  ["Run the same command again: the measurement begins again.", "Start it again: the measurement begins again."],
  ["Run the same command again to prepare it.", "Start it again to prepare it."],
  [
    "Free some space on this disk, or choose a folder on another one, and run the command again; nothing half-written was kept.",
    "Free some space on this disk, or choose a folder on another one, and try again; nothing half-written was kept."
  ],
  [
    "Bring back the file that the run began with and run the same command again, or begin anew with the new one.",
    "Bring back the file that the run began with and start again, or begin anew with the new one."
  ],
  [
    "The model is damaged, or its training went wrong: check it with sample, use another copy, or train it again with a smaller learning_rate.",
    "The model is damaged, or its training went wrong: look at what it writes, use another copy, or train it again with a smaller learning rate."
  ],
  [
    "Matrix products use bfloat16: a model of this width trains in about half the time with it here (--precision f32 does without).",
    "Matrix products use bfloat16: a model of this width trains in about half the time with it here (the precision f32 does without)."
  ],
  ["Give --out_dir another folder.", "Choose another folder."],
  ["Export it with --format {}.", "Export it as {}."],
  [
    "Export it with --format huggingface, which keeps the tokenizer as it is.",
    "Export it as a Hugging Face folder, which keeps the tokenizer as it is."
  ],
  [
    "Export it with --format huggingface; adapters come of training with --tune lora.",
    "Export it as a Hugging Face folder; adapters come of training nothing but adapters."
  ],
  [
    "Give a project\u2019s folder, or export the model alone with --format huggingface.",
    "Choose a project, or export the model alone as a Hugging Face folder."
  ],
  [
    "Let it go through a cycle first, or export the model alone with --format huggingface.",
    "Let it go through a cycle first, or export the model alone as a Hugging Face folder."
  ],
  [
    "Export it with --format nanogpt, or give --model_path a base model.",
    "Export it as a nanoGPT checkpoint, or choose a base model."
  ],
  ["Delete it for good with --force, or move the folder away yourself.", "Move the folder away yourself."],
  ["Choose a folder that is not there yet, with --project.", "Choose a folder that is not there yet."],
  ["Train it first, with cycle.", "Train it first."],
  ["Rate it first, with rate.", "Rate it first."],
  [
    "This is a bug in Verisim; please report it with the command you ran.",
    "This is a bug in Verisim; please report it with what you did, and with \u201CCopy diagnostics\u201D from the settings."
  ]
];

// renderer/format/told.ts
var MARK = "";
var DEEPEST = 4;
function tellIn(patterns, figure = (text) => text) {
  let made = null;
  const known = () => made ??= sorted(patterns);
  const byPattern = (text, depth, among) => {
    for (const { literals, is, other } of among) {
      const found = literals.every((literal) => text.includes(literal)) ? is.exec(text) : null;
      if (!found) continue;
      let next = 0;
      const spoken = (place) => within(found[place + 1] ?? "", depth + 1);
      return other.replaceAll(/\{(\d?)\}/g, (_, place) => spoken(place === "" ? next++ : Number(place)));
    }
    return text;
  };
  const tell = (text, depth) => {
    const whole2 = byPattern(text, depth, known().sentences);
    return whole2 === text ? apart(text, depth, /(?<=[.?!]) (?=\p{Lu})/u, " ") ?? text : whole2;
  };
  const within = (text, depth) => {
    if (depth > DEEPEST || text === "") return text;
    const whole2 = tell(text, depth);
    if (whole2 !== text) return whole2;
    const number = figure(text);
    if (number !== text) return number;
    const several = apart(text, depth, /; /, "; ") ?? apart(text, depth, /, /, ", ");
    if (several !== null) return several;
    const listed = text.replaceAll(
      /\(([^()]+(?:\([^()]*\)[^()]*)*)\)/g,
      (_, why) => `(${tell(why, depth + 1)})`
    );
    return listed === text ? byPattern(text, depth, known().links) : listed;
  };
  const apart = (text, depth, between, joined) => {
    const parts = text.split(between);
    if (parts.length < 2 || depth >= DEEPEST) return null;
    const others = parts.map((part) => within(part, depth + 1));
    return others.every((other, at) => other !== parts[at]) ? others.join(joined) : null;
  };
  const all = (text) => {
    const whole2 = tell(text, 0);
    return whole2 === text ? byPattern(text, 0, known().links) : whole2;
  };
  return (sentence) => {
    if (typeof sentence === "string") return all(sentence);
    const text = sentence.map((part, at) => typeof part === "string" ? part : `${MARK}${at}${MARK}`).join("");
    return all(text).split(MARK).flatMap((part, at) => at % 2 === 0 ? part === "" ? [] : [part] : sentence[Number(part)] ?? []);
  };
}
var letters = (english) => english.match(/\p{L}/gu)?.length ?? 0;
function sorted(patterns) {
  const all = [...patterns].sort(([a], [b]) => letters(b) - letters(a));
  const isLink = ([english]) => english.includes("{}") && letters(english) < 4;
  return {
    sentences: all.filter((one) => !isLink(one)).map(patternOf),
    links: all.filter(isLink).map(patternOf)
  };
}
function patternOf([english, other]) {
  const literals = english.split("{}");
  const is = new RegExp(
    `^${literals.map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("([^]*?)")}$`
  );
  return { literals: literals.filter((literal) => literal !== ""), is, other };
}
export {
  told2 as english,
  told as german,
  tellIn
};
