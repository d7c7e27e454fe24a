/** What a user's choices among continuations can show. Each is a number of a text; more or less of it can be preferred. */
export const tasteFeatures = [
  'sentence_length',
  'word_length',
  'dialogue',
  'questions',
  'exclamations',
  'commas',
  'new_paragraphs',
  'names',
  'repeats',
  'variety',
  'echoes',
  'whole_sentences',
] as const;
export type TasteFeature = (typeof tasteFeatures)[number];

/** What has been understood of a user's choices: more of it is preferred, or less. */
export interface Preference {
  readonly feature: TasteFeature;
  readonly more: boolean;
}
