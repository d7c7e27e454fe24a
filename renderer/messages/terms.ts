/** The terms that the glossary explains: every `glossary.*.word` of the catalogue, with a `meaning` next to it. */
import type { MessageCode } from '../../shared/messages/message.js';

export type TermName = MessageCode extends infer Code
  ? Code extends `glossary.${infer Term}.word`
    ? Term
    : never
  : never;
