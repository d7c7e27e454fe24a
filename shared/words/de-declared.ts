/**
 * What phases, metrics, charts, sizes of models, forms of export and kinds of files are called in German. English stands where
 * each is declared (shared/phases, shared/config) and is the key here; tests/renderer/strings.test.ts knows what is missing.
 */
export const declared: Readonly<Record<string, string>> = {
  // Phases
  'Preparing the text': 'Text vorbereiten',
  'The text becomes tokens, in a part to learn from and a part held out to measure honestly.':
    'Der Text wird in Tokens zerlegt: ein Teil zum Lernen und ein zurückgehaltener, um ehrlich zu messen.',
  'Base training': 'Basistraining',
  'The model learns to predict the next token of your text.':
    'Das Modell lernt, das nächste Token des Textes vorherzusagen.',
  'Independent judge': 'Unabhängiger Gutachter',
  'A larger language model is trained that measures how good the writing is. Nothing is ever trained against it, so it cannot be fooled.':
    'Ein größeres Sprachmodell wird trainiert, das misst, wie gut das Geschriebene ist. Gegen dieses Modell wird nie trainiert; deshalb lässt es sich nicht täuschen.',
  Critic: 'Kritiker',
  'A stronger language model is trained; the reward model compares its predictions with the generator’s.':
    'Ein stärkeres Sprachmodell wird trainiert; das Belohnungsmodell vergleicht dessen Vorhersagen mit denen des Generators.',
  'Reward data': 'Belohnungsdaten',
  'The model finishes passages of your text, so that there are endings to tell from the real ones.':
    'Das Modell setzt Passagen des Textes fort, damit es Enden gibt, die von den echten zu unterscheiden sind.',
  'Reward model': 'Belohnungsmodell',
  'It learns to say how much of a passage is natural and how much generated.':
    'Es lernt zu sagen, wie viel einer Passage natürlich und wie viel generiert ist.',
  GRPO: 'GRPO',
  'The model writes, the reward model judges, and what was judged better becomes likelier.':
    'Das Modell schreibt, das Belohnungsmodell bewertet, und das besser Bewertete wird wahrscheinlicher.',
  Evaluation: 'Auswertung',
  'The model is measured on the held-out text.': 'Das Modell wird auf dem zurückgehaltenen Text gemessen.',

  // What each is doing
  'Training the base model': 'Das Basismodell wird trainiert',
  'Training the judge': 'Der Gutachter wird trainiert',
  'Training the critic, a stronger language model': 'Der Kritiker wird trainiert, ein stärkeres Sprachmodell',
  'Writing passages for the reward model': 'Passagen für das Belohnungsmodell werden geschrieben',
  'Training the reward model': 'Das Belohnungsmodell wird trainiert',
  'Improving the generator with GRPO': 'Der Generator wird mit GRPO verbessert',
  Evaluating: 'Auswertung läuft',

  // Metrics and charts of language models
  'Nats per character': 'Nats pro Zeichen',
  'Nats per character, training': 'Nats pro Zeichen, Training',
  'Nats per character, held out': 'Nats pro Zeichen, Validierung',
  'Bits per byte, held out': 'Bits pro Byte, Validierung',
  'Loss per token': 'Verlust pro Token',
  'Nats per character of the independent judge': 'Nats pro Zeichen des unabhängigen Gutachters',
  'Loss of the independent judge': 'Verlust des unabhängigen Gutachters',
  'Nats per character of the critic': 'Nats pro Zeichen des Kritikers',
  'Loss of the critic': 'Verlust des Kritikers',
  'Squared error of the reward model': 'Quadratischer Fehler des Belohnungsmodells',
  'Loss, training': 'Verlust, Training',
  'Loss, held out': 'Verlust, Validierung',
  'Perplexity, held out': 'Perplexität, Validierung',
  'Learning rate': 'Lernrate',
  'Gradient norm': 'Gradientennorm',
  'Tokens per second': 'Tokens pro Sekunde',
  MFU: 'MFU',
  'Known words in the samples': 'Bekannte Wörter in den Textproben',
  training: 'Training',
  'held out': 'Validierung',
  'Evidence scale (1/temperature)': 'Skala der Evidenz (1/Temperatur)',

  // Evaluation
  unconditional: 'ohne Prompt',
  prompted: 'mit Prompt',
  'your own text': 'eigener Text',
  'the model': 'das Modell',
  'R² of a fresh discriminator': 'R² eines frischen Diskriminators',
  'NLL per token by the judge': 'NLL pro Token laut Gutachter',
  'Gain over the base model': 'Gewinn gegenüber dem Basismodell',
  'Variety (distinct-3)': 'Vielfalt (Distinct-3)',
  'Known words': 'Bekannte Wörter',
  'Copied from the text': 'Aus dem Text kopiert',

  // GRPO
  Reward: 'Belohnung',
  'Mean share judged natural, with the spread within groups.':
    'Anteil, der im Mittel als natürlich bewertet wird, mit der Streuung innerhalb der Gruppen.',
  'Reward: evidence per token': 'Belohnung: Evidenz pro Token',
  'How much likelier the critic finds each token than the writer did: mean, with the spread within groups.':
    'Wie viel wahrscheinlicher der Kritiker jedes Token findet als der Generator: Mittel, mit der Streuung innerhalb der Gruppen.',
  Evidence: 'Evidenz',
  'within groups': 'innerhalb der Gruppen',
  'within the batch': 'innerhalb des Batches',
  'Spread of the reward': 'Streuung der Belohnung',
  'Zero-variance groups': 'Gruppen ohne Varianz',
  'KL from where the cycle began': 'KL seit Beginn des Zyklus',
  'β, the weight of the KL': 'β, das Gewicht der KL',
  Entropy: 'Entropie',
  'GRPO loss': 'GRPO-Verlust',
  'Loss of the pre-training mix': 'Verlust des Vortrainingsanteils',
  'No measure of progress: it hovers around zero by design, or around the pre-training mix.':
    'Kein Maß für den Fortschritt: Er schwankt bauartbedingt um null oder um den Vortrainingsanteil.',
  'Clipped tokens': 'Begrenzte Tokens',
  'Clipped tokens, either way': 'Begrenzte Tokens, beide Richtungen',
  'lowered too far': 'zu weit gesenkt',
  'raised too far': 'zu weit gehoben',
  'Held-out nats per character': 'Nats pro Zeichen auf zurückgehaltenem Text',
  'Held-out bits per byte': 'Bits pro Byte auf zurückgehaltenem Text',
  'Held-out perplexity': 'Perplexität auf zurückgehaltenem Text',
  'Variety of the writing': 'Vielfalt des Geschriebenen',
  'distinct-1': 'Distinct-1',
  'distinct-2': 'Distinct-2',
  'distinct-3': 'Distinct-3',
  'Longest repetition': 'Längste Wiederholung',
  'Longest copy': 'Längste Kopie',
  'on average': 'im Mittel',
  'of all': 'von allen',
  'Length of completions': 'Länge der Fortsetzungen',
  'Tokens so far': 'Tokens bisher',
  'Time of a step': 'Zeit je Schritt',
  writing: 'Schreiben',
  scoring: 'Bewerten',
  learning: 'Lernen',

  // Sizes of models
  'For trying things out: minutes, even without TensorFlow.':
    'Zum Ausprobieren: wenige Minuten, selbst ohne TensorFlow.',
  'A small model of the newer architecture: words and phrases of a book in minutes.':
    'Ein kleines Modell der neueren Architektur: Wörter und Wendungen eines Buches in Minuten.',
  'Phrases rather than words; an hour or two on a laptop.':
    'Wendungen statt Wörter; ein bis zwei Stunden auf einem Laptop.',
  'The size of nanoGPT’s “baby GPT”: hours on a processor, minutes on a graphics card.':
    'So groß wie „Baby-GPT“ von nanoGPT: Stunden auf einem Prozessor, Minuten auf einer Grafikkarte.',
  'GPT-2’s 124 million weights; only sensible on a graphics card.':
    'Die 124 Millionen Gewichte von GPT-2; nur auf einer Grafikkarte sinnvoll.',
  'nanoGPT’s small model and recipe, with GPT-2’s architecture of 2019: to compare with nanoGPT.':
    'Das kleine Modell und Rezept von nanoGPT mit der Architektur von GPT-2 aus dem Jahr 2019: zum Vergleich mit nanoGPT.',
  'For a model that can write already (init_from), such as SmolLM2-135M: a first cycle in less than twenty minutes on two cores where the processor multiplies bfloat16, in an hour where it does not.':
    'Für ein Modell, das schon schreiben kann (init_from), etwa SmolLM2-135M: ein erster Zyklus auf zwei Kernen in weniger als zwanzig Minuten, wenn der Prozessor bfloat16 multipliziert, sonst in einer Stunde.',

  // Forms of export
  GGUF: 'GGUF',
  'LM Studio, Ollama and llama.cpp': 'LM Studio, Ollama und llama.cpp',
  'one file for LM Studio, Ollama and llama.cpp, with its tokenizer inside and a Modelfile for Ollama':
    'eine Datei für LM Studio, Ollama und llama.cpp, mit dem Tokenizer darin und einem Modelfile für Ollama',
  'Hugging Face folder': 'Hugging-Face-Ordner',
  transformers: 'transformers',
  'a folder for AutoModelForCausalLM.from_pretrained of Python’s transformers':
    'ein Ordner für AutoModelForCausalLM.from_pretrained der Python-Bibliothek transformers',
  Adapters: 'Adapter',
  PEFT: 'PEFT',
  TRL: 'TRL',
  'the adapters of a model trained with tune lora, for Python’s peft, to be put beside the model that it began from':
    'die Adapter eines mit tune lora trainierten Modells für die Python-Bibliothek peft, neben das Ausgangsmodell zu legen',
  'Training elsewhere': 'Training anderswo',
  'a project’s model with its reward as a Python function, prompts and a script, to train on with TRL on other machines':
    'das Modell eines Projekts mit seiner Belohnung als Python-Funktion, Prompts und einem Skript, um es mit TRL auf anderen Maschinen weiterzutrainieren',
  'nanoGPT checkpoint': 'nanoGPT-Checkpoint',
  'nanoGPT and PyTorch': 'nanoGPT und PyTorch',
  'a ckpt.pt for nanoGPT and for torch.load of PyTorch': 'eine ckpt.pt für nanoGPT und für torch.load von PyTorch',
  'Whole project': 'Ganzes Projekt',
  Verisim: 'Verisim',
  'the whole project in one file, to keep or to continue elsewhere with Verisim':
    'das ganze Projekt in einer Datei, zum Aufbewahren oder um es anderswo mit Verisim fortzusetzen',
};
