// The language of a text, by which a starting model is chosen.
import { expect, it } from 'vitest';
import { detectLanguage } from '../../../main/storage/texts/language.js';

/** Article 1 of the Universal Declaration of Human Rights. */
const articles = {
  en: 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.',
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.',
  sw: 'Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri, hivyo yapasa watendeane kindugu.',
  ru: 'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.',
  ar: 'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميرًا وعليهم أن يعامل بعضهم بعضًا بروح الإخاء.',
  hi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।',
  zh: '人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。',
  ja: 'すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。',
};

it.each(Object.entries(articles))('recognizes %s, in a paragraph and in a long text', (language, article) => {
  expect(detectLanguage(article)).toBe(language);
  expect(detectLanguage(`${article}\n`.repeat(200))).toBe(language);
});

it('takes English of another century for English, not for Scots', () => {
  const speech =
    'I will not choose what many men desire, because I will not jump with common spirits and rank me with the barbarous ' +
    'multitudes. Why, then to thee, thou silver treasure-house; tell me once more what title thou dost bear.';
  expect(detectLanguage(speech)).toBe('en');
});

it('names no language for figures, for a mixture, or for next to nothing', () => {
  const mixed = Object.values(articles)
    .map((article) => article.repeat(10))
    .join('\n');
  expect(detectLanguage(mixed)).toBeNull();
  expect(detectLanguage('12:30 14:45 16:00 '.repeat(100))).toBeNull();
  expect(detectLanguage('Oh')).toBeNull();
  expect(detectLanguage('')).toBeNull();
});
