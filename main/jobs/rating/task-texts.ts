/** Collects the texts of an exported rating task: its script fills `{done}` and the like. */
import type { Language } from '../../../shared/messages/catalogue.js';
import { documentFormat } from '../../formats/pages/document.js';

/** Keeps a parameter of a text for the page's script. */
const later = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `{${name}}`]));

export function taskTexts(language: Language) {
  const t = documentFormat(language);
  return {
    title: t('rating.title'),
    name: t('ratingTask.name'),
    begin: t('ratingTask.begin'),
    length: t('ratingTask.length', later('questions')),
    stored: t('ratingTask.stored'),
    titles: { pair: t('rating.question.pair'), boundary: t('rating.question.boundary') },
    helps: { pair: t('ratingTask.helps.pair'), boundary: t('ratingTask.helps.boundary') },
    answers: {
      first: t('rating.answers.first'),
      second: t('rating.answers.second'),
      tie: t('rating.answers.tie'),
      both_bad: t('rating.answers.both_bad'),
      never: t('rating.answers.never'),
    },
    confirm: t('rating.boundary.confirm'),
    firstText: t('rating.first'),
    secondText: t('rating.second'),
    passage: t('rating.passage', later('number')),
    rated: t('rating.progress', later('rated', 'total')),
    skip: t('rating.skip'),
    undo: t('rating.undo'),
    download: t('ratingTask.download', later('done')),
    file: t('ratingTask.file'),
    thanks: t('ratingTask.thanks', later('rater')),
    sendBack: t('ratingTask.sendBack'),
  };
}
