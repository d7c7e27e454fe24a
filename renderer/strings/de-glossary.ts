/** The field's words in German, explained in a sentence or two. */
import type { Strings } from './en.js';

export const glossary: Strings['glossary'] = {
  perplexity: {
    word: 'Perplexität',
    meaning:
      'Zwischen wie vielen Tokens das Modell auf unbekanntem Text im Mittel schwankt. Niedriger ist besser; 1 wäre Gewissheit. Vergleichbar sind nur Modelle, die Text in dieselben Tokens zerlegen.',
  },
  nats_per_character: {
    word: 'Nats pro Zeichen',
    meaning:
      'Wie sehr jedes Zeichen unbekannten Textes das Modell überrascht, in Nats. Niedriger ist besser. Unabhängig davon, wie der Text in Tokens zerlegt wird; so lassen sich beliebige Modelle desselben Textes vergleichen.',
  },
  bits_per_byte: {
    word: 'Bits pro Byte',
    meaning:
      'Wie viele Bits das Modell je Byte unbekannten Textes bräuchte, würde man ihn damit komprimieren. Niedriger ist besser; wie Nats pro Zeichen unabhängig von den Tokens.',
  },
  words_known: {
    word: 'Bekannte Wörter',
    meaning:
      'Anteil der geschriebenen Wörter, die im Trainingstext vorkommen. Der Rest sind Wörter, die das Modell erfunden hat oder, bei einem vortrainierten Ausgangsmodell, schon kannte.',
  },
  loss: {
    word: 'Verlust',
    meaning:
      'Wie sehr das tatsächlich folgende Token das Modell überrascht, in Nats pro Token (engl. loss). Niedriger ist besser; e hoch Verlust ist die Perplexität.',
  },
  reward_loss: {
    word: 'Verlust des Belohnungsmodells',
    meaning:
      'Wie weit seine Antworten vom tatsächlichen natürlichen Anteil einer Passage entfernt sind. Niedriger ist besser; wer immer die Mitte antwortet, hat einen quadratischen Fehler von etwa 0,08.',
  },
  grpo_loss: {
    word: 'GRPO-Verlust',
    meaning:
      'Was eine Aktualisierung minimiert. Er schwankt bauartbedingt um null und sagt nichts über den Fortschritt: maßgeblich sind Belohnung, KL und die Perplexität auf zurückgehaltenem Text.',
  },
  token: {
    word: 'Token',
    meaning: 'Das Stück Text, das ein Modell auf einmal liest und schreibt: ein Zeichen oder ein Teil eines Wortes.',
  },
  natural: { word: 'Natürlich', meaning: 'Unveränderter Text aus dem eigenen Korpus.' },
  generated: { word: 'Generiert', meaning: 'Text, den das Modell geschrieben hat.' },
  crossover: {
    word: 'Übergangspunkt K',
    meaning:
      'Wo eine Passage aufhört, natürlich zu sein: Ihre ersten K Tokens stammen aus dem Text, den Rest hat das Modell geschrieben.',
  },
  reward_model: {
    word: 'Belohnungsmodell',
    meaning:
      'Sagt, wie viel einer Passage natürlich und wie viel generiert ist; daran wird das Geschriebene verbessert.',
  },
  reward: {
    word: 'Belohnung',
    meaning:
      'Wie das Belohnungsmodell eine Fortsetzung bewertet: 100 % heißt „ganz natürlich“, 0 % heißt „ganz generiert“.',
  },
  evidence: {
    word: 'Evidenz',
    meaning:
      'Wie viel wahrscheinlicher der Kritiker ein Token findet als das Modell, das es geschrieben hat, in Nats. Über null klingt es mehr nach dem Text, als das Modell wusste.',
  },
  critic: {
    word: 'Kritiker',
    meaning:
      'Ein stärkeres Sprachmodell desselben Textes. Wo er und der Generator voneinander abweichen, erkennt das Belohnungsmodell, wer eine Passage geschrieben hat.',
  },
  independent_judge: {
    word: 'Unabhängiger Gutachter',
    meaning:
      'Ein größeres Sprachmodell desselben Textes, das nur liest und gegen das nie trainiert wird: Nichts, was das Modell lernt, kann ein Trick sein, um ihm zu gefallen.',
  },
  fresh_discriminator: {
    word: 'Frischer Diskriminator',
    meaning:
      'Ein Detektor, der neu auf den Texten dieses Modells trainiert wird. Je niedriger sein R², desto schwerer sind sie vom eigenen Text zu unterscheiden.',
  },
  nats: {
    word: 'Nats pro Token',
    meaning:
      'Wie sehr jedes Token im Mittel überrascht: 0 ist keine Überraschung, 0,69 mehr heißt doppelt so überraschend.',
  },
  human_rating: {
    word: 'Bewertung',
    meaning:
      'Wie sehr Menschen die Texte einer Version vorziehen, aus allen Antworten zu Paaren (Bradley–Terry mit Unentschieden). 400 Punkte mehr bedeuten zehn zu eins.',
  },
  p_natural: {
    word: 'P(natürlich)',
    meaning:
      'Wie das neueste Belohnungsmodell diese Passagen an ihrem Ende im Mittel bewertet: 100 % heißt „ganz natürlich“, 0 % heißt „ganz generiert“.',
  },
  grpo: {
    word: 'GRPO',
    meaning:
      'Group Relative Policy Optimisation: Zu jedem Prompt schreibt das Modell mehrere Fortsetzungen; die besser bewerteten der Gruppe werden wahrscheinlicher.',
  },
  advantage: {
    word: 'Vorteil',
    meaning:
      'Wie viel besser eine Fortsetzung bewertet wurde als die anderen zum selben Prompt (engl. advantage); über null wird sie wahrscheinlicher.',
  },
  kl: {
    word: 'KL-Divergenz',
    meaning:
      'Wie weit sich das Modell von dem entfernt hat, mit dem dieser Zyklus begann, in Nats pro Token. Jenseits der Grenze endet GRPO.',
  },
  beta: {
    word: 'β',
    meaning:
      'Wie fest das Modell an den Beginn des Zyklus gebunden ist: das Gewicht der KL in jeder Aktualisierung. Mit einem KL-Ziel wird es bei jedem Schritt angepasst.',
  },
  ptx: {
    word: 'Anteil des Vortrainings',
    meaning:
      'Jede Aktualisierung lernt auch aus Passagen des Textes, aus ihren eigenen Tokens oder aus dem, was der Kritiker dort erwartet, damit die Sprache erhalten bleibt; dies ist der Verlust darauf.',
  },
  reward_spread: {
    word: 'Streuung der Belohnung',
    meaning:
      'Standardabweichung der Belohnungen, innerhalb der Gruppen zum selben Prompt und im ganzen Batch. Ohne Streuung gibt es nichts zu lernen.',
  },
  zero_variance: {
    word: 'Gruppen ohne Varianz',
    meaning:
      'Anteil der Gruppen, in denen alle Fortsetzungen dieselbe Belohnung haben: Aus ihnen lernt das Modell nichts.',
  },
  entropy: {
    word: 'Entropie',
    meaning:
      'Wie unentschieden das Modell über das nächste Token ist. Fällt sie schnell, schreibt es immer mehr vom Gleichen.',
  },
  clip_ratio: {
    word: 'Clip-Anteil',
    meaning: 'Anteil der Tokens, deren Aktualisierung begrenzt wurde, weil sie in einem Schritt zu weit ging.',
  },
  r2: {
    word: 'R²',
    meaning:
      'Wie viel der Unterschiede das Belohnungsmodell erklärt: 1 ist vollkommen, 0 nicht besser, als immer den Mittelwert zu nennen.',
  },
  calibration: {
    word: 'Kalibrierung',
    meaning:
      'Ob die Aussage des Belohnungsmodells zutrifft: Von Passagen, die es zu 70 % natürlich nennt, sollten es 70 % sein.',
  },
  tokens_per_second: {
    word: 'Tokens pro Sekunde',
    meaning: 'Wie viel Text dieser Rechner beim Training verarbeitet.',
  },
  tokens_so_far: {
    word: 'Tokens bisher',
    meaning: 'Was die Schritte dieser Phase verarbeitet haben, Prompts eingeschlossen.',
  },
  seconds_per_step: {
    word: 'Zeit je Schritt',
    meaning: 'Wofür sie verbraucht wird: Fortsetzungen schreiben, bewerten und daraus lernen.',
  },
  mfu: {
    word: 'MFU',
    meaning:
      'Model FLOPs Utilisation: der Anteil der gemessenen Spitzenleistung dieses Rechners, den das Training tatsächlich nutzt.',
  },
  learning_rate: { word: 'Lernrate', meaning: 'Wie groß der Schritt jeder Aktualisierung ist.' },
  grad_norm: {
    word: 'Gradientennorm',
    meaning:
      'Wie stark ein Batch auf Änderung drängt. Plötzliche Spitzen sind ein Zeichen für Schwierigkeiten; sie werden gekappt.',
  },
  early_stopping: {
    word: 'Early Stopping',
    meaning:
      'Das Training endet, wenn der Validierungsverlust eine Weile nicht besser geworden ist; das beste Modell bleibt erhalten.',
  },
  distinct_2: {
    word: 'Distinct-2',
    meaning:
      'Anteil verschiedener Paare an allen Paaren benachbarter Tokens: wie abwechslungsreich das Geschriebene ist.',
  },
  distinct_3: {
    word: 'Distinct-3',
    meaning:
      'Anteil verschiedener Tripel an allen Tripeln benachbarter Tokens: wie abwechslungsreich das Geschriebene ist.',
  },
  copied_share: {
    word: 'Kopierter Anteil',
    meaning: 'Anteil des Geschriebenen, der wörtlich im Trainingstext steht.',
  },
  longest_copied: {
    word: 'Längste Kopie',
    meaning: 'Das längste Stück einer Fortsetzung, das wörtlich im Trainingstext steht.',
  },
  repetition: {
    word: 'Längste Wiederholung',
    meaning:
      'Das längste Stück einer Fortsetzung, in dem dasselbe mindestens zweimal hintereinander steht, im Mittel. Steigt der Wert, beginnt der Text sich im Kreis zu drehen.',
  },
  completion_length: {
    word: 'Länge der Fortsetzungen',
    meaning: 'Wie viel nach jedem Prompt im Mittel geschrieben wird.',
  },
  judge_gain: {
    word: 'Gewinn gegenüber dem Basismodell',
    meaning:
      'Um wie viele Nats pro Token der Gutachter die Texte wahrscheinlicher findet als die des ersten Basismodells.',
  },
  temperature: { word: 'Temperatur', meaning: 'Unter 1 wird vorsichtiger geschrieben, über 1 überraschender.' },
  top_p: {
    word: 'Top-p',
    meaning:
      'Nur unter den wahrscheinlichsten Tokens wählen, die zusammen diesen Anteil der Wahrscheinlichkeit haben: 0,9 lässt das unwahrscheinlichste Zehntel weg, 1 nichts.',
  },
  top_k: { word: 'Top-k', meaning: 'Nur unter so vielen der wahrscheinlichsten Tokens wählen.' },
  seed: {
    word: 'Seed',
    meaning: 'Die Zahl, aus der aller Zufall entsteht: Derselbe Seed ergibt wieder denselben Text.',
  },
  bpe: {
    word: 'Wortstücke (BPE)',
    meaning: 'Das Vokabular von GPT-2 mit 50.257 häufigen Buchstabengruppen; gut für große Texte.',
  },
  char: { word: 'Zeichen', meaning: 'Ein Token je Zeichen; gut für kleine Texte und kleine Modelle.' },
};
