/**
 * What the main process says in the terminal's words, as the window says it: nobody gives a flag or runs a command there.
 * tests/renderer/told.test.ts knows those that are made no more.
 */
import type { Told } from '../format/told.js';

export const told: Told = [
  // Why a text is cut as it is: not by the names that the flag takes.
  [
    'char, because {} characters are too few to learn longer pieces from',
    'characters, because {} of them are too few to learn longer pieces from',
  ],
  ['Run the same command again to resume from here.', 'Start it again to resume from here.'],
  ['Run the same command again: it resumes there.', 'Start it again: it resumes there.'],
  ['Run the same command again: the measurement begins again.', 'Start it again: the measurement begins again.'],
  ['Run the same command again to prepare it.', 'Start it again to prepare it.'],
  [
    'The model is damaged, or its training went wrong: check it with sample, use another copy, or train it again with a smaller learning_rate.',
    'The model is damaged, or its training went wrong: look at what it writes, use another copy, or train it again with a smaller learning rate.',
  ],
  [
    'Matrix products use bfloat16: a model of this width trains in about half the time with it here (--precision f32 does without).',
    'Matrix products use bfloat16: a model of this width trains in about half the time with it here (the precision f32 does without).',
  ],
  ['Give --out_dir another folder.', 'Choose another folder.'],
  ['Export it with --format {}.', 'Export it as {}.'],
  [
    'Export it with --format huggingface, which keeps the tokenizer as it is.',
    'Export it as a Hugging Face folder, which keeps the tokenizer as it is.',
  ],
  [
    'Export it with --format huggingface; adapters come of training with --tune lora.',
    'Export it as a Hugging Face folder; adapters come of training nothing but adapters.',
  ],
  [
    'Give a project’s folder, or export the model alone with --format huggingface.',
    'Choose a project, or export the model alone as a Hugging Face folder.',
  ],
  [
    'Let it go through a cycle first, or export the model alone with --format huggingface.',
    'Let it go through a cycle first, or export the model alone as a Hugging Face folder.',
  ],
  [
    'Export it with --format nanogpt, or give --model_path a base model.',
    'Export it as a nanoGPT checkpoint, or choose a base model.',
  ],
  ['Delete it for good with --force, or move the folder away yourself.', 'Move the folder away yourself.'],
  ['Choose a folder that is not there yet, with --project.', 'Choose a folder that is not there yet.'],
  ['Train it first, with cycle.', 'Train it first.'],
  ['Rate it first, with rate.', 'Rate it first.'],
  [
    'This is a bug in Verisim; please report it with the command you ran.',
    'This is a bug in Verisim; please report it with what you did, and with “Copy diagnostics” from the settings.',
  ],
];
