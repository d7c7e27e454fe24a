/** What a tokenizer.json may be: apart, so that asking does not load the library that reads patterns. */

/** Twice the largest in use, in bytes. */
export const MAX_TOKENIZER_JSON = 64 << 20;
