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
  /** By how many nats per token it is likelier for the model that has read the text than for the untrained one; 0 if unknown. */
  'voice',
] as const;
export type TasteFeature = (typeof tasteFeatures)[number];

/** What has been understood of a user's choices: more of it is preferred, or less. */
export interface Preference {
  readonly feature: TasteFeature;
  readonly more: boolean;
}
