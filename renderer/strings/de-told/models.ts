/** Models: files of every kind, the hub, what is exported, as the main process speaks of them, in German. */
import type { Told } from '../../format/told.js';

export const models: Told = [
  // main/formats/checkpoint.ts
  ['{} is missing', '{} fehlt'],
  ['{} is larger than {} bytes', '{} ist größer als {} Byte'],
  ['{} is not JSON', '{} ist kein JSON'],
  ['{} has no format_version', '{} hat keine format_version'],
  ['{} has format_version {}; this Verisim reads {}', '{} hat die format_version {}; dieses Verisim liest {}'],
  [
    'It was written by another version of Verisim; open it with that one or a newer one.',
    'Eine andere Version von Verisim hat es geschrieben; mit dieser oder einer neueren öffnen.',
  ],
  ['tensor {} [{}] is missing', 'der Tensor {} [{}] fehlt'],
  ['tensor {} has shape [{}], the model needs [{}]', 'der Tensor {} hat die Form [{}], das Modell braucht [{}]'],
  ['the model has no tensor {}', 'das Modell hat keinen Tensor {}'],
  ['The checkpoint does not fit the model: {}', 'Der Checkpoint passt nicht zum Modell: {}'],
  [
    'Use the model shape (n_layer, n_head, n_embd, block_size, vocab_size, bias, mode) it was trained with.',
    'Die Form des Modells (n_layer, n_head, n_embd, block_size, vocab_size, bias, mode) verwenden, mit der er trainiert wurde.',
  ],
  [
    'Use another copy of the checkpoint, or train again.',
    'Eine andere Kopie des Checkpoints verwenden oder neu trainieren.',
  ],

  // main/formats/foreign-weights.ts
  ['its {} is not {}, which is to be the output layer too', '{} ist nicht {}, das auch die Ausgabeschicht sein soll'],
  [
    'Use a model with tied embeddings, as GPT-2 and nanoGPT have, or one whose config.json says that they are not.',
    'Ein Modell mit gemeinsamen Embeddings verwenden, wie GPT-2 und nanoGPT, oder eines, dessen config.json sagt, dass sie nicht gemeinsam sind.',
  ],
  [
    'Use a model of an architecture that Verisim computes.',
    'Ein Modell einer Architektur verwenden, die Verisim rechnet.',
  ],
  ['{} cannot be {}', '{} kann nicht {} sein'],
  ['{} cannot be used: {}', '{} lässt sich nicht verwenden: {}'],

  // main/formats/gguf/gguf-export.ts
  ['llama.cpp has no architecture {}', 'llama.cpp hat keine Architektur {}'],
  ['It has these of ours: {}.', 'Von unseren hat es diese: {}.'],
  ['GGUF has no name for its tensor {}', 'GGUF hat keinen Namen für den Tensor {}'],
  ['Export it with --format huggingface.', 'Als Hugging-Face-Ordner exportieren.'],

  // main/formats/gguf/gguf-header.ts
  ['{} cannot be {} bytes long', '{} kann nicht {} Byte lang sein'],
  ['{} is not UTF-8', '{} ist kein UTF-8'],
  ['the value of {}', 'der Wert von {}'],
  ['{} has the unknown type {}', '{} hat den unbekannten Typ {}'],
  ['{} is a list of lists, which is not read', '{} ist eine Liste von Listen, die nicht gelesen wird'],
  ['{} is a list of the unknown type {}', '{} ist eine Liste des unbekannten Typs {}'],
  ['{} cannot have {} values', '{} kann nicht {} Werte haben'],
  ['a value of {}', 'ein Wert von {}'],
  ['its header is larger than {} bytes', 'der Kopf ist größer als {} Byte'],
  ['it was cut short', 'die Datei ist abgeschnitten'],
  ['{} is not a readable GGUF file: {}', '{} ist keine lesbare GGUF-Datei: {}'],
  ['Use another copy of the file, or make it again.', 'Eine andere Kopie der Datei verwenden oder sie neu erzeugen.'],

  // main/formats/gguf/gguf-model.ts
  ['Use a model of one of these architectures: {}.', 'Ein Modell einer dieser Architekturen verwenden: {}.'],
  ['Use another copy of the model.', 'Eine andere Kopie des Modells verwenden.'],
  ['its architecture is {}', 'die Architektur ist {}'],
  ['it names none', 'es nennt keine Architektur'],
  ['it does not say its {}', 'es nennt {} nicht'],
  ['its {} is not one number', '{} ist nicht eine einzige Zahl'],
  ['its {}.{} cannot be {}', '{}.{} kann nicht {} sein'],
  ['its {}.{} is {}, but a head has {}', '{}.{} ist {}, aber ein Kopf hat {}'],
  ['it is a mixture of experts', 'es ist eine Mischung von Experten'],
  ['it has no token_embd.weight', 'es hat kein token_embd.weight'],
  ['its {} are not those of Llama 3.1 or 3.2', '{} sind nicht die von Llama 3.1 oder 3.2'],
  ["it has a tensor {}, which Llama's family has not", 'es hat einen Tensor {}, den Llamas Familie nicht hat'],
  ['{} has {} rows, not {} heads of {}', '{} hat {} Zeilen, nicht {} Köpfe zu je {}'],

  // main/formats/gguf/gguf-tokenizer.ts
  ['its tokenizer is of the kind {}', 'der Tokenizer ist von der Art {}'],
  ['it has no tokenizer', 'es hat keinen Tokenizer'],
  [
    'Use a model whose tokenizer is of the kind gpt2 or llama, or its Hugging Face folder.',
    'Ein Modell verwenden, dessen Tokenizer von der Art gpt2 oder llama ist, oder dessen Hugging-Face-Ordner.',
  ],
  [
    "Use the model's Hugging Face folder, or a model whose pattern is one of {}.",
    'Den Hugging-Face-Ordner des Modells verwenden oder ein Modell, dessen Muster eines von {} ist.',
  ],
  ['its tokenizer cuts a text as {} does', 'der Tokenizer teilt einen Text wie {}'],
  ['its tokens do not have a score each', 'nicht jedes Token hat eine Bewertung'],
  ['it has no tokenizer.ggml.{}', 'es hat kein tokenizer.ggml.{}'],
  ['its tokens do not have a type each', 'nicht jedes Token hat einen Typ'],
  ['it has a token of {} characters', 'es hat ein Token von {} Zeichen'],

  // main/formats/gguf/gguf-vocabulary.ts
  [
    'Export it with --format huggingface, which keeps the tokenizer as it is.',
    'Als Hugging-Face-Ordner exportieren, der den Tokenizer behält, wie er ist.',
  ],
  [
    'its tokenizer has no token that ends a text, which llama.cpp needs',
    'der Tokenizer hat kein Token, das einen Text beendet; llama.cpp braucht eines',
  ],
  [
    'its tokenizer cuts a text by rules that are none of those which GGUF files name ({})',
    'der Tokenizer teilt einen Text nach Regeln, die GGUF-Dateien nicht kennen ({})',
  ],
  [
    'its tokenizer is neither of bytes nor like SentencePiece’s with byte fallback',
    'der Tokenizer besteht weder aus Bytes noch gleicht er dem von SentencePiece mit Byte-Rückgriff',
  ],

  // main/formats/gguf/gguf.ts
  ['the file', 'die Datei'],
  ['it is too short', 'sie ist zu kurz'],
  ['it does not begin with "GGUF"', 'sie beginnt nicht mit „GGUF“'],
  ['it is written for big-endian machines', 'sie ist für Big-Endian-Rechner geschrieben'],
  ['it has version {} of the format', 'sie hat die Version {} des Formats'],
  [
    'Use a file of version 2 or 3 for ordinary (little-endian) machines.',
    'Eine Datei der Version 2 oder 3 für gewöhnliche (Little-Endian-)Rechner verwenden.',
  ],
  ['it cannot hold {} tensors', 'sie kann nicht {} Tensoren enthalten'],
  ['it cannot hold {} pieces of metadata', 'sie kann nicht {} Metadaten enthalten'],
  ['a key of its metadata', 'ein Schlüssel der Metadaten'],
  ['it says {} twice', '{} kommt zweimal vor'],
  ["a tensor's name", 'der Name eines Tensors'],
  ['it has the tensor {} twice', 'der Tensor {} kommt zweimal vor'],
  ['tensor {} cannot have {} axes', 'der Tensor {} kann nicht {} Achsen haben'],
  ['tensor {} has the unknown form {}', 'der Tensor {} hat die unbekannte Form {}'],
  ['tensor {} is quantised as {}', 'der Tensor {} ist als {} quantisiert'],
  [
    'Use a file whose tensors are of these forms: {}.',
    'Eine Datei verwenden, deren Tensoren eine dieser Formen haben: {}.',
  ],
  ['tensor {} cannot have the shape [{}]', 'der Tensor {} kann nicht die Form [{}] haben'],
  ['rows of {} in tensor {} are no whole blocks of {}', 'Zeilen von {} im Tensor {} sind keine ganzen Blöcke von {}'],
  ['its {} cannot be {}', '{} kann nicht {} sein'],
  ['tensor {} does not begin on {} bytes', 'der Tensor {} beginnt nicht auf {} Byte'],
  ['tensor {} overlaps another', 'der Tensor {} überlappt einen anderen'],
  [
    'it was cut short: tensor {} ends {} bytes behind its end',
    'die Datei ist abgeschnitten: Der Tensor {} endet {} Byte hinter ihrem Ende',
  ],

  // main/formats/huggingface-decoder.ts
  ['in its config.json, {}', 'in der config.json, {}'],
  [
    '{} was trained with a dropout of {} in attention; here it has none.',
    '{} wurde mit einem Dropout von {} in der Attention trainiert; hier hat es keinen.',
  ],

  // main/formats/huggingface-gpt2.ts
  [
    '{} was trained with {}, the tanh approximation of GELU; Verisim computes GELU exactly, as nanoGPT does. Each activation differs by at most {}, so its texts and losses can differ slightly from those in transformers.',
    '{} wurde mit {} trainiert, der tanh-Näherung von GELU; Verisim rechnet GELU genau, wie nanoGPT. Jede Aktivierung weicht um höchstens {} ab; Texte und Verluste können daher leicht von denen in transformers abweichen.',
  ],
  [
    '{} has three different dropouts; its resid_pdrop ({}) is used for all.',
    '{} hat drei verschiedene Dropouts; resid_pdrop ({}) gilt für alle.',
  ],
  [
    'Use a GPT-2 model, such as gpt2 or distilgpt2, or one that Verisim or nanoGPT made.',
    'Ein GPT-2-Modell verwenden, etwa gpt2 oder distilgpt2, oder eines von Verisim oder nanoGPT.',
  ],
  [
    'in its config.json, n_inner is {}, not four times n_embd',
    'in der config.json ist n_inner {}, nicht viermal n_embd',
  ],
  ['it has {} twice', '{} ist zweimal darin'],

  // main/formats/huggingface-llama.ts
  [
    'Use a model of the types llama, qwen2 or qwen3 without these changes, such as SmolLM2, Qwen2.5 or Llama 3.2.',
    'Ein Modell der Typen llama, qwen2 oder qwen3 ohne diese Änderungen verwenden, etwa SmolLM2, Qwen2.5 oder Llama 3.2.',
  ],

  // main/formats/huggingface-model.ts
  ['{} is {}', '{} ist {}'],
  ['Use a model in float32, float16 or bfloat16.', 'Ein Modell in float32, float16 oder bfloat16 verwenden.'],
  ['in the scaling of its rotary positions, {}', 'in der Skalierung der Rotationspositionen, {}'],
  ['only {} of each head is rotary', 'nur {} jedes Kopfes rotiert'],
  [
    'its rotary positions are scaled by {}, which Verisim does not compute',
    'die Rotationspositionen sind mit {} skaliert, was Verisim nicht rechnet',
  ],

  // main/formats/huggingface-nanochat.ts
  [
    'Use a model of the type nanochat without these changes, as transformers and Verisim write it.',
    'Ein Modell des Typs nanochat ohne diese Änderungen verwenden, wie transformers und Verisim es schreiben.',
  ],
  ['its rotary positions are scaled by "{}"', 'die Rotationspositionen sind mit „{}“ skaliert'],

  // main/formats/huggingface.ts
  ['its config.json is not JSON', 'die config.json ist kein JSON'],
  ['lacks a model_type', 'nennt keinen model_type'],
  ['has the model_type {}', 'hat den model_type {}'],
  [
    'Use a model of one of the types {}, or one that Verisim or nanoGPT made.',
    'Ein Modell eines der Typen {} verwenden oder eines von Verisim oder nanoGPT.',
  ],
  ['its config.json {}, which Verisim does not compute', 'die config.json {}, was Verisim nicht rechnet'],

  // main/formats/pickle/meta-pickle.ts
  ['not an acceptable pickle: {} (byte {})', 'kein zulässiges Pickle: {} (Byte {})'],
  [
    'Use the meta.pkl that nanoGPT or Verisim wrote, or leave it out and have a vocabulary made from the text.',
    'Die meta.pkl verwenden, die nanoGPT oder Verisim geschrieben hat, oder sie weglassen und ein Vokabular aus dem Text bilden lassen.',
  ],
  ['it does not hold a dictionary', 'es enthält kein Wörterbuch'],
  ['vocab_size must be a whole number from 1 to {}', 'vocab_size muss eine ganze Zahl von 1 bis {} sein'],
  ['itos must be a dictionary', 'itos muss ein Wörterbuch sein'],
  ['stoi must be a dictionary', 'stoi muss ein Wörterbuch sein'],
  ['vocab_size is {}, but itos has {} entries and stoi {}', 'vocab_size ist {}, aber itos hat {} Einträge und stoi {}'],
  ['itos[{}] is not a single character', 'itos[{}] ist kein einzelnes Zeichen'],
  ['stoi and itos disagree about {}', 'stoi und itos widersprechen sich bei {}'],
  ["not nanoGPT's meta.pkl: {}", 'nicht die meta.pkl von nanoGPT: {}'],
  [
    'Use the meta.pkl that belongs to the data, or leave it out and have a vocabulary made from the text.',
    'Die meta.pkl verwenden, die zu den Daten gehört, oder sie weglassen und ein Vokabular aus dem Text bilden lassen.',
  ],

  // main/formats/pickle/pickle-bytes.ts
  ['text that is not UTF-8', 'Text, der kein UTF-8 ist'],
  ['a line that is too long', 'eine zu lange Zeile'],
  ['it is cut short', 'es ist abgeschnitten'],
  ['a number that is too large', 'eine zu große Zahl'],

  // main/formats/pickle/pickle.ts
  ['it ends with something left over', 'am Ende bleibt etwas übrig'],
  ['too much on the stack', 'zu viel auf dem Stapel'],
  ['a protocol above 5', 'ein Protokoll über 5'],
  [
    'the instruction {}, which could run code; nothing was run',
    'die Anweisung {}, die Code ausführen könnte; nichts wurde ausgeführt',
  ],
  ['the unknown instruction 0x{}', 'die unbekannte Anweisung 0x{}'],
  ['{} with such arguments', '{} mit solchen Argumenten'],
  ['what is not callable', 'etwas, das sich nicht aufrufen lässt'],
  [
    'it calls {}, which could run code; nothing was run',
    'es ruft {} auf, was Code ausführen könnte; nichts wurde ausgeführt',
  ],
  [
    'it sets the state of something, which could run code; nothing was run',
    'es setzt den Zustand von etwas, was Code ausführen könnte; nichts wurde ausgeführt',
  ],
  ['a reference to something outside of it', 'ein Verweis auf etwas außerhalb'],
  ['a name that is none', 'ein Name, der keiner ist'],
  [
    'it asks for Python’s {}, which could run code; nothing was run',
    'es verlangt Pythons {}, was Code ausführen könnte; nichts wurde ausgeführt',
  ],
  ['it makes more values than such a file needs', 'es erzeugt mehr Werte, als eine solche Datei braucht'],
  ['a note under an impossible number', 'ein Vermerk unter einer unmöglichen Nummer'],
  ['a reference to nothing', 'ein Verweis auf nichts'],
  ['keys for something that is not a dict', 'Schlüssel für etwas, das kein Dict ist'],
  ['a dict key that is not a number or a text', 'ein Dict-Schlüssel, der weder Zahl noch Text ist'],
  ['too many large or broken numbers as keys', 'zu viele große oder gebrochene Zahlen als Schlüssel'],
  ['items for something that is not a list', 'Einträge für etwas, das keine Liste ist'],
  ['members for something that is not a set', 'Elemente für etwas, das keine Menge ist'],
  ['an empty stack', 'ein leerer Stapel'],
  ['a missing mark', 'eine fehlende Marke'],

  // main/formats/safetensors-shards.ts
  ['it is not JSON', 'es ist kein JSON'],
  ['it has no weight_map from tensors to files', 'es hat keine weight_map von Tensoren zu Dateien'],
  ['it names {} files; at most {} are read', 'es nennt {} Dateien; höchstens {} werden gelesen'],
  [
    'it names {}, which is no safetensors file of its own folder',
    'es nennt {}, keine safetensors-Datei des eigenen Ordners',
  ],
  ['{} is not in {}, where it should be', '{} ist nicht in {}, wo es sein müsste'],
  ['Use another copy of the model, with all its files.', 'Eine andere Kopie des Modells mit allen Dateien verwenden.'],

  // main/formats/safetensors.ts
  ['tensor {} ({}) holds numbers that float32 cannot', 'der Tensor {} ({}) enthält Zahlen, die float32 nicht fasst'],
  ['its header cannot be {} bytes long', 'der Kopf kann nicht {} Byte lang sein'],
  ['{} is not a list of texts by name', '{} ist keine Liste von Texten nach Namen'],
  ['a tensor cannot be called {}', 'ein Tensor kann nicht {} heißen'],
  ['its header is not JSON', 'der Kopf ist kein JSON'],
  ['its header says {} twice', 'der Kopf nennt {} zweimal'],
  ['its header is not a JSON object', 'der Kopf ist kein JSON-Objekt'],
  ['tensor {} overlaps another or leaves a gap', 'der Tensor {} überlappt einen anderen oder lässt eine Lücke'],
  ['tensor {} has {} bytes', 'der Tensor {} hat {} Byte'],
  ['{}, which does not fit shape [{}]', '{}, was nicht zur Form [{}] passt'],
  ['it holds {} bytes of numbers instead of {}', 'die Datei enthält {} Byte an Zahlen statt {}'],
  ['tensor {} has more than {} axes', 'der Tensor {} hat mehr als {} Achsen'],
  ['tensor {}: {} {}', 'der Tensor {}: {} {}'],
  ['{} is not a readable safetensors file: {}', '{} ist keine lesbare safetensors-Datei: {}'],

  // main/formats/tokenizer/tokenizer-json.ts
  ['it is of the kind {}, not a byte-pair encoding (BPE)', 'er ist von der Art {}, keine Byte-Pair-Codierung (BPE)'],
  ['it marks the parts of words with a prefix or suffix', 'er kennzeichnet Wortteile mit einem Präfix oder Suffix'],
  ['it leaves out merges at random (dropout)', 'er lässt Zusammenfügungen zufällig aus (Dropout)'],
  ['two of its steps put a prefix before a text', 'zwei seiner Schritte setzen ein Präfix vor einen Text'],
  ['it is not JSON that can be read ({})', 'es ist kein lesbares JSON ({})'],
  ['it has no vocabulary', 'er hat kein Vokabular'],
  ['the token {} cannot have the id {}', 'das Token {} kann nicht die Nummer {} haben'],
  ['its vocabulary is empty', 'das Vokabular ist leer'],
  ['the tokens {} and {} have the same id', 'die Tokens {} und {} haben dieselbe Nummer'],
  ['it has no list of merges', 'er hat keine Liste von Zusammenfügungen'],
  ['its merge {} is no pair of tokens', 'die Zusammenfügung {} ist kein Paar von Tokens'],
  [
    'its merge {}, of {} and {}, is of tokens that it does not have',
    'die Zusammenfügung {}, von {} und {}, betrifft Tokens, die er nicht hat',
  ],
  ['{} is not a readable tokenizer: {}', '{} ist kein lesbarer Tokenizer: {}'],
  [
    'Use another copy of the file, or save the tokenizer again with save_pretrained.',
    'Eine andere Kopie der Datei verwenden oder den Tokenizer mit save_pretrained neu speichern.',
  ],
  [
    'Use a model whose tokenizer is a byte-pair encoding such as GPT-2’s, Llama’s, Qwen’s or SmolLM’s.',
    'Ein Modell verwenden, dessen Tokenizer eine Byte-Pair-Codierung ist, wie bei GPT-2, Llama, Qwen oder SmolLM.',
  ],

  // main/formats/tokenizer/patterns.ts
  ['its pattern {} repeats what is repeated already', 'das Muster {} wiederholt, was schon wiederholt ist'],
  ['its pattern {} cannot be translated', 'das Muster {} lässt sich nicht übersetzen'],
  ['its pattern {} has more than {} alternatives', 'das Muster {} hat mehr als {} Alternativen'],
  [
    'its pattern {} takes more than {} seconds for a part of a text',
    'das Muster {} braucht mehr als {} Sekunden für einen Teil eines Textes',
  ],

  // main/formats/tokenizer/tokenizer-steps.ts
  ['its {}: {}', '{}: {}'],
  ['it normalises a text by {}', 'er normalisiert einen Text mit {}'],
  [
    'its normalizer makes a text more than {} times as long',
    'die Normalisierung macht einen Text mehr als {}-mal so lang',
  ],
  ['its step {} comes after ByteLevel', 'der Schritt {} kommt nach ByteLevel'],
  ['it puts a blank before each piece', 'er setzt ein Leerzeichen vor jedes Stück'],
  ['it cuts a text by {}', 'er teilt einen Text mit {}'],

  // main/formats/torch/torch-checkpoint-pickle.ts
  ['{} (byte {} of data.pkl)', '{} (Byte {} der data.pkl)'],

  // main/formats/torch/torch-checkpoint-tensors.ts
  ['it has no data.pkl, or more than one', 'sie hat keine data.pkl oder mehr als eine'],
  ['its data.pkl is larger than {} bytes', 'die data.pkl ist größer als {} Byte'],
  ['{} has {} bytes instead of {}', '{} hat {} Byte statt {}'],
  ['tensor {} is {}; {} can be read', 'der Tensor {} ist {}; lesbar ist {}'],
  [
    'tensor {} [{}] does not fit the numbers stored for it',
    'der Tensor {} [{}] passt nicht zu den dafür gespeicherten Zahlen',
  ],
  [
    'many of its tensors are the same numbers, which takes more memory than such a file should',
    'viele der Tensoren sind dieselben Zahlen, was mehr Speicher braucht, als eine solche Datei sollte',
  ],
  ['tensor {} holds numbers that float32 cannot', 'der Tensor {} enthält Zahlen, die float32 nicht fasst'],
  [
    'it has the format of PyTorch before 1.6; load it in PyTorch and save it again',
    'sie hat das Format von PyTorch vor 1.6; in PyTorch laden und neu speichern',
  ],
  ['it is not a zip archive, which torch.save makes', 'sie ist kein Zip-Archiv, wie torch.save es macht'],
  ['its byte order is {}, not "little"', 'die Byte-Reihenfolge ist {}, nicht „little“'],

  // main/formats/torch/torch-checkpoint-zip.ts
  ['{} is not a readable PyTorch checkpoint: {}', '{} ist kein lesbarer PyTorch-Checkpoint: {}'],
  [
    'Use another copy of the file, or save the model again with torch.save.',
    'Eine andere Kopie der Datei verwenden oder das Modell mit torch.save neu speichern.',
  ],

  // main/formats/torch/torch-checkpoint.ts
  [
    'it holds no "model" with its weights beside "model_args" or "config"',
    'es gibt darin kein „model“ mit den Gewichten neben „model_args“ oder „config“',
  ],
  [
    "Save it as nanoGPT does: torch.save({'model': model.state_dict(), 'model_args': model_args}, path).",
    "Wie nanoGPT speichern: torch.save({'model': model.state_dict(), 'model_args': model_args}, path).",
  ],
  ['{} in its model is not a tensor', '{} im Modell ist kein Tensor'],
  ['Save model.state_dict().', 'model.state_dict() speichern.'],
  ['its model has {} twice', 'das Modell hat {} zweimal'],
  [
    'it does not say how many layers and heads the model has',
    'es sagt nicht, wie viele Schichten und Köpfe das Modell hat',
  ],
  ['Save "model_args" or "config" with it, as nanoGPT does.', '„model_args“ oder „config“ mitspeichern, wie nanoGPT.'],

  // main/formats/zip.ts
  ['it holds {} twice', '{} ist zweimal darin'],
  ['its parts overlap', 'die Teile überlappen sich'],
  ['{} does not fit into it', '{} passt nicht hinein'],
  ['the bytes of {} are not those that were written', 'die Bytes von {} sind nicht die geschriebenen'],
  ['{} cannot be unpacked', '{} lässt sich nicht entpacken'],
  ['it is cut short or not a zip archive', 'das Archiv ist abgeschnitten oder kein Zip-Archiv'],
  ['it has a comment', 'das Archiv hat einen Kommentar'],
  ['its last parts do not fit together', 'die letzten Teile passen nicht zusammen'],
  ['its list of contents is too long', 'das Inhaltsverzeichnis ist zu lang'],
  ['its list of contents is not where it says', 'das Inhaltsverzeichnis ist nicht dort, wo es sein müsste'],
  ['its list of contents is damaged', 'das Inhaltsverzeichnis ist beschädigt'],
  ['{} is encrypted', '{} ist verschlüsselt'],
  ['{} is compressed in a way that is not read', '{} ist auf eine Weise gepackt, die nicht gelesen wird'],
  ['the size of {} is unclear', 'die Größe von {} ist unklar'],
  ['{} would have more than {} bytes', '{} hätte mehr als {} Byte'],
  ['the name of a part is not text', 'der Name eines Teils ist kein Text'],
  ['{} has two names', '{} hat zwei Namen'],

  // main/jobs/export/export.ts
  ['Give --out_dir another folder.', 'Einen anderen Ordner angeben.'],
  ['{} holds what is exported', '{} enthält, was exportiert wird'],
  ['the exported model', 'das exportierte Modell'],

  // main/jobs/export/trl/files.ts
  [
    'Give a project’s folder, or export the model alone with --format huggingface.',
    'Den Ordner eines Projekts angeben oder das Modell allein als Hugging-Face-Ordner exportieren.',
  ],
  [
    'Let it go through a cycle first, or export the model alone with --format huggingface.',
    'Zuerst einen Zyklus durchlaufen lassen oder das Modell allein als Hugging-Face-Ordner exportieren.',
  ],

  // main/jobs/export/formats.ts
  ['of GPT-2’s architecture', 'mit der Architektur von GPT-2'],
  ['of Llama’s family', 'aus Llamas Familie'],
  ['of the modern architecture (NanoChat)', 'mit der neueren Architektur (NanoChat)'],
  ['llama.cpp has no such architecture', 'llama.cpp hat keine solche Architektur'],
  ['nanoGPT’s checkpoints hold GPT-2’s', 'Checkpoints von nanoGPT fassen nur GPT-2'],
  ['Export it with --format {}.', 'In der Form {} exportieren.'],
  ['{} is {}; {}', '{} ist {}; {}'],
  [
    'Export it with --format nanogpt, or give --model_path a base model.',
    'Als nanoGPT-Checkpoint exportieren oder ein Basismodell wählen.',
  ],
  ['{} is a reward model; {} has no such head', '{} ist ein Belohnungsmodell; {} hat keinen solchen Kopf'],
  [
    'Export it with --format huggingface; adapters come of training with --tune lora.',
    'Als Hugging-Face-Ordner exportieren; Adapter entstehen beim Training mit „nur Adapter“ (tune lora).',
  ],
  ['{} has no adapters: all of its weights were trained', '{} hat keine Adapter: Alle Gewichte wurden trainiert'],
  [
    'Put the meta.pkl of the text it was trained on beside it.',
    'Die meta.pkl des Textes danebenlegen, mit dem es trainiert wurde.',
  ],
  ['{} does not say which characters its tokens are', '{} sagt nicht, welche Zeichen seine Tokens sind'],

  // main/jobs/initial-critic.ts
  [
    '{} does not say what its network is before its weights are read',
    '{} sagt erst mit den Gewichten, was für ein Netz es ist',
  ],
  [
    'Use a Hugging Face folder, a GGUF file or a model that Verisim trained.',
    'Einen Hugging-Face-Ordner, eine GGUF-Datei oder ein mit Verisim trainiertes Modell verwenden.',
  ],

  // main/jobs/initial-shape.ts
  ['{} is a reward model, not a base model', '{} ist ein Belohnungsmodell, kein Basismodell'],
  [
    'Choose a model that writes, such as checkpoints/base_model_v1.',
    'Ein Modell wählen, das schreibt, etwa checkpoints/base_model_v1.',
  ],

  // main/jobs/models.ts
  ['{} is a {}, not a {}', '{} ist ein {}, kein {}'],
  ['reward model', 'Belohnungsmodell'],
  ['base model', 'Basismodell'],
  ['Give --{} a model made by {}.', 'Für --{} ein Modell angeben, das {} erzeugt hat.'],
  ['train or train_grpo', 'train oder train_grpo'],
  [
    '{} cannot be used: {} holds numbers that are not finite',
    '{} lässt sich nicht verwenden: {} enthält Zahlen, die nicht endlich sind',
  ],
  [
    'Its training went wrong, or the file is damaged; use an earlier checkpoint or another copy.',
    'Das Training ist misslungen oder die Datei beschädigt; einen früheren Checkpoint oder eine andere Kopie verwenden.',
  ],

  // main/services/models/models.ts
  ['Not the name of a model on the hub: {}', 'Kein Name eines Modells auf dem Hub: {}'],
  [
    'A name has an owner and a model: HuggingFaceTB/SmolLM2-135M.',
    'Ein Name besteht aus Besitzer und Modell: HuggingFaceTB/SmolLM2-135M.',
  ],
  [
    'This model came with the set-up and is not removed here.',
    'Dieses Modell kam mit der Einrichtung und wird hier nicht entfernt.',
  ],
  ['It is used by the sample project.', 'Das Beispielprojekt verwendet es.'],

  // main/storage/hub/hub-client.ts
  ['{}; trying again', '{}; noch ein Versuch'],
  ['HF_ENDPOINT is not an address: {}', 'HF_ENDPOINT ist keine Adresse: {}'],
  ['Begin it with https://, or unset it.', 'Sie mit https:// beginnen lassen oder die Variable entfernen.'],
  ['the answer is longer than {} bytes', 'die Antwort ist länger als {} Byte'],

  // main/storage/hub/hub-faults.ts
  ['What was fetched before works without a network.', 'Was früher geladen wurde, geht ohne Netz.'],
  [
    'What has arrived is kept; the next download resumes there.',
    'Was angekommen ist, bleibt; der nächste Download setzt dort fort.',
  ],
  ['{} did not arrive as the hub describes it: {}', '{} ist nicht so angekommen, wie der Hub es beschreibt: {}'],
  [
    'What arrived was deleted. Try again; if it stays so, something between here and the hub changes what it sends.',
    'Das Angekommene wurde gelöscht. Es erneut versuchen; bleibt es dabei, verändert etwas zwischen hier und dem Hub, was er sendet.',
  ],
  ['a while', 'einer Weile'],
  ['{} seconds', '{} Sekunden'],
  ['The hub ({}) cannot answer now: {}', 'Der Hub ({}) kann gerade nicht antworten: {}'],
  ['It asks for fewer requests; try again in {}.', 'Er bittet um weniger Anfragen; in {} erneut versuchen.'],
  ['Try again in {}. {}', 'In {} erneut versuchen. {}'],
  [
    'What answers at {} is not the hub: it sent something else than JSON',
    'Unter {} antwortet nicht der Hub: Es kam etwas anderes als JSON',
  ],
  [
    'A network that asks to sign in first, or a proxy, may answer in its place; HF_ENDPOINT names another address of the hub.',
    'Ein Netz, das eine Anmeldung verlangt, oder ein Proxy antwortet vielleicht an seiner Stelle; HF_ENDPOINT nennt eine andere Adresse des Hubs.',
  ],
  ['The hub ({}) could not be reached: {}', 'Der Hub ({}) war nicht erreichbar: {}'],
  [
    'Check the network; behind a proxy, set HTTPS_PROXY; HF_ENDPOINT names a mirror. {}',
    'Das Netz prüfen; hinter einem Proxy HTTPS_PROXY setzen; HF_ENDPOINT nennt einen Spiegel. {}',
  ],
  [
    'The proxy asks who you are: give it a name and a password in HTTPS_PROXY, http://name:password@proxy:port.',
    'Der Proxy fragt, wer anfragt: Name und Passwort in HTTPS_PROXY angeben, http://name:password@proxy:port.',
  ],
  ['{} has no revision {}', '{} hat keine Revision {}'],
  [
    'Name a branch, a tag or a commit that its page on the hub lists, or leave @… out for the newest.',
    'Einen Zweig, ein Tag oder einen Commit von der Seite des Modells auf dem Hub angeben oder @… für das Neueste weglassen.',
  ],
  ['{} is given only to those who have agreed to its terms', '{} bekommt nur, wer den Bedingungen zugestimmt hat'],
  [
    'Agree to its terms on its page of the hub with the account of HF_TOKEN, and wait until that is confirmed.',
    'Den Bedingungen auf der Seite des Modells auf dem Hub mit dem Konto von HF_TOKEN zustimmen und warten, bis das bestätigt ist.',
  ],
  [
    'Agree to its terms on its page of the hub, make a token in the settings of your account there, and set HF_TOKEN to it.',
    'Den Bedingungen auf der Seite des Modells auf dem Hub zustimmen, in den Einstellungen des Kontos dort ein Token anlegen und HF_TOKEN darauf setzen.',
  ],
  ['The hub does not know the token in HF_TOKEN', 'Der Hub kennt das Token in HF_TOKEN nicht'],
  [
    'Make a new one in the settings of your account, or unset HF_TOKEN for a public model.',
    'In den Einstellungen des Kontos ein neues anlegen oder HF_TOKEN für ein öffentliches Modell entfernen.',
  ],
  ['There is no model {} on the hub, or it is private', 'Auf dem Hub gibt es kein Modell {}, oder es ist privat'],
  [
    'Check its name; there is no file or folder of that name either. For a private model, set HF_TOKEN to a token of an account that may read it.',
    'Den Namen prüfen; eine Datei oder einen Ordner dieses Namens gibt es auch nicht. Für ein privates Modell HF_TOKEN auf ein Token eines Kontos setzen, das es lesen darf.',
  ],
  ['{} could not be fetched from {}: {}', '{} ließ sich nicht von {} laden: {}'],
  [
    'Try again; if it stays so, check HF_ENDPOINT and the proxy.',
    'Es erneut versuchen; bleibt es dabei, HF_ENDPOINT und den Proxy prüfen.',
  ],

  // main/storage/hub/hub-fetch.ts
  ['download of {}', 'den Download von {}'],
  ['{} is being fetched', '{} wird gerade geladen'],
  ['Stop its download first.', 'Den Download zuerst anhalten.'],

  // main/storage/hub/hub-offer.ts
  ['{} is {} bytes long', '{} ist {} Byte lang'],
  ['its {} did not arrive as the hub describes it', '{} ist nicht so angekommen, wie der Hub es beschreibt'],
  ['the repository lists more than {} files', 'das Verzeichnis nennt mehr als {} Dateien'],
  ['its {} names {}, which it does not have', '{} nennt {}, das es nicht gibt'],
  ['Try again, or use another model.', 'Es erneut versuchen oder ein anderes Modell verwenden.'],
  ['It has GGUF files; name one: {}/{}', 'Es hat GGUF-Dateien; eine davon nennen: {}/{}'],
  [
    'Its weights are in another form; use a model that is saved as safetensors.',
    'Die Gewichte haben eine andere Form; ein als safetensors gespeichertes Modell verwenden.',
  ],
  [
    'Use the repository of a model that is saved as safetensors, or name a GGUF file in one.',
    'Das Verzeichnis eines als safetensors gespeicherten Modells verwenden oder darin eine GGUF-Datei nennen.',
  ],
  ['{} has no {}', '{} hat keine {}'],

  // main/storage/projects/foreign-models.ts
  ['an ONNX model', 'ein ONNX-Modell'],
  [
    'Use the model that it was made from, as safetensors or GGUF.',
    'Das Modell verwenden, aus dem es entstand, als safetensors oder GGUF.',
  ],
  ['a Keras or TensorFlow model', 'ein Keras- oder TensorFlow-Modell'],
  ['Use the model as safetensors or GGUF.', 'Das Modell als safetensors oder GGUF verwenden.'],
  [
    'weights without the config.json that says what network they are of',
    'Gewichte ohne die config.json, die sagt, was für ein Netz es ist',
  ],
  [
    'Use the whole folder of the model, saved with model.save_pretrained(folder).',
    'Den ganzen Ordner des Modells verwenden, gespeichert mit model.save_pretrained(folder).',
  ],
  ['{} holds {}', '{} enthält {}'],
  [
    'adapters of PEFT, which are no model without the one that they were made for{}',
    'Adapter von PEFT, die ohne das Modell, für das sie gemacht wurden, keines sind{}',
  ],
  [
    'Merge them into it with Python’s peft: PeftModel.from_pretrained(model, folder).merge_and_unload(), then save_pretrained(other_folder), and its tokenizer likewise.',
    'Sie mit der Python-Bibliothek peft damit verschmelzen: PeftModel.from_pretrained(model, folder).merge_and_unload(), dann save_pretrained(other_folder), und ebenso den Tokenizer.',
  ],
  ['{} has no {}, nor {}', '{} hat keine {}, auch keine {}'],
  [
    'Save the model as safetensors: model.save_pretrained(folder).',
    'Das Modell als safetensors speichern: model.save_pretrained(folder).',
  ],
  ['{} has no {}, in which {} says that weights are', '{} hat keine {}, in der nach {} Gewichte sind'],
  [
    'Vocabulary size mismatch: {} lists {} characters, but the model knows {} tokens',
    'Die Größe des Vokabulars passt nicht: {} nennt {} Zeichen, aber das Modell kennt {} Tokens',
  ],
  [
    'Give the meta.pkl of the data that the model was trained on, with {} or beside the model.',
    'Die meta.pkl der Daten, mit denen das Modell trainiert wurde, mit {} oder neben dem Modell angeben.',
  ],

  // main/storage/projects/models.ts
  ['Model file not found: {}', 'Modelldatei nicht gefunden: {}'],
  [
    'Check that the model checkpoint file exists and the path is correct',
    'Prüfen, ob es den Checkpoint gibt und der Pfad stimmt',
  ],
  ['it has no {}', '{} fehlt darin'],
  ['{} is not a finished model: {}', '{} ist kein fertiges Modell: {}'],
  [
    'Give the folder of a model, such as checkpoints/base_model_v1.',
    'Den Ordner eines Modells angeben, etwa checkpoints/base_model_v1.',
  ],

  // main/storage/hub/initial-model-name.ts
  ['{} Instruct, 4 bits', '{} Instruct, 4 Bit'],
];
