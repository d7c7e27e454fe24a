/** What a tokenizer.json may be: apart, so that asking does not load the library that reads patterns. */
import { parseBoundedJson } from '../bounded-json.js';

/** Twice the largest in use, in bytes. */
export const MAX_TOKENIZER_JSON = 64 << 20;
/** Of the largest vocabulary in use, 262,144 tokens with their merges as pairs, there are 1.8 million. */
const MAX_VALUES = 1 << 21;
const DEEPEST = 24;

/** Its text as plain values. @throws SyntaxError when it is not JSON, or more than one can be */
export const tokenizerValues = (text: string): unknown => parseBoundedJson(text, DEEPEST, MAX_VALUES);
