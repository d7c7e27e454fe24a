/** What the README of an exported model says beside what is typed, in every language. */
import type { Language } from '../../../shared/language.js';

interface ReadmeWords {
  /** Where it lies, in a command that is shown. */
  readonly thisFolder: string;
  readonly theBase: string;
  readonly huggingface: string;
  tokensOf(call: string): string;
  readonly dictionaries: string;
  /** @param how they are read */
  characters(how: string): string;
  readonly onlyCharacters: string;
  readonly adapters: string;
  /** @param model that training began from; null: not known */
  base(model: string | null): string;
  readonly folderOfGguf: string;
  gguf(programs: string): string;
  readonly nanogpt: string;
  readonly checkpoint: string;
  readonly noOptimizer: string;
  copied(place: string): string;
  readonly gpt2Tokens: string;
  readonly ownTokens: string;
}

const english: ReadmeWords = {
  thisFolder: 'this folder',
  theBase: 'the base',
  huggingface: 'This model was exported by Verisim for Hugging Face transformers:',
  tokensOf: (call) => `Its tokens are those of tokenizer.json: ${call}.`,
  dictionaries: 'stoi and itos are dictionaries from characters to token ids and back',
  characters: (how) => `Its tokens are characters; meta.pkl lists them (${how}).`,
  onlyCharacters: 'Its tokens are characters: a prompt can only have those that the text it was trained on has.',
  adapters: 'These adapters were exported by Verisim for PEFT:',
  base: (model) =>
    `They belong to the model that training began from${model === null ? '' : `: ${model}`}, as a Hugging Face folder.`,
  folderOfGguf: 'verisim export --format huggingface writes that folder of a GGUF file.',
  gguf: (programs) => `This model was exported by Verisim for ${programs}. It continues the text that it is given.`,
  nanogpt: 'This model was exported by Verisim in the form of nanoGPT’s checkpoints:',
  checkpoint: "torch.load('ckpt.pt')['model'] are the weights, 'model_args' the arguments of the documented GPTConfig",
  noOptimizer: 'It holds no optimizer: nanoGPT can sample from it, not resume its training.',
  copied: (place) => `for nanoGPT, copy it to ${place}`,
  gpt2Tokens: 'Its tokens are GPT-2’s.',
  ownTokens: 'Its tokens are those of tokenizer.json.',
};

const german: ReadmeWords = {
  thisFolder: 'dieser Ordner',
  theBase: 'das Ausgangsmodell',
  huggingface: 'Dieses Modell hat Verisim für transformers von Hugging Face exportiert:',
  tokensOf: (call) => `Seine Tokens sind die von tokenizer.json: ${call}.`,
  dictionaries: 'stoi und itos sind Wörterbücher von Zeichen zu Token-Nummern und zurück',
  characters: (how) => `Seine Tokens sind Zeichen; meta.pkl zählt sie auf (${how}).`,
  onlyCharacters:
    'Seine Tokens sind Zeichen: Ein Prompt kann nur solche enthalten, die im Text stehen, mit dem es trainiert wurde.',
  adapters: 'Diese Adapter hat Verisim für PEFT exportiert:',
  base: (model) =>
    `Sie gehören zu dem Modell, mit dem das Training begann${model === null ? '' : `: ${model}`}, als Hugging-Face-Ordner.`,
  folderOfGguf: 'verisim export --format huggingface schreibt einen solchen Ordner aus einer GGUF-Datei.',
  gguf: (programs) => `Dieses Modell hat Verisim für ${programs} exportiert. Es setzt den Text fort, den es bekommt.`,
  nanogpt: 'Dieses Modell hat Verisim in der Form der Checkpoints von nanoGPT exportiert:',
  checkpoint:
    "torch.load('ckpt.pt')['model'] sind die Gewichte, 'model_args' die Argumente der dokumentierten GPTConfig",
  noOptimizer: 'Ein Optimierer ist nicht dabei: nanoGPT kann damit schreiben, sein Training aber nicht fortsetzen.',
  copied: (place) => `für nanoGPT nach ${place} kopieren`,
  gpt2Tokens: 'Seine Tokens sind die von GPT-2.',
  ownTokens: 'Seine Tokens sind die von tokenizer.json.',
};

export const readmeWords: Readonly<Record<Language, ReadmeWords>> = { en: english, de: german };
