/** Limits a tokenizer.json; a file of its own, so that a check does not load the library that reads patterns. */
import { parseBoundedJson } from '../bounded-json.js';

/** Twice the largest in use, in bytes. */
export const MAX_TOKENIZER_JSON = 64 << 20;
/** The largest vocabulary in use, 262,144 tokens with their merges as pairs, has 1.8 million. */
const MAX_VALUES = 1 << 21;
const DEEPEST = 24;

/** Parses its text. @throws SyntaxError if it is not JSON, or beyond the limits */
export const tokenizerValues = (text: string): unknown => parseBoundedJson(text, DEEPEST, MAX_VALUES);
