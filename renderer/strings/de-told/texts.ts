/** Texts, what they are read from and the tokens they become, as the main process speaks of them, in German. */
import type { Told } from '../../format/told.js';

export const texts: Told = [
  // Why files of a folder are left out
  ['{}. Read from {}, {} file: {}. Not read: {}.', '{}. Gelesen aus {}, {} Datei: {}. Nicht gelesen: {}.'],
  ['{}. Read from {}, {} files: {}. Not read: {}.', '{}. Gelesen aus {}, {} Dateien: {}. Nicht gelesen: {}.'],
  ['{}. Read from {}, {} file: {}.', '{}. Gelesen aus {}, {} Datei: {}.'],
  ['{}. Read from {}, {} files: {}.', '{}. Gelesen aus {}, {} Dateien: {}.'],
  ['Read from {}, {} file: {}. Not read: {}.', 'Gelesen aus {}, {} Datei: {}. Nicht gelesen: {}.'],
  ['Read from {}, {} files: {}. Not read: {}.', 'Gelesen aus {}, {} Dateien: {}. Nicht gelesen: {}.'],
  ['Read from {}, {} file: {}.', 'Gelesen aus {}, {} Datei: {}.'],
  ['Read from {}, {} files: {}.', 'Gelesen aus {}, {} Dateien: {}.'],
  ['{} files: {}', '{} Dateien: {}'],
  ['plain text, {}', 'reiner Text, {}'],
  ['hidden', 'versteckt'],
  ['more than {} folders deep', 'mehr als {} Ordner tief'],
  ['not an ordinary file', 'keine gewöhnliche Datei'],
  ['not a kind of text that is read', 'keine Art von Text, die gelesen wird'],
  ['a link out of the folder', 'eine Verknüpfung aus dem Ordner hinaus'],
  ['a link to what is in the folder', 'eine Verknüpfung auf etwas im Ordner'],
  ['a link to nothing', 'eine Verknüpfung ins Leere'],
  ['cannot be read', 'nicht lesbar'],
  ['empty', 'leer'],
  ['larger than {} bytes', 'größer als {} Byte'],
  ['{} holds more than {} files and folders', '{} enthält mehr als {} Dateien und Ordner'],
  ['The folder {} holds no text', 'Der Ordner {} enthält keinen Text'],
  [
    'Put texts there, such as .txt or .md files, or name a text file. Not read: {}.',
    'Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben. Nicht gelesen: {}.',
  ],
  [
    'Put texts there, such as .txt or .md files, or name a text file.',
    'Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben.',
  ],

  // Documents
  [
    'It was cut short, damaged or protected; use another copy, or save it as plain text (UTF-8).',
    'Sie ist abgeschnitten, beschädigt oder geschützt; eine andere Kopie nehmen oder als reinen Text (UTF-8) speichern.',
  ],
  ['it is protected by a password', 'es ist durch ein Passwort geschützt'],
  [
    'it is protected: whoever made it does not allow its text to be taken out',
    'es ist geschützt: Wer es gemacht hat, erlaubt nicht, den Text zu entnehmen',
  ],
  ['it would have more than {} pages', 'es hätte mehr als {} Seiten'],
  ['page {} would have more than {} characters', 'Seite {} hätte mehr als {} Zeichen'],
  [
    'its letters stand in a table that is not known here ({})',
    'seine Buchstaben stehen in einer Tabelle, die hier nicht bekannt ist ({})',
  ],
  [
    '{}% of its characters have no letter, as its fonts do not say which they are',
    '{} % seiner Zeichen haben keinen Buchstaben, da die Schriften nicht sagen, welche es sind',
  ],
  [
    '{} holds no text: its pages ({}) are pictures, as a scanner makes them',
    '{} enthält keinen Text: Die Seiten ({}) sind Bilder, wie ein Scanner sie macht',
  ],
  [
    'holds no text: its pages ({}) are pictures, as a scanner makes them',
    'enthält keinen Text: Die Seiten ({}) sind Bilder, wie ein Scanner sie macht',
  ],
  [
    'Have its text recognised first (OCR), or name a document with text in it.',
    'Den Text zuerst erkennen lassen (OCR) oder ein Dokument mit Text angeben.',
  ],
  ['{} cannot be read as a page: {}', '{} lässt sich nicht als Seite lesen: {}'],

  // What is found in a text, and which tokens suit it
  [
    'One split would have about {} token; {} {} needs at least {}',
    'Ein Teil hätte etwa {} Token; {} {} braucht mindestens {}',
  ],
  [
    'One split would have about {} tokens; {} {} needs at least {}',
    'Ein Teil hätte etwa {} Tokens; {} {} braucht mindestens {}',
  ],
  ['Use a longer text or a smaller {}.', 'Einen längeren Text nehmen, oder ein kleineres {}.'],
  [
    'The text has only {} character: a model will learn it by heart rather than learn to write',
    'Der Text hat nur {} Zeichen: Ein Modell wird ihn eher auswendig lernen als schreiben lernen',
  ],
  [
    'The text has only {} characters: a model will learn it by heart rather than learn to write',
    'Der Text hat nur {} Zeichen: Ein Modell wird ihn eher auswendig lernen als schreiben lernen',
  ],
  ['A few hundred thousand are a good beginning.', 'Einige hunderttausend sind ein guter Anfang.'],
  ['{}% of this text is repeated', '{} % dieses Textes wiederholen sich'],
  ['Duplicates make test results look too good.', 'Doppeltes lässt Testergebnisse zu gut aussehen.'],
  [
    'char, because {} characters are too few to learn longer pieces from',
    'Zeichen, denn {} Zeichen sind zu wenige, um längere Stücke daraus zu lernen',
  ],

  // main/engine/cycle/preview.ts
  [
    'One split would have about {} {}; {} {} needs at least {}',
    'Ein Teil hätte etwa {} {}; {} {} braucht mindestens {}',
  ],
  [
    'The text has only {} {}: a model will learn it by heart rather than learn to write',
    'Der Text hat nur {} {}: Ein Modell wird ihn eher auswendig lernen als schreiben lernen',
  ],

  // main/engine/tokenizer/bpe.ts
  [
    'The text has {} characters without a single break between words, numbers and punctuation; bpe tokenization takes at most {}',
    'Der Text hat {} Zeichen ohne eine einzige Grenze zwischen Wörtern, Zahlen und Satzzeichen; Wortstücke (bpe) fassen höchstens {}',
  ],
  [
    'Check that this is ordinary text, or use char tokenization.',
    'Prüfen, ob das gewöhnlicher Text ist, oder Zeichen als Tokens nehmen.',
  ],

  // main/engine/tokenizer/char.ts
  [
    'The text has {} different characters; at most {} can be told apart',
    'Der Text hat {} verschiedene Zeichen; höchstens {} lassen sich unterscheiden',
  ],
  [
    'This is probably not ordinary text. Check the file, or use bpe tokenization, which has no such limit.',
    'Das ist wohl kein gewöhnlicher Text. Die Datei prüfen oder Wortstücke (bpe) nehmen, die keine solche Grenze haben.',
  ],
  [
    'The character {} is not in the vocabulary: line {}, column {} (character {} of the text, counted from 0)',
    'Das Zeichen {} ist nicht im Vokabular: Zeile {}, Spalte {} (Zeichen {} des Textes, von 0 an gezählt)',
  ],
  [
    'Take it out of the text, use the meta.pkl that was made from this text, or leave meta.pkl out so that a vocabulary is made (a model trained on the old one will not fit it); bpe tokenization knows every character.',
    'Es aus dem Text nehmen, die meta.pkl dieses Textes verwenden oder meta.pkl weglassen, sodass ein Vokabular entsteht (ein mit dem alten trainiertes Modell passt dann nicht dazu); Wortstücke (bpe) kennen jedes Zeichen.',
  ],

  // main/engine/tokenizer/detect.ts
  [', with {}', ', mit {}'],
  ['{}, because {}', '{}, denn {}'],

  // main/jobs/text.ts
  [
    'The model does not say which characters it was trained with.',
    'Das Modell sagt nicht, mit welchen Zeichen es trainiert wurde.',
  ],
  [
    'Put the meta.pkl of the text it was trained on beside it, or use another copy of it.',
    'Die meta.pkl des Textes danebenlegen, mit dem es trainiert wurde, oder eine andere Kopie verwenden.',
  ],
  ['{} ({} files)', '{} ({} Dateien)'],
  ['Preparing the text: {}', 'Text wird vorbereitet: {}'],
  [
    'Text prepared: {} tokens to train on, {} held out ({}; {})',
    'Text vorbereitet: {} Tokens zum Trainieren, {} zurückgehalten ({}; {})',
  ],
  ["the model was trained with '{}' but '{}' was asked for", 'das Modell wurde mit „{}“ trainiert, gewünscht war „{}“'],
  [
    "{} is required when {} is 'char' and the model does not list its characters",
    '{} ist nötig, wenn {} „char“ ist und das Modell seine Zeichen nicht nennt',
  ],
  [
    'Give {} the meta.pkl of the text the model was trained on, or put that file beside the model.',
    'Für {} die meta.pkl des Textes angeben, mit dem das Modell trainiert wurde, oder diese Datei neben das Modell legen.',
  ],
  ["dataset uses '{}' but the model expects '{}'", 'der Datensatz verwendet „{}“, das Modell erwartet „{}“'],
  [
    'the text has a vocabulary of {}, the model one of {}',
    'der Text hat ein Vokabular von {}, das Modell eines von {}',
  ],
  ['token {} is {} in the text and {} in the model', 'das Token {} ist im Text {} und im Modell {}'],
  ['Tokenization method mismatch: {}', 'Die Tokenisierung passt nicht: {}'],
  [
    'Use the text and the meta.pkl or tokenizer.json that the model was trained with, or leave {}, {} and {} out so that the model decides.',
    'Text und meta.pkl oder tokenizer.json verwenden, mit denen das Modell trainiert wurde, oder {}, {} und {} weglassen, sodass das Modell entscheidet.',
  ],

  // main/storage/datasets/binary-data.ts
  ['token files', 'Token-Dateien'],

  // main/storage/datasets/prepare-text.ts
  ["in a pretrained model's tokens", 'in den Tokens eines vortrainierten Modells'],
  ['the token files', 'die Token-Dateien'],
  ['{} of the tokens that the critic knows', '{} der Tokens, die der Kritiker kennt'],
  ['{} changed while it was being read', '{} wurde während des Lesens verändert'],
  [
    'Wait until nothing writes to it any more, and try again.',
    'Warten, bis nichts mehr hineinschreibt, und es erneut versuchen.',
  ],
  [
    'Stopped while preparing the text; nothing was written',
    'Beim Vorbereiten des Textes angehalten; nichts wurde geschrieben',
  ],
  ['Run the same command again to prepare it.', 'Erneut starten, um ihn vorzubereiten.'],
  ['{} is empty', '{} ist leer'],
  [
    'Name a file with some text in it; a few hundred kilobytes is a good beginning.',
    'Eine Datei mit etwas Text angeben; einige hundert Kilobyte sind ein guter Anfang.',
  ],
  ['{} holds nothing but the character {}, {} times', '{} enthält nichts als das Zeichen {}, {}-mal'],
  [
    'There is nothing to learn from it; name a file with ordinary text.',
    'Daraus lässt sich nichts lernen; eine Datei mit gewöhnlichem Text angeben.',
  ],
  ['The text has {} characters, so a {} of {} leaves {}', 'Der Text hat {} Zeichen; ein {} von {} lässt {}'],
  ['nothing to train on', 'nichts zum Trainieren'],
  ['nothing held out', 'nichts zum Zurückhalten'],
  ['Use a longer text, or another {}.', 'Einen längeren Text oder ein anderes {} nehmen.'],
  [
    '{} says that the data beside it is {}, but {} tokens were to be written there',
    '{} sagt, die Daten daneben seien {}, aber es sollten {}-Tokens dort entstehen',
  ],
  [
    'Choose another folder, or remove this {} if it is not needed any more.',
    'Einen anderen Ordner wählen oder {} entfernen, falls nicht mehr gebraucht.',
  ],

  // main/jobs/critic-tokens.ts, main/storage/datasets/shared-tokens.ts
  ['The text is cut into tokens that {} does not have{}', 'Der Text ist in Tokens zerlegt, die {} nicht hat{}'],
  [', such as {}', ', etwa {}'],
  [
    'Give {} a model with the tokens of the one that the project begins from: a larger one of the same family, such as SmolLM2-360M for SmolLM2-135M.',
    'Für {} ein Modell mit den Tokens jenes Modells angeben, von dem das Projekt beginnt: ein größeres derselben Familie, etwa SmolLM2-360M für SmolLM2-135M.',
  ],
  [
    'Use {} shared, which cuts it into tokens of that model.',
    '{} shared verwenden: Das zerlegt ihn in Tokens dieses Modells.',
  ],
  [
    'vocab is {}, which has no room for each of the {} bytes',
    'vocab ist {}; darin ist nicht für jedes der {} Bytes Platz',
  ],
  ['Use {} {} or more.', '{} mindestens {} wählen.'],
  [
    "The tokens of {} cannot be cut down: they are not made of bytes as GPT-2's are",
    'Die Tokens von {} lassen sich nicht verkleinern: Sie bestehen nicht wie bei GPT-2 aus Bytes',
  ],
  [
    'Give {} a model whose tokenizer is byte-level, such as SmolLM2, Qwen or Llama 3.',
    'Für {} ein Modell mit Byte-Tokenizer angeben, etwa SmolLM2, Qwen oder Llama 3.',
  ],

  // main/storage/datasets/token-files.ts
  ['it is empty', 'die Datei ist leer'],
  ['Prepare the data again.', 'Die Daten neu vorbereiten.'],
  [
    'its {} bytes are not a whole number of {}-byte token ids',
    'ihre {} Byte sind keine ganze Anzahl von Token-Nummern zu {} Byte',
  ],
  [
    'The file was cut short or is of another kind; prepare the data again.',
    'Die Datei ist abgeschnitten oder von anderer Art; die Daten neu vorbereiten.',
  ],
  [
    'it is an llm.c token file of version {}; only versions 1 (16-bit ids) and {} (32-bit ids) can be read',
    'es ist eine llm.c-Token-Datei der Version {}; lesbar sind nur die Versionen 1 (16-Bit-Nummern) und {} (32-Bit-Nummern)',
  ],
  ['Prepare the text with {} instead.', 'Stattdessen den Text mit {} vorbereiten.'],
  [
    'it is an llm.c token file whose header promises {} tokens, but {} follow',
    'es ist eine llm.c-Token-Datei, deren Kopf {} Tokens verspricht, aber {} folgen',
  ],
  ['The file was cut short; use another copy.', 'Die Datei ist abgeschnitten; eine andere Kopie verwenden.'],
  [
    '{} is an llm.c token file: its header of {} bytes was skipped, {} tokens follow.',
    '{} ist eine llm.c-Token-Datei: Ihr Kopf von {} Byte wurde übersprungen, {} Tokens folgen.',
  ],
  [
    'Token range incompatible in {}data: {} has the id {} at position {}, but {} is {}',
    'Token außerhalb des Vokabulars in {}Daten: {} hat an Stelle {2} die Nummer {3}, aber {} ist {}',
  ],
  [
    'Use the tokenization (and the meta.pkl) that the file was made with, or prepare the data again.',
    'Die Tokenisierung (und die meta.pkl) verwenden, mit der die Datei erzeugt wurde, oder die Daten neu vorbereiten.',
  ],
  [
    'every second of its 16-bit ids is 0, as in a file of 32-bit ids',
    'jede zweite der 16-Bit-Nummern ist 0, wie in einer Datei mit 32-Bit-Nummern',
  ],
  ['{} may not be what it should: {}.', '{} ist vielleicht nicht, was es sein soll: {}.'],
  [
    'Write the ids as uint16: numpy.array(ids, dtype=numpy.uint16).tofile(path).',
    'Die Nummern als uint16 schreiben: numpy.array(ids, dtype=numpy.uint16).tofile(path).',
  ],
  ['Train binary', 'Trainingsdaten'],
  ['Val binary', 'Validierungsdaten'],
  ['{} file not found: {}', 'Datei nicht gefunden ({}): {}'],
  ['{} is not a file', '{} ist keine Datei'],
  [
    'Check the path, or use {} with {} to prepare the data from a text.',
    'Den Pfad prüfen oder {} mit {} verwenden, um die Daten aus einem Text vorzubereiten.',
  ],
  ['{} is not a token file: {}', '{} ist keine Token-Datei: {}'],

  // main/storage/datasets/tokenizer-files.ts
  ["{} is required when {} is 'char'", '{} ist nötig, wenn {} „char“ ist'],
  ['Specify {} when using character tokenization, or use {}', 'Für Zeichen als Tokens {} angeben oder {} verwenden'],
  ["{} is required when {} is 'pretrained'", '{} ist nötig, wenn {} „pretrained“ ist'],
  [
    'Give {} and a tokenizer.json, the folder that holds it, or a GGUF file.',
    'Für {} eine tokenizer.json, den Ordner damit oder eine GGUF-Datei angeben.',
  ],
  ['Tokenizer not found: {}', 'Tokenizer nicht gefunden: {}'],
  [
    'Name a tokenizer.json, the folder that holds it, or a GGUF file, with {}.',
    'Mit {} eine tokenizer.json, den Ordner damit oder eine GGUF-Datei angeben.',
  ],
  ['Meta file not found: {}', 'Meta-Datei nicht gefunden: {}'],
  [
    'Use {}, which finds a meta.pkl beside the data; name the right one with {}; or use {}.',
    '{} verwenden, das eine meta.pkl neben den Daten findet; die richtige mit {} angeben; oder {} verwenden.',
  ],

  // main/storage/texts/extract/documents/archives.ts
  ['it is an old or a protected Office document', 'es ist ein altes oder geschütztes Office-Dokument'],
  ['its lists are too long or too deep', 'die Listen sind zu lang oder zu tief'],
  ['its container names no book', 'der Container nennt kein Buch'],
  ['it is protected against copying (DRM)', 'es ist kopiergeschützt (DRM)'],
  ['its order names a chapter that it does not list', 'die Reihenfolge nennt ein Kapitel, das nicht aufgeführt ist'],
  ['it has no chapters', 'es hat keine Kapitel'],
  ['its elements are in one another more than {} deep', 'die Elemente sind mehr als {} tief ineinander'],

  // main/storage/texts/extract/documents/html.ts
  ['a tag has no end', 'ein Tag hat kein Ende'],
  ['it is not {}', 'es ist kein {}'],
  ['it holds zero bytes, which no page has', 'es enthält Nullbytes, die keine Seite hat'],
  ['it says that it is {}, which is not known', 'es nennt sich {}, das nicht bekannt ist'],

  // main/storage/texts/extract/damaged.ts

  // main/storage/texts/extract/documents/pdf.ts
  ['page {}: {}', 'Seite {}: {}'],

  // main/storage/texts/list/folder-texts.ts
  ['Read from {}, {}: {}.{}', 'Gelesen aus {}, {}: {}.{}'],
  [' Not read: {}.', ' Nicht gelesen: {}.'],
  [' and {} more', ' und {} weitere'],

  // main/storage/texts/extract/json-records.ts
  ['is not JSON ({})', 'ist kein JSON ({})'],
  ['is not a JSON object', 'ist kein JSON-Objekt'],
  ['has no text in its field {}', 'hat keinen Text im Feld {}'],
  ['{}: line {} has no field {}; its fields are {}', '{}: Zeile {} hat kein Feld {}; die Felder sind {}'],
  ['Name the field that holds the text with {}.', 'Das Feld, das den Text enthält, mit {} angeben.'],
  ['{}: line {} {}', '{}: Zeile {} {}'],
  [
    'A .jsonl file has one JSON object per line, such as {"text": "…"}. Rename it to .txt to read it as plain text.',
    'Eine .jsonl-Datei hat ein JSON-Objekt pro Zeile, etwa {"text": "…"}. In .txt umbenennen, um sie als reinen Text zu lesen.',
  ],
  ['{}: line {} is longer than {} characters', '{}: Zeile {} ist länger als {} Zeichen'],
  [
    'A .jsonl file has one JSON object per line; split it, or rename it to .txt to read it as plain text.',
    'Eine .jsonl-Datei hat ein JSON-Objekt pro Zeile; aufteilen oder in .txt umbenennen, um sie als reinen Text zu lesen.',
  ],

  // main/storage/texts/extract/damaged.ts
  ['{} is not a Parquet file that can be read: {}', '{} ist keine lesbare Parquet-Datei: {}'],
  [
    'It was cut short or damaged; use another copy, or write its text column to a plain text file.',
    'Die Datei ist abgeschnitten oder beschädigt; eine andere Kopie verwenden oder die Textspalte in eine Textdatei schreiben.',
  ],

  // main/storage/texts/extract/parquet.ts
  ['its footer', 'der Fuß'],
  ['it is encrypted', 'sie ist verschlüsselt'],
  ['its end is missing', 'das Ende fehlt'],
  ['its footer would have {} bytes', 'der Fuß hätte {} Byte'],
  [
    'Name the column that holds the text with {}. Columns of text: {}.',
    'Die Spalte, die den Text enthält, mit {} angeben. Textspalten: {}.',
  ],
  ['{} has no column {}', '{} hat keine Spalte {}'],
  ['{}: the column {} holds no plain text', '{}: Die Spalte {} enthält keinen reinen Text'],
  ['it has more row groups than a file has', 'sie hat mehr Zeilengruppen, als eine Datei hat'],
  ['it has {} rows, its groups {}', 'sie hat {} Zeilen, ihre Gruppen {}'],
  ['it cannot have {} rows', 'sie kann nicht {} Zeilen haben'],
  ['{} has {} values', '{} hat {} Werte'],
  ['{} cannot be read: {}', '{} lässt sich nicht lesen: {}'],

  // main/storage/texts/extract/decode.ts
  ['Token files are read with {} {} … {} …', 'Token-Dateien werden mit {} {} … {} … gelesen'],
  ['a gzip archive', 'ein gzip-Archiv'],
  ['It is packed more than once: unpack it first (gunzip).', 'Es ist mehrfach gepackt: zuerst entpacken (gunzip).'],
  ['a Zstandard archive', 'ein Zstandard-Archiv'],
  ['It is packed more than once: unpack it first (unzstd).', 'Es ist mehrfach gepackt: zuerst entpacken (unzstd).'],
  ['an xz archive', 'ein xz-Archiv'],
  ['Unpack it first (unxz).', 'Zuerst entpacken (unxz).'],
  ['a bzip2 archive', 'ein bzip2-Archiv'],
  ['Unpack it first (bunzip2).', 'Zuerst entpacken (bunzip2).'],
  ['a 7-Zip archive', 'ein 7-Zip-Archiv'],
  ['Unpack it first.', 'Zuerst entpacken.'],
  [
    'a zip archive (Word, OpenDocument and EPUB files are zip archives too)',
    'ein Zip-Archiv (auch Dateien von Word, OpenDocument und EPUB sind Zip-Archive)',
  ],
  [
    'Unpack it, give a document its ending (.docx, .epub), or save it as plain text (UTF-8).',
    'Entpacken, einem Dokument seine Endung geben (.docx, .epub) oder als reinen Text (UTF-8) speichern.',
  ],
  ['a PDF document', 'ein PDF-Dokument'],
  ['Give it its ending (.pdf).', 'Die Endung .pdf geben.'],
  ['an old Word document', 'ein altes Word-Dokument'],
  ['Save it as plain text (UTF-8).', 'Als reinen Text (UTF-8) speichern.'],
  ['a PNG image', 'ein PNG-Bild'],
  ['Name a text file.', 'Eine Textdatei angeben.'],
  ['a JPEG image', 'ein JPEG-Bild'],
  ['a program', 'ein Programm'],
  ['an llm.c token file', 'eine llm.c-Token-Datei'],
  ['{} is {}, not plain text', '{} ist {}, kein reiner Text'],
  ['{} is a tar archive, not plain text', '{} ist ein tar-Archiv, kein reiner Text'],
  ['Unpack it, and name the text files in it.', 'Es entpacken und die Textdateien darin angeben.'],
  ['{} is UTF-32, which is not read', '{} ist UTF-32, das nicht gelesen wird'],
  ['Save it as UTF-8.', 'Als UTF-8 speichern.'],
  ['{} looks like UTF-16 without a byte order mark', '{} sieht nach UTF-16 ohne Byte-Order-Mark aus'],
  ['Save it as UTF-8, or as UTF-16 with its mark.', 'Als UTF-8 speichern oder als UTF-16 mit dieser Marke.'],
  [
    '{} is not valid UTF-8: byte {} (0x{}) cannot be part of a character',
    '{} ist kein gültiges UTF-8: Byte {} (0x{}) kann nicht Teil eines Zeichens sein',
  ],
  [
    'Save the file as UTF-8: in an editor, or with iconv -f WINDOWS-1252 -t UTF-8, naming the encoding that it has.',
    'Die Datei als UTF-8 speichern: in einem Editor oder mit iconv -f WINDOWS-1252 -t UTF-8, wobei die Codierung zu nennen ist, die sie hat.',
  ],
  [
    '{} is UTF-16 of an odd number of bytes: byte {} is half a character',
    '{} ist UTF-16 mit einer ungeraden Zahl von Bytes: Byte {} ist ein halbes Zeichen',
  ],
  [
    '{} is not valid UTF-16: byte {} begins half a character',
    '{} ist kein gültiges UTF-16: Bei Byte {} beginnt ein halbes Zeichen',
  ],
  [
    'Save the file as UTF-8 in the editor that made it.',
    'Die Datei in dem Editor, der sie gemacht hat, als UTF-8 speichern.',
  ],
  ['{} is not text: byte {} is zero', '{} ist kein Text: Byte {} ist null'],
  ['Name a plain text file, saved as UTF-8.', 'Eine reine Textdatei angeben, gespeichert als UTF-8.'],

  // main/storage/texts/list/list-texts.ts
  ['{} is neither a file nor a folder', '{} ist weder Datei noch Ordner'],
  [
    'The text is read more than once, so it must be an ordinary file: write it to one first.',
    'Der Text wird mehrmals gelesen, muss also eine gewöhnliche Datei sein: ihn zuerst in eine schreiben.',
  ],
  ['No file matches {}: {}', 'Keine Datei passt zu {}: {}'],
  ['Data file not found: {}', 'Datendatei nicht gefunden: {}'],
  [
    'Check the path; it may be a text file, a folder of texts, or a pattern such as "texts/*.txt".',
    'Den Pfad prüfen; er kann eine Textdatei, ein Ordner mit Texten oder ein Muster wie „texts/*.txt“ sein.',
  ],
  [
    'Put texts there, such as .txt or .md files, or name a text file.{}',
    'Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben.{}',
  ],

  // main/storage/texts/extract/extract.ts
  ['{} files: ', '{} Dateien: '],
  [', {} texts', ', {} Texte'],
  ['what is packed in {}', 'was in {} gepackt ist'],
  ['JSON Lines', 'JSON Lines'],
  ['plain text', 'reiner Text'],
  ['{} holds no text', '{} enthält keinen Text'],
  [
    'It may hold pictures only; name a document with text in it.',
    'Vielleicht enthält es nur Bilder; ein Dokument mit Text angeben.',
  ],
  [
    '{} holds more than {} times its size in text: that is not ordinary text',
    '{} enthält mehr als das {}-Fache seiner Größe an Text: Das ist kein gewöhnlicher Text',
  ],
  [
    'It says the same again and again; write the texts you want to another file.',
    'Es sagt immer wieder dasselbe; die gewünschten Texte in eine andere Datei schreiben.',
  ],

  // main/storage/texts/extract/unpack.ts
  ['{} cannot be unpacked ({}): {}', '{} lässt sich nicht entpacken ({}): {}'],
  [
    'The file was cut short or damaged; use another copy.',
    'Die Datei ist abgeschnitten oder beschädigt; eine andere Kopie verwenden.',
  ],
  [
    '{} unpacks to more than {} times its size ({} bytes so far from {}): that is not ordinary text',
    '{} wird entpackt mehr als das {}-Fache seiner Größe (bisher {} Byte aus {}): Das ist kein gewöhnlicher Text',
  ],
  [
    'Unpack it yourself, look at it, and name the unpacked file if it really is the text you want.',
    'Sie selbst entpacken, ansehen und die entpackte Datei angeben, wenn sie wirklich der gewünschte Text ist.',
  ],

  // shared/config/suited-tokens.ts
  [
    '{} characters are too few to learn longer pieces from',
    '{} Zeichen sind zu wenige, um längere Stücke daraus zu lernen',
  ],
  [
    'tensor {} is not contiguous; save it with .contiguous()',
    'der Tensor {} ist nicht zusammenhängend; mit .contiguous() speichern',
  ],
  ['it is packed with {}: unpack it first', 'gepackt mit {}: zuerst entpacken'],
  ['it has {} rows instead of {}', '{} Zeilen statt {}'],
  ['not a readable {} document: {}', 'kein lesbares {}-Dokument: {}'],
];
