/** What runs: training, reward data, the trainer, and what happened, as the main process speaks of them, in German. */
import type { Told } from '../../format/told.js';

export const runs: Told = [
  // main/engine/control.ts
  [
    'Stopped between two phases; everything so far is kept.',
    'Zwischen zwei Phasen angehalten; alles bis hierher ist gesichert.',
  ],
  ['Run the same command again to resume from here.', 'Erneut starten: Es geht von hier aus weiter.'],

  // main/engine/cycle/cycle-phase.ts

  // shared/config/removed-settings.ts
  [
    '{} names settings that this version does not have. Ignored: {}.',
    '{} nennt Einstellungen, die es in dieser Version nicht gibt. Ignoriert: {}.',
  ],

  // main/engine/cycle/cycle.ts
  [
    'Waiting after cycle {}: about {} on {} against {} decide whether there is another cycle.',
    'Warten nach Zyklus {}: Etwa {} zu {} gegen {} entscheiden, ob es einen weiteren Zyklus gibt.',
  ],
  ['more vote', 'weitere Stimme'],
  [
    'Stopped after cycle {}: held-out perplexity has not fallen by more than chance.',
    'Nach Zyklus {} beendet: Die Perplexität auf zurückgehaltenem Text ist nicht um mehr als Zufall gefallen.',
  ],
  [
    'Stopped after cycle {}: held-out perplexity has not improved for {} cycle(s).',
    'Nach Zyklus {} beendet: Die Perplexität auf zurückgehaltenem Text hat sich seit {} Zyklen nicht verbessert.',
  ],
  [
    'Stopped after cycle {}: the reward has not risen by more than chance.',
    'Nach Zyklus {} beendet: Die Belohnung ist nicht um mehr als Zufall gestiegen.',
  ],
  [
    'Stopped after cycle {}: people do not find its writing better than what was before.',
    'Nach Zyklus {} beendet: Menschen finden das Geschriebene nicht besser als das davor.',
  ],
  [
    'Stopped before GRPO of cycle {}: the generator has caught up with its critic. {}',
    'Vor GRPO in Zyklus {} beendet: Der Generator hat seinen Kritiker eingeholt. {}',
  ],

  // main/engine/cycle/judgement.ts
  ['reading with the judge', 'liest mit dem Gutachter'],

  // main/engine/generate/generate.ts
  ['A prompt must have at least one token.', 'Ein Prompt braucht mindestens ein Token.'],
  ['Give a prompt of one character or more.', 'Einen Prompt mit mindestens einem Zeichen angeben.'],

  // main/engine/grpo/grpo-state.ts
  [
    'GRPO stopped at step {}: the model moved {} nats per token from where the cycle began, past the cap of {}. The last weights below the cap are kept.',
    'GRPO endete bei Schritt {}: Das Modell hat sich {} Nats pro Token von seinem Anfang im Zyklus entfernt, mehr als die Grenze von {}. Die letzten Gewichte unterhalb der Grenze sind gesichert.',
  ],
  [
    'GRPO stopped at step {}: the mean reward reached {}.',
    'GRPO endete bei Schritt {}: Die mittlere Belohnung erreichte {}.',
  ],
  [
    'GRPO stopped at step {}: the reward has not risen for {} steps.',
    'GRPO endete bei Schritt {}: Die Belohnung ist seit {} Schritten nicht gestiegen.',
  ],
  ['GRPO ended at step {}, as asked.', 'GRPO endete wie gewünscht bei Schritt {}.'],
  ['GRPO ran all of its {} steps.', 'GRPO hat alle {} Schritte gemacht.'],

  // main/engine/grpo/grpo-step.ts
  ['The rewards are not finite. {}', 'Die Belohnungen sind keine endlichen Zahlen. {}'],

  // main/engine/grpo/grpo.ts
  ['reward {}%, KL {}', 'Belohnung {} %, KL {}'],
  ['reward {}, KL {}', 'Belohnung {}, KL {}'],

  // main/engine/grpo/reward-evaluation.ts
  ['judging what is written on held-out prompts', 'bewertet, was zu zurückgehaltenen Prompts geschrieben wird'],

  // main/engine/model/precision.ts
  [
    'Matrix products use bfloat16: a model of this width trains in about half the time with it here (--precision f32 does without).',
    'Matrixprodukte rechnen in bfloat16: Ein Modell dieser Breite trainiert damit hier in etwa der halben Zeit (die Genauigkeit f32 rechnet ohne).',
  ],

  // main/engine/reward/reward-data.ts
  [
    'The training text has {} tokens, less than one chunk of {}.',
    'Der Trainingstext hat {} Tokens, weniger als einen Abschnitt von {}.',
  ],
  [
    'The {} text has {} tokens, less than one chunk of {}.',
    'Der Text ({}) hat {} Tokens, weniger als einen Abschnitt von {}.',
  ],
  [
    'Use a longer text, a smaller {}, or another {}.',
    'Einen längeren Text, ein kleineres {} oder ein anderes {} nehmen.',
  ],
  ['training samples', 'Beispiele zum Trainieren'],
  ['validation samples', 'Beispiele zum Validieren'],
  [
    '{} of {} samples were left out: on their text the model’s numbers are not finite.',
    '{} von {} Beispielen wurden ausgelassen: Zu ihrem Text liefert das Modell keine endlichen Zahlen.',
  ],
  ['Stopped after {} samples of reward data.', 'Nach {} Beispielen der Belohnungsdaten angehalten.'],
  ['Run the same command again: it resumes there.', 'Erneut starten: Es geht dort weiter.'],
  [
    'Generation failed for {} of {} samples: the model’s numbers are not finite',
    'Bei {} von {} Beispielen ist das Schreiben misslungen: Das Modell liefert keine endlichen Zahlen',
  ],
  [
    'The model is damaged, or its training went wrong: check it with sample, use another copy, or train it again with a smaller learning_rate.',
    'Das Modell ist beschädigt, oder sein Training ist misslungen: mit „Schreiben“ ansehen, eine andere Kopie nehmen oder mit kleinerer Lernrate neu trainieren.',
  ],

  // main/engine/reward/reward-quality.ts
  ['Split consistency', 'Aufteilung stimmt'],
  ['There are no samples', 'Es gibt keine Beispiele'],
  ['{} train, {} validation', '{} zum Trainieren, {} zum Validieren'],
  ['{}, but train_split was {}', '{}, aber train_split war {}'],
  ['Generation quality', 'Güte des Geschriebenen'],
  ['The samples are too short to judge', 'Die Beispiele sind zu kurz, um sie zu beurteilen'],
  ['generated text has distinct-2 {}, natural {}', 'Geschriebenes hat Distinct-2 {}, natürlicher Text {}'],
  ['longest repetition {} and {} tokens', 'längste Wiederholung {} und {} Tokens'],
  [
    'the model repeats itself; a higher temperature or more training helps',
    'das Modell wiederholt sich; eine höhere Temperatur oder mehr Training hilft',
  ],

  // main/engine/reward/reward-report.ts
  ['R² is not defined here', 'R² ist hier nicht definiert'],
  ['R² {}, 95% interval {} to {}', 'R² {}, 95-%-Intervall {} bis {}'],
  [
    'The reward model cannot tell natural from generated text here ({}). GRPO would follow noise.',
    'Das Belohnungsmodell kann hier Natürliches nicht von Geschriebenem unterscheiden ({}). GRPO würde Rauschen folgen.',
  ],
  [
    'The reward model can tell natural from generated text {} ({}; 0 is guessing, 1 is perfect).',
    'Das Belohnungsmodell kann Natürliches {} von Geschriebenem unterscheiden ({}; 0 heißt raten, 1 ist vollkommen).',
  ],
  [
    'The reward model can tell natural from generated text well ({}; 0 is guessing, 1 is perfect).',
    'Das Belohnungsmodell kann Natürliches gut von Geschriebenem unterscheiden ({}; 0 heißt raten, 1 ist vollkommen).',
  ],
  ['to some degree', 'bis zu einem gewissen Grad'],

  // main/engine/reward/reward.ts
  ['reading what the generator wrote', 'liest, was der Generator geschrieben hat'],
  ['loss {}', 'Verlust {}'],

  // main/engine/runtime/errors.ts
  ['{} cannot be compiled at {}: {}', '{} lässt sich bei {} nicht übersetzen: {}'],

  // main/engine/runtime/native.ts
  ['TensorFlow finds no CUDA device.', 'TensorFlow findet kein CUDA-Gerät.'],
  [
    'Run `npm run setup -- --gpu` on a machine with an NVIDIA GPU and driver, or choose {}.',
    'Auf einem Rechner mit NVIDIA-Grafikkarte und Treiber `npm run setup -- --gpu` ausführen, oder {} wählen.',
  ],
  [
    'CUDA needs TensorFlow, which is not installed or does not load.',
    'CUDA braucht TensorFlow, das nicht installiert ist oder sich nicht laden lässt.',
  ],
  ['Run `npm run setup -- --gpu`, or choose {}.', '`npm run setup -- --gpu` ausführen, oder {} wählen.'],
  ['TensorFlow is not installed', 'TensorFlow ist nicht installiert'],
  ['TensorFlow does not load{}', 'TensorFlow lässt sich nicht laden{}'],
  [
    'There is no bfloat16 here: the processor has no instructions for it (AVX512_BF16, AMX), or it is turned off.',
    'Hier gibt es kein bfloat16: Dem Prozessor fehlen die Befehle dafür (AVX512_BF16, AMX), oder es ist ausgeschaltet.',
  ],
  ['Leave {} out, or choose {}: it is faster here.', '{} weglassen oder {} wählen: Das ist hier schneller.'],

  // main/engine/train/begin-from.ts
  [
    'block_size is {}, but the model to begin from has positions for {} tokens',
    'block_size ist {}, aber das Ausgangsmodell hat Positionen für {} Tokens',
  ],
  ['Use --block_size {} or less.', 'Höchstens --block_size {} verwenden.'],

  // main/engine/train/dataset.ts
  ['The {} has {} tokens; a {} of {} needs at least {}', '{} hat {} Tokens; ein {} von {} braucht mindestens {}'],

  // main/engine/train/divergence.ts
  [
    'The first tensor that went wrong is {}: it holds values that are not finite.',
    'Der erste fehlerhafte Tensor ist {}: Er enthält Werte, die keine endlichen Zahlen sind.',
  ],
  [
    'All weights were finite when last looked at, and then the scores of the text overflowed. The largest weights, up to {}, were in {}.',
    'Alle Gewichte waren bei der letzten Prüfung endlich, dann liefen die Bewertungen des Textes über. Die größten Gewichte, bis zu {}, waren in {}.',
  ],
  [
    'Every gradient is finite, but together they are too large for their length to be.',
    'Jeder Gradient ist endlich, aber zusammen sind sie so groß, dass ihre Länge es nicht ist.',
  ],
  ['The loss is finite, but its gradient is not.', 'Der Verlust ist endlich, sein Gradient nicht.'],
  ['The first tensor that went wrong is the gradient of {}.', 'Der erste fehlerhafte Tensor ist der Gradient von {}.'],
  [
    'A smaller learning rate or a longer warm-up usually helps.',
    'Meist hilft eine kleinere Lernrate oder ein längeres Aufwärmen.',
  ],
  [
    'A smaller learning rate for the reward model usually helps.',
    'Meist hilft eine kleinere Lernrate für das Belohnungsmodell.',
  ],
  ['A smaller learning rate for GRPO usually helps.', 'Meist hilft eine kleinere Lernrate für GRPO.'],
  ['The last good checkpoint is kept.', 'Der letzte gute Checkpoint ist gesichert.'],

  // shared/config/suited-dropout.ts
  [
    'Training goes through this text {} times, so it uses a dropout of {} against learning it by heart.',
    'Das Training geht {}-mal durch diesen Text und nutzt deshalb ein Dropout von {}, damit es ihn nicht auswendig lernt.',
  ],

  // main/engine/train/minutes.ts
  ['{} {} {} steps here.', '{} {} hier {} Schritte.'],
  ['minute is', 'Minute sind'],
  ['minutes are', 'Minuten sind'],

  // main/engine/train/perplexity.ts
  ['held-out text', 'Der zurückgehaltene Text'],
  [
    'Stopped while the model was measured on held-out text.',
    'Angehalten, während das Modell auf zurückgehaltenem Text gemessen wurde.',
  ],
  ['Run the same command again: the measurement begins again.', 'Erneut starten: Die Messung beginnt von vorn.'],

  // main/engine/train/phase.ts
  ['Stopped at step {}, with a checkpoint.', 'Bei Schritt {} angehalten, mit einem Checkpoint.'],

  // main/engine/train/train.ts
  ['training text', 'Der Trainingstext'],
  [
    'Stopped early at step {}: the held-out loss has not improved by {} in {} evaluations.',
    'Bei Schritt {} vorzeitig beendet: Der Verlust auf zurückgehaltenem Text hat sich in {2} Auswertungen nicht um {1} verbessert.',
  ],
  [
    'Took all of its {} steps; the model of step {}, which had the lowest held-out loss, is kept.',
    'Alle {} Schritte gemacht; gesichert ist das Modell von Schritt {} mit dem kleinsten Verlust auf zurückgehaltenem Text.',
  ],

  // main/formats/reward-dataset.ts
  ['the line {} is not "key: value"', 'die Zeile {} ist nicht „key: value“'],
  ['{} must be a whole number from {}, not {}', '{} muss eine ganze Zahl ab {} sein, nicht {}'],
  ['{} is {}, expected {}', '{} ist {}, erwartet war {}'],
  ['tokenization_method is {}', 'tokenization_method ist {}'],
  [
    '{} has format_version {}; this Verisim reads up to {}',
    '{} hat die format_version {}; dieses Verisim liest bis {}',
  ],
  [
    'It was made by a newer Verisim: use that one, or make the dataset again.',
    'Ein neueres Verisim hat ihn erzeugt: dieses verwenden oder den Datensatz neu erzeugen.',
  ],
  ["{} is not a reward dataset's metadata: {}", '{} sind keine Metadaten eines Belohnungsdatensatzes: {}'],
  ['Make the dataset again with prepare_reward_data.', 'Den Datensatz mit prepare_reward_data neu erzeugen.'],
  [
    'Make the dataset again with --tokenization {}, or use the model and the dataset that belong together.',
    'Den Datensatz mit --tokenization {} neu erzeugen oder Modell und Datensatz verwenden, die zusammengehören.',
  ],
  [
    "Tokenization method mismatch: dataset uses '{}' but expected '{}'",
    'Die Tokenisierung passt nicht: Der Datensatz verwendet „{}“, erwartet war „{}“',
  ],
  [
    'Vocabulary size mismatch: dataset uses {} but expected {}',
    'Die Größe des Vokabulars passt nicht: Der Datensatz hat {}, erwartet waren {}',
  ],
  [
    'Block size mismatch: dataset uses {} but expected {}',
    'Die Kontextlänge passt nicht: Der Datensatz hat {}, erwartet waren {}',
  ],
  [
    'Make the dataset again with this model, or use the model that it was made with.',
    'Den Datensatz mit diesem Modell neu erzeugen oder das Modell verwenden, mit dem er erzeugt wurde.',
  ],
  [
    '{}: sample {} has the target [{}], which is not a pair of probabilities that sum to 1',
    '{}: Beispiel {} hat das Ziel [{}], das kein Paar von Wahrscheinlichkeiten mit der Summe 1 ist',
  ],
  [
    'The file was damaged or is of another kind; make the dataset again with prepare_reward_data.',
    'Die Datei ist beschädigt oder von anderer Art; den Datensatz mit prepare_reward_data neu erzeugen.',
  ],

  // main/jobs/changes.ts
  ['what runs now', 'was jetzt läuft'],
  ['Try again once the next phase has begun.', 'Es erneut versuchen, wenn die nächste Phase begonnen hat.'],
  [
    'What was asked for {} came too late: that was already over.',
    'Was für {} gewünscht war, kam zu spät: Das war schon vorbei.',
  ],
  ['From step {} of {} on: {}.', 'Ab Schritt {} ({}): {}.'],
  ['made longer', 'verlängert werden'],
  ['There will be {} cycles.', 'Es wird {} Zyklen geben.'],
  ['{} more steps', '{} weitere Schritte'],
  ['the phase ends here, as asked', 'die Phase endet hier, wie gewünscht'],

  // main/jobs/machine/runtime.ts
  [
    'Preparing: compiling the model for this machine, about {} s the first time',
    'Vorbereitung: Das Modell wird für diesen Rechner übersetzt, beim ersten Mal etwa {} s',
  ],

  // main/jobs/run/checkpoints.ts
  [
    'Rows of the metrics are lost: {}. Training resumes from its checkpoint.',
    'Messwerte sind verloren: {}. Das Training geht von seinem Checkpoint aus weiter.',
  ],

  // main/jobs/run/given-settings.ts
  ['The settings are not complete', 'Die Einstellungen sind nicht vollständig'],
  ['Fix them first.', 'Sie zuerst berichtigen.'],

  // main/jobs/run/run-folder.ts
  [
    '{} holds the result of this very run; --overwrite begins again.',
    '{} enthält das Ergebnis genau dieses Laufs; --overwrite beginnt von vorn.',
  ],
  ['{} holds {}, but not as a run of Verisim', '{} enthält {}, aber nicht als Lauf von Verisim'],
  ['Give another folder, or move these away first.', 'Einen anderen Ordner angeben oder diese zuerst wegräumen.'],

  // main/jobs/run/run-record.ts
  ['{} is not a run of this Verisim', '{} ist kein Lauf dieses Verisim'],
  [
    'Give another folder, or begin again with --overwrite.',
    'Einen anderen Ordner angeben oder mit --overwrite von vorn beginnen.',
  ],
  ['it is a run of {}', 'es ist ein Lauf von {}'],
  ['{} is {} there, {} now', '{} ist dort {}, jetzt {}'],
  ['{} has changed since', '{} hat sich seitdem geändert'],
  ['{} holds another run: {}', '{} enthält einen anderen Lauf: {}'],
  [
    'Give another folder, begin again with --overwrite, or use the settings of that run to resume it.',
    'Einen anderen Ordner angeben, mit --overwrite von vorn beginnen oder mit den Einstellungen dieses Laufs fortsetzen.',
  ],
  ['{} bytes, {}', '{} Byte, {}'],

  // main/jobs/run/run-store.ts
  [
    'Since this run was last worked on, {}. It resumes, but running it anew need not give the same bytes.',
    'Seit zuletzt an diesem Lauf gearbeitet wurde: {}. Er geht weiter, aber ein neuer Lauf ergibt nicht unbedingt dieselben Bytes.',
  ],

  // main/storage/datasets/reward-dataset-files.ts
  ['{} pairs of float32', '{} Paare von float32'],
  ['{} × {} uint{}', '{} × {} uint{}'],
  ['Reward dataset file not found: {}', 'Datei des Belohnungsdatensatzes nicht gefunden: {}'],
  ['Reward dataset not found: {}', 'Belohnungsdatensatz nicht gefunden: {}'],
  [
    'Check the path, or make the dataset with prepare_reward_data.',
    'Den Pfad prüfen oder den Datensatz mit prepare_reward_data erzeugen.',
  ],
  ['{} has {} bytes; its metadata promises {} ({})', '{} hat {} Byte; die Metadaten versprechen {} ({})'],
  [
    'The file was cut short or belongs to another dataset; make the dataset again with prepare_reward_data.',
    'Die Datei ist abgeschnitten oder gehört zu einem anderen Datensatz; ihn mit prepare_reward_data neu erzeugen.',
  ],

  // main/storage/datasets/reward-dataset-writer.ts
  [
    '{} was begun with other settings and is not finished: {}',
    '{} wurde mit anderen Einstellungen begonnen und ist nicht fertig: {}',
  ],
  [
    'Use those settings to resume it, begin again with --overwrite, or choose another folder with --output_dir.',
    'Mit jenen Einstellungen fortsetzen, mit --overwrite von vorn beginnen oder einen anderen Ordner wählen.',
  ],
  ['{} holds something other than a reward dataset: {}', '{} enthält etwas anderes als einen Belohnungsdatensatz: {}'],
  [
    'Choose another folder: with --overwrite it would be deleted first.',
    'Einen anderen Ordner wählen: Mit --overwrite würde es zuerst gelöscht.',
  ],
  ['{} holds what this run is to read: {}', '{} enthält, was dieser Lauf lesen soll: {}'],
  [
    'Choose another folder with --output_dir; this one is not touched.',
    'Einen anderen Ordner wählen; dieser wird nicht angerührt.',
  ],
  ['There is a reward dataset already: {}', 'Es gibt schon einen Belohnungsdatensatz: {}'],
  [
    'Choose another folder with --output_dir, or replace this one with --overwrite.',
    'Einen anderen Ordner wählen oder diesen mit --overwrite ersetzen.',
  ],
  [
    '{} holds something other than unfinished reward data: {}',
    '{} enthält etwas anderes als unfertige Belohnungsdaten: {}',
  ],
  ['Move it away, or choose another folder with --output_dir.', 'Es wegräumen oder einen anderen Ordner wählen.'],

  // main/supervisor/connection.ts
  ['it is of another version', 'er hat eine andere Version'],
  ['it has ended', 'er ist beendet'],
  ['The trainer did not answer any more and was ended.', 'Der Trainer antwortete nicht mehr und wurde beendet.'],
  ['The trainer ended unexpectedly ({}).', 'Der Trainer endete unerwartet ({}).'],
  [
    'Try again. If it happens again, report it with “Copy diagnostics” from the settings.',
    'Es erneut versuchen. Geschieht es wieder, mit „Diagnosedaten kopieren“ aus den Einstellungen melden.',
  ],

  // main/supervisor/index.ts
  [
    'Verisim was closed: it stops here with a checkpoint.',
    'Verisim wurde geschlossen: Hier wird mit einem Checkpoint angehalten.',
  ],
  [
    'The computer’s clock was set back. Nothing depends on it.',
    'Die Uhr des Rechners wurde zurückgestellt. Davon hängt nichts ab.',
  ],
  ['{} minutes', '{} Minuten'],
  ['a moment', 'einen Augenblick'],
  [
    'The computer slept for {}; the run continues where it was.',
    'Der Rechner schlief {}; der Lauf geht dort weiter, wo er war.',
  ],
  ['{} is not running', '{} läuft nicht'],
  ['Start it first.', 'Es zuerst starten.'],

  // main/supervisor/run.ts
  ['The trainer did not answer any more', 'Der Trainer antwortete nicht mehr'],
  ['The trainer ended unexpectedly ({})', 'Der Trainer endete unerwartet ({})'],
  ['{}; it resumes from its last checkpoint.', '{}; es geht von seinem letzten Checkpoint aus weiter.'],
  [
    '{}, {} times without getting as far as the next checkpoint.',
    '{}, {}-mal, ohne bis zum nächsten Checkpoint zu kommen.',
  ],
  [
    'Everything up to the last checkpoint is kept. If memory was short, close other programs or use a smaller batch; then start it again.',
    'Alles bis zum letzten Checkpoint ist gesichert. Fehlte Arbeitsspeicher, andere Programme schließen oder eine kleinere Batch-Größe wählen; dann erneut starten.',
  ],
  ['The trainer is being started again.', 'Der Trainer wird gerade neu gestartet.'],
  ['Try again in a moment.', 'Gleich noch einmal versuchen.'],

  // main/supervisor/trainer-process.ts
  ['exit code {}', 'Exit-Code {}'],

  // main/trainer/calls.ts
  ['not what was expected', 'nicht wie erwartet'],
  ['Check this value.', 'Diesen Wert prüfen.'],

  // main/trainer/steering.ts, main/trainer/pauses.ts
  ['Stopped, as asked.', 'Angehalten, wie gewünscht.'],
  ['It will stop after this phase, as asked.', 'Es wird wie gewünscht nach dieser Phase angehalten.'],
  ['There is room on the disk again.', 'Auf der Festplatte ist wieder Platz.'],
  ['The project is only being opened.', 'Das Projekt wird gerade erst geöffnet.'],
  ['Try again in a moment, when it runs.', 'Gleich noch einmal versuchen, wenn es läuft.'],

  // main/trainer/serve.ts
  ['The trainer does not understand this message', 'Der Trainer versteht diese Nachricht nicht'],
  [
    'Restart Verisim: parts of two versions may be running together.',
    'Verisim neu starten: Vielleicht laufen Teile zweier Versionen zusammen.',
  ],
  ['This trainer is at work on {}', 'Dieser Trainer arbeitet an {}'],
  ['Nothing runs here', 'Hier läuft nichts'],
  ['Start the project first.', 'Zuerst das Projekt starten.'],

  // main/trainer/watches.ts
  [
    'Paused: the disk of {} has only {} free, and the next checkpoint may need {}. Free some space: it resumes by itself then.',
    'Pausiert: Auf der Festplatte von {} sind nur {} frei, und der nächste Checkpoint kann {} brauchen. Platz schaffen: Dann geht es von selbst weiter.',
  ],

  // main/engine/cycle/cycle.ts, counted
  ['{} more votes', '{} weitere Stimmen'],
  ['{} more vote', '{} weitere Stimme'],
];
