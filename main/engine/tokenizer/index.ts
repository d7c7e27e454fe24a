/** The tokenizers; nothing heavy is loaded until `loadBpeTokenizer` is called. */
export * from './bpe.js';
export * from './byte-alphabet.js';
export * from './char.js';
export * from './detect.js';
export * from './learned/learn-merges.js';
export * from './learned/piece-census.js';
export * from './pretrained.js';
export * from './token-lengths.js';
export * from './types.js';
