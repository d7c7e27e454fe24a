/**
 * The forms in which a model or a project can be given away, each declared once: the command line's --format and its help,
 * and what the window offers, follow.
 */

interface ExportFormat {
  readonly label: string;
  readonly readBy: string;
  /** One sentence: what it is, and for whom. */
  readonly help: string;
  /** Whether it is one file or a folder; null: the whole project, which `export` writes as one file too. */
  readonly of: 'model' | 'project';
}

export const exportFormats = {
  gguf: {
    label: 'GGUF',
    readBy: 'LM Studio, Ollama and llama.cpp',
    help: 'one file for LM Studio, Ollama and llama.cpp, with its tokenizer inside and a Modelfile for Ollama',
    of: 'model',
  },
  huggingface: {
    label: 'Hugging Face folder',
    readBy: 'transformers',
    help: 'a folder for AutoModelForCausalLM.from_pretrained of Python’s transformers',
    of: 'model',
  },
  peft: {
    label: 'Adapters',
    readBy: 'PEFT',
    help: 'the adapters of a model trained with tune lora, for Python’s peft, to be put beside the model that it began from',
    of: 'model',
  },
  nanogpt: {
    label: 'nanoGPT checkpoint',
    readBy: 'nanoGPT and PyTorch',
    help: 'a ckpt.pt for nanoGPT and for torch.load of PyTorch',
    of: 'model',
  },
  trl: {
    label: 'Training elsewhere',
    readBy: 'TRL',
    help: 'a project’s model with its reward as a Python function, prompts and a script, to train on with TRL on other machines',
    of: 'model',
  },
  project: {
    label: 'Whole project',
    readBy: 'Verisim',
    help: 'the whole project in one file, to keep or to continue elsewhere with Verisim',
    of: 'project',
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type ExportFormatName = keyof typeof exportFormats;
export type ModelFormat = Exclude<ExportFormatName, 'project'>;
export const exportFormatNames = Object.keys(exportFormats) as [ExportFormatName, ...ExportFormatName[]];
export const modelFormats = exportFormatNames.filter((name): name is ModelFormat => exportFormats[name].of === 'model');

/** How a GGUF file keeps its matrices, by llama.cpp's names. */
export const ggufTypes = ['f16', 'q8_0'] as const;
export type GgufType = (typeof ggufTypes)[number];
