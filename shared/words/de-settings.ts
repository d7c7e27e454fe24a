/**
 * What the settings of a project and their choices are called in German, and what they do. English stands with their schemas
 * in shared/config; a setting or a choice without German is a type error here.
 */
import type { SettingWords } from './settings.js';

export const settingsInGerman: SettingWords = {
  input_mode: {
    label: 'Eingabe',
    help: '{text} liest eine reine Textdatei, {binary} liest train.bin und val.bin, die zuvor vorbereitet wurden.',
    choices: { text: 'Ein Text', binary: 'Vorbereitete Tokens' },
  },
  data_path: {
    label: 'Textdatei',
    help: 'Der Text zum Lernen: eine Datei, ein Ordner (dessen input.txt, sonst alle Texte darin und in Unterordnern) oder ein Muster wie „texte/*.txt“ (nur bei {input_mode=text}). Gelesen werden reiner Text, .jsonl und .parquet, auch mit gzip oder zstd gepackt, und der Text von .html, .epub, .docx und .pdf.',
  },
  text_field: {
    label: 'Textfeld',
    help: 'Das Feld einer .jsonl-Datei oder die Spalte einer .parquet-Datei, in der der Text steht.',
  },
  train_bin: {
    label: 'train.bin',
    help: 'Vorbereitete Trainingstokens, uint16 Little Endian oder uint32 mit Kopf (nur bei {input_mode=binary}).',
  },
  val_bin: {
    label: 'val.bin',
    help: 'Vorbereitete Validierungstokens, uint16 Little Endian oder uint32 mit Kopf (nur bei {input_mode=binary}).',
  },
  tokenization: {
    label: 'Tokenisierung',
    help: '{char}: ein Token je Zeichen. {bpe}: die Wortstücke von GPT-2. {learned}: aus diesem Text gelernte Wortstücke. {pretrained}: wie bei einem vortrainierten Modell. {shared}: die Tokens des Kritikermodells (critic_from), die dieser Text am meisten nutzt. {auto}: {char} neben einer meta.pkl oder in einem Ordner namens char, {pretrained} neben einer tokenizer.json, sonst {bpe}. {suited}: neben solchen Dateien wie {auto}, sonst {char}, {learned} oder {bpe} nach der Größe von Text und Modell.',
    choices: {
      auto: 'Wie nanoGPT',
      suited: 'Automatisch',
      bpe: 'Wortstücke von GPT-2',
      char: 'Zeichen',
      learned: 'Aus dem Text gelernt',
      pretrained: 'Vortrainiert',
      shared: 'Die des Lehrers',
    },
  },
  meta_path: { label: 'meta.pkl', help: 'Vokabular eines zeichenweisen Datensatzes, wie nanoGPT es schreibt.' },
  tokenizer_path: {
    label: 'Tokenizer',
    help: 'Der Tokenizer eines vortrainierten Modells: seine tokenizer.json, der Ordner, in dem sie liegt, oder seine GGUF-Datei.',
  },
  vocab: {
    label: 'Anzahl der Tokens',
    help: 'Bei {tokenization=learned} oder {tokenization=shared}: wie viele Tokens es gibt; ohne Angabe 1.024 bzw. 1.536. Davon sind 257 die Bytes und das Textende. Mehr machen den Text kürzer und das Modell größer; ein kurzer Text gibt unter Umständen nicht so viele her.',
  },
  train_split: {
    label: 'Trainingsanteil',
    help: 'Anteil des Textes, mit dem trainiert wird; der Rest wird zurückgehalten, um ehrlich zu messen.',
  },
  init_from: {
    label: 'Ausgangsmodell',
    help: 'Ein Modell, das weitertrainiert wird: sein Ordner, der eines Hugging-Face-Modells (gpt2, llama, qwen2, qwen3 oder nanochat), eine GGUF-Datei oder ein Name auf dem Hugging-Face-Hub (Eigentümer/Name), von dem es einmal heruntergeladen wird. Form und Tokens sind dann die des Modells. Leer oder scratch: von Grund auf.',
  },
  tune: {
    label: 'Was trainiert wird',
    help: '{full}: alle Gewichte. {lora}: kleine Adapter neben den Gewichten des Ausgangsmodells, die unverändert bleiben; das braucht nur einen Bruchteil des Speichers. Adapter vertragen eine etwa zehnmal so große Lernrate.',
    choices: { full: 'Alle Gewichte', lora: 'Kleine Adapter (LoRA)' },
  },
  architecture: {
    label: 'Architektur',
    help: 'Wie ein Netz aufgebaut ist, das von Grund auf trainiert wird: {gpt2} wie bei nanoGPT; {modern} mit dem, was seither gefunden wurde (rotierende Positionen, RMSNorm, normierte Queries und Keys, quadriertes ReLU, begrenzte Scores), wie NanoChat in transformers. Ein Ausgangsmodell behält seine eigene.',
    choices: { gpt2: 'GPT-2', modern: 'Modern' },
  },
  block_size: { label: 'Kontextlänge', help: 'Wie viele Tokens das Modell auf einmal sieht.' },
  n_layer: { label: 'Schichten', help: 'Wie viele Transformer-Blöcke aufeinander folgen.' },
  n_head: {
    label: 'Attention-Köpfe',
    help: 'Auf wie viele Stellen jede Schicht zugleich achten kann; muss die Breite teilen.',
  },
  n_embd: { label: 'Breite', help: 'Wie viele Zahlen jedes Token im Modell beschreiben.' },
  dropout: {
    label: 'Dropout',
    help: 'Anteil der Aktivierungen, die im Training zufällig abgeschaltet werden, damit ein kleiner Text nicht auswendig gelernt wird.',
  },
  reward_head_hidden_dim: {
    label: 'Breite des Belohnungskopfes',
    help: 'Verborgene Einheiten im Kopf des Belohnungsmodells.',
  },
  reward_kind: {
    label: 'Belohnungsmodell',
    help: 'Wie natürlicher von generiertem Text unterschieden wird: {head} ist ein Kopf auf der letzten Position des Generators, {critic} vergleicht mit einem stärkeren Sprachmodell.',
    choices: {
      head: 'Kopf auf dem Generator',
      critic: 'Kritiker, ein stärkeres Modell',
    },
  },
  batch_size: {
    label: 'Batchgröße',
    help: 'Passagen je Schritt; mehr ist ruhiger, langsamer und braucht mehr Speicher.',
  },
  gradient_accumulation_steps: {
    label: 'Gradientenakkumulation',
    help: 'Batches, deren Gradienten zu einem Schritt gemittelt werden: ein größerer Batch bei gleichem Speicher.',
  },
  max_iters: { label: 'Schritte', help: 'Höchstens so viele Trainingsschritte; Early Stopping kann früher enden.' },
  train_minutes: {
    label: 'Minuten',
    help: 'So viele Minuten trainieren statt einer festen Zahl von Schritten: Zuerst wird gemessen, wie lange einige Schritte dauern, und die passende Zahl festgehalten, damit ein Fortsetzen exakt bleibt. Leer: Die Schritte zählen.',
  },
  learning_rate: { label: 'Lernrate', help: 'Größe eines Trainingsschritts am Höchstpunkt.' },
  min_lr: { label: 'Endgültige Lernrate', help: 'Wo die Lernrate endet, meist bei 0 oder einem Zehntel der größten.' },
  lr_schedule: {
    label: 'Verlauf',
    help: 'Wie die Lernrate fällt: entlang eines halben Kosinus oder linear.',
    choices: { cosine: 'Halber Kosinus', linear: 'Gerade Linie' },
  },
  warmup_iters: { label: 'Warm-up-Schritte', help: 'Über so viele Schritte steigt die Lernrate von null an.' },
  beta2: { label: 'Adam β2', help: 'Wie lange sich AdamW die Größe des Gradienten merkt.' },
  eval_interval: {
    label: 'Auswerten alle',
    help: 'Schritte zwischen zwei Auswertungen auf dem zurückgehaltenen Text.',
  },
  eval_iters: {
    label: 'Batches je Auswertung',
    help: 'Zurückgehaltene Batches je Auswertung, immer dieselben; leer bedeutet den ganzen zurückgehaltenen Text. Der endgültige Wert nutzt stets den ganzen.',
  },
  patience: { label: 'Geduld', help: 'Nach so vielen Auswertungen ohne Verbesserung aufhören.' },
  min_delta: {
    label: 'Kleinste Verbesserung',
    help: 'Eine Auswertung gilt nur als besser, wenn der Verlust um mindestens so viel gefallen ist.',
  },
  log_interval: { label: 'Protokollieren alle', help: 'Schritte zwischen zwei Protokollzeilen.' },
  temperature: { label: 'Temperatur', help: 'Unter 1 wird vorsichtiger geschrieben, über 1 überraschender.' },
  top_k: {
    label: 'Top-k',
    help: 'Nur unter so vielen der wahrscheinlichsten Tokens wählen; leer bedeutet unter allen.',
  },
  samples_per_chunk: {
    label: 'Passagen je Abschnitt',
    help: 'Passagen aus jedem Textabschnitt einer Kontextlänge, jede mit eigenem Übergangspunkt.',
  },
  reward_train_samples: {
    label: 'Trainingspassagen',
    help: 'Höchstens so viele Passagen zum Training, aus gleichmäßig über den Text verteilten Abschnitten; leer bedeutet aus jedem.',
  },
  reward_val_samples: {
    label: 'Validierungspassagen',
    help: 'Höchstens so viele Passagen zur Validierung, aus gleichmäßig über den zurückgehaltenen Text verteilten Abschnitten; leer bedeutet aus jedem.',
  },
  reward_learning_rate: {
    label: 'Lernrate der Belohnung',
    help: 'Größe eines Trainingsschritts des Belohnungsmodells.',
  },
  reward_max_iters: {
    label: 'Schritte der Belohnung',
    help: 'Höchstens so viele Schritte; Early Stopping kann früher enden.',
  },
  reward_shape: {
    label: 'Form der Belohnung',
    help: 'Womit eine Fortsetzung belohnt wird: {fraction} ist, wie natürlich die ganze Passage ist; {token_log_ratio} ist, wie viel wahrscheinlicher der Kritiker jedes Token findet als der Generator; {expected_log_ratio} wägt statt des geschriebenen Tokens alle ab, die möglich gewesen wären. Beide Log-Verhältnisse brauchen {reward_kind=critic}.',
    choices: {
      fraction: 'Wie natürlich die Passage ist',
      token_log_ratio: 'Log-Verhältnis jedes Tokens',
      expected_log_ratio: 'Erwartetes Log-Verhältnis',
    },
  },
  log_ratio_bound: {
    label: 'Grenze des Log-Verhältnisses',
    help: 'Für wie viele Nats ein Token höchstens zählt, in beide Richtungen; ohne Wirkung bei {reward_shape=fraction}.',
  },
  group_size: {
    label: 'Gruppengröße',
    help: 'Fortsetzungen je Prompt; jede wird an den anderen ihrer Gruppe gemessen.',
  },
  prompts_per_step: { label: 'Prompts je Schritt', help: 'Verschiedene Prompts in jedem Schritt.' },
  num_iterations: {
    label: 'Aktualisierungen je Batch',
    help: 'Wie oft aus jedem Batch von Fortsetzungen gelernt wird.',
  },
  epsilon: {
    label: 'Clip-ε',
    help: 'Wie weit eine Aktualisierung die Wahrscheinlichkeit eines Tokens senken darf, als Verhältnis.',
  },
  beta: {
    label: 'KL-Koeffizient β',
    help: 'Wie fest das Modell an das gebunden ist, mit dem dieser Zyklus begann.',
  },
  kl_target: {
    label: 'KL-Ziel',
    help: 'β wächst oder schrumpft je Schritt um bis zu ein Fünftel, damit das Modell etwa so weit (in Nats pro Token) vom Beginn des Zyklus entfernt bleibt; leer lässt β, wie es ist.',
  },
  ptx_coef: {
    label: 'Anteil des Vortrainings',
    help: 'Wie viel vom gewöhnlichen Trainingsverlust auf dem Text in jede GRPO-Aktualisierung eingeht, damit die Sprache nicht verloren geht; 0 lässt ihn weg.',
  },
  ptx_batch_size: {
    label: 'Batch des Vortrainings',
    help: 'Passagen des Textes in jeder GRPO-Aktualisierung, wenn der Anteil des Vortrainings über 0 liegt.',
  },
  ptx_targets: {
    label: 'Den Text im Anteil lernen von',
    help: 'Was an jeder Stelle des Textes im Anteil des Vortrainings gelernt wird: {text} ist das Token, das folgt, {critic} alles, was der Kritiker dort erwartet. {critic} braucht {reward_shape=expected_log_ratio}.',
    choices: { text: 'Dem Text selbst', critic: 'Dem Kritiker' },
  },
  policy_average: {
    label: 'Mittelung der Gewichte',
    help: 'Statt der letzten Gewichte ein gleitendes Mittel über GRPO behalten: der Anteil des alten Mittels, der bei jedem Schritt bleibt; 0 behält die letzten.',
  },
  loss_type: {
    label: 'Verlust',
    help: 'Wie die Verluste der Tokens gemittelt werden: {grpo} über jede Fortsetzung, {dapo} über alle Tokens, {dr_grpo} durch eine feste Länge.',
    choices: {
      grpo: 'Je Fortsetzung (GRPO)',
      dapo: 'Über alle Tokens (DAPO)',
      dr_grpo: 'Durch feste Länge (Dr. GRPO)',
    },
  },
  scale_rewards: {
    label: 'Belohnung skalieren nach',
    help: 'Vorteile werden durch die Streuung der Belohnungen in der Gruppe oder im Batch geteilt oder gar nicht.',
    choices: { group: 'Streuung in der Gruppe', batch: 'Streuung im Batch', none: 'Gar nicht' },
  },
  grpo_learning_rate: {
    label: 'GRPO-Lernrate',
    help: 'Größe einer GRPO-Aktualisierung am Höchstpunkt; viel kleiner als im Basistraining.',
  },
  grpo_lr_schedule: {
    label: 'GRPO-Verlauf',
    help: 'Ob die GRPO-Lernrate bleibt oder über die höchste Zahl der GRPO-Schritte linear auf null fällt.',
    choices: { constant: 'Gleichbleibend', linear: 'Gerade Linie' },
  },
  grpo_warmup_steps: {
    label: 'GRPO-Warm-up-Schritte',
    help: 'Über so viele Schritte steigt die GRPO-Lernrate von null an.',
  },
  grpo_max_steps: {
    label: 'GRPO-Schritte',
    help: 'Höchstens so viele Schritte; die Abbruchregeln unten können früher enden.',
  },
  reward_threshold: {
    label: 'Schwelle der Belohnung',
    help: 'Aufhören, wenn die mittlere Belohnung diesen Wert erreicht: Das Belohnungsmodell ist getäuscht, ein besseres ist fällig (0,9 bis 0,95).',
  },
  grpo_patience: {
    label: 'Geduld der Belohnung (Schritte)',
    help: 'Aufhören, wenn die geglättete Belohnung so viele Schritte lang nicht gestiegen ist.',
  },
  kl_cap: {
    label: 'KL-Grenze',
    help: 'Endgültiger Halt, wenn sich das Modell so weit (in Nats pro Token) vom Beginn des Zyklus entfernt hat; die letzten guten Gewichte bleiben erhalten.',
  },
  grpo_eval_prompts: {
    label: 'Prompts zur Bewertung',
    help: 'Frische zurückgehaltene Prompts, auf denen die mittlere Belohnung vor und nach GRPO gemessen wird.',
  },
  critic_from: {
    label: 'Kritiker aus',
    help: 'Ein Modell, das schon schreiben kann (angegeben wie bei init_from), als Lehrer eines kleinen, das von Grund auf trainiert wird: Auf die Tokens beschnitten, die der Text am meisten nutzt, und auf den Text abgestimmt ist es der Kritiker. Das kleine Modell hat dieselben Tokens. Ohne Angabe wird auch der Kritiker von Grund auf trainiert.',
  },
  critic_length: {
    label: 'Training des Kritikers',
    help: 'Der Kritiker ist ein stärkeres Sprachmodell als der Generator: Er trainiert so viele Male so viele Schritte wie das Basismodell. Genutzt bei {reward_kind=critic}.',
  },
  judge_passages: {
    label: 'Begutachtete Passagen',
    help: 'Wie viele Passagen jedes Generators ein unabhängiger Gutachter liest, mit Prompt und ohne; 0 lässt den Gutachter weg und spart sein Training.',
  },
  control_share: {
    label: 'Kontrolle',
    help: 'Jeder Zyklus wird vom Gutachter mit einem Weitertrainieren für diesen Anteil seiner Arbeit verglichen: Hat er sich gelohnt? 0 lässt die Kontrolle weg. Sie braucht begutachtete Passagen.',
  },
  max_cycles: {
    label: 'Zyklen',
    help: 'Höchstens so viele Runden aus Belohnungsdaten, Belohnungsmodell und GRPO; 0 trainiert nur das Basismodell.',
  },
  stop_when: {
    label: 'Vorzeitig enden nach',
    help: 'Was nach jedem Zyklus entscheidet, ob es noch einen gibt. {cycles}: alle werden durchlaufen, es sei denn, die Perplexität ist so viele Zyklen lang nicht gefallen, wie die Geduld der Zyklen angibt. {perplexity}, {reward}: Der neueste Zyklus ist nicht stärker besser, als der Zufall erklärt. {people}: Nach jedem Zyklus wartet das Projekt, bis Menschen über die neueste Version gegen die vorige abgestimmt haben, und endet, wenn sie diese nicht besser finden.',
    choices: {
      cycles: 'Perplexität sinkt nicht mehr',
      perplexity: 'Perplexität eines Zyklus nicht besser',
      reward: 'Belohnung eines Zyklus nicht besser',
      people: 'Menschen finden Version nicht besser',
    },
  },
  cycle_patience: {
    label: 'Geduld der Zyklen',
    help: 'Nach so vielen Zyklen ohne niedrigere Perplexität auf zurückgehaltenem Text aufhören. Zählt bei {stop_when=cycles}.',
  },
  tensorboard: {
    label: 'TensorBoard',
    help: 'Die Zahlen zusätzlich als Ereignisdateien für TensorBoard in den Ordner tensorboard schreiben.',
  },
  device: {
    label: 'Gerät',
    help: '{auto} nimmt eine Grafikkarte, wenn TensorFlow eine findet.',
    choices: { auto: 'Automatisch', cpu: 'Prozessor', cuda: 'Grafikkarte (CUDA)' },
  },
  threads: { label: 'Threads', help: 'Zu nutzende Prozessor-Threads; leer bedeutet alle.' },
  precision: {
    label: 'Genauigkeit',
    help: 'Matrixprodukte des Trainings mit 32 Bit oder mit 16 Bit (bfloat16), wo Prozessor oder Karte das beherrschen: schneller und etwas gröber. {auto} nimmt {bf16} für das Training von Modellen ab Breite 256, wenn Produkte damit auf diesem Rechner messbar schneller sind.',
    choices: { auto: 'Automatisch', f32: '32 Bit', bf16: '16 Bit (bfloat16)' },
  },
  seed: { label: 'Seed', help: 'Derselbe Seed ergibt auf demselben Rechner dieselben Bytes.' },
};
