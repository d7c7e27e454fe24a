/**
 * The sentences of main/ and shared/ as they stand in the source, `{}` for what is spoken of: what a person may meet in the
 * window, so that each language can be held to wording all of them. Whatever is longer than a word counts, unless it stands
 * where no person of the window meets it (`unseen`, `silent`): forgetting to enter something there fails, and does not pass.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** Files whose words are no window's: other surfaces, documents that are written in English, declarations with a test of their own. */
const unseen = [
  // The terminal, `serve` before a page is open, machines that train together; main/app has words of its own (words.ts)
  'main/{cli,server,cluster,app,installation,preload}/**',
  'main/*.ts',
  'main/jobs/cluster/**',
  'main/jobs/commands/{doctor,reward-data-words,train,train-grpo,train-reward-model,prepare-reward-data,sample,measure,models,preview,perplexity}.ts',
  'main/storage/datasets/{reward-dataset-inspection,reward-dataloaders}.ts',
  'main/jobs/hub-models.ts',
  // Programs that are written out
  'main/jobs/rating/task-script.ts',
  'main/jobs/export/trl/scripts.ts',
  // Told in every language where they stand: tests/shared/documents.test.ts
  'main/formats/{ratings,report,pages}/words*.ts',
  'main/jobs/export/{,trl/}readme.ts',
  'main/formats/gguf/{modelfile,gguf-cuts}.ts',
  // Code that cannot be compiled: a bug
  'main/engine/runtime/{operations,tracer,traced-session}.ts',
  'main/services/machine/{diagnostics,log}.ts',
  // Told in words of their own in renderer/strings
  'shared/words/**',
  'shared/{models/catalogue,reports/cycle-advice,reports/cycle-control,language}.ts',
  'shared/phases/**',
  'shared/config/!(*checks|suited-tokens).ts',
  // Tables
  'main/engine/tokenizer/unicode-classes.ts',
];

/** Functions and constants elsewhere that hold what is written to files or printed in a terminal. */
const unspoken: Readonly<Record<string, readonly string[]>> = {
  'main/engine/reward/reward-quality.ts': ['formatQuality'],
  'main/engine/tokenizer/pretrained.ts': ['probes'],
  'main/formats/reward-dataset.ts': ['formatRewardMetadata', 'formatRewardReport', 'formatSplit'],
  'main/formats/pages/parts.ts': ['style'],
  'main/jobs/machine/figures.ts': ['compileKey'],
  'main/jobs/rating/task-page.ts': ['style', 'policy'],
  'main/jobs/rating/rate.ts': ['promptFor', 'askAll', 'noteDecision', 'answerTo'],
  'main/jobs/rating/ignored.ts': ['noteIgnored'],
  'main/services/files/data-folder.ts': ['defaultDataFolder'],
  'main/services/machine/licences.ts': ['licences'],
  'main/services/projects/pages.ts': ['eventRow'],
  'main/storage/disk/trash.ts': ['trashInfo'],
};

/** Names of commands, of streams of random numbers and of parts of a file; what is typed, as a README shows it. */
const names =
  /^(?:verisim:? .*| {4}.*|(?:\{\}, )?(?:Verisim|SHA-256) \{\}(?:, \{\})*|curve c\{\}\{\}|use strict|bytes \{\}-\{\}\/|(?:task|more|boundary|blob|Bearer) \{\}\0?|(?:normalizer|pre_tokenizer) \w+|Verisim trainer|\{\}, cycle \{\}, \{\})$/;

/** Calls that say nothing to a person: what is thrown there is a bug, or is caught where it is called. */
const silent = /^(?:(?:new )?(?:Range|Syntax|Type)?Error|untraceable|console\.\w+|\w*[lL]og\.\w+)$/;

export interface Spoken {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** A word that it has where others have another. */
  readonly word?: string;
}

/** Every sentence once for each place where it stands. */
export function spokenSentences(): readonly Spoken[] {
  return globSync(['main/**/*.{ts,mjs}', 'shared/**/*.ts'], { cwd: root, ignore: unseen })
    .sort()
    .flatMap((file) => sentencesIn(file, readFileSync(join(root, file), 'utf8')));
}

/** All of main/ and shared/, as it is written, and the English messages: notes hold some as text. */
export const everySource = (): string =>
  globSync(['main/**/*.{ts,mjs}', 'shared/**/*.ts', 'resources/locales/en.json'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
    .replaceAll("\\'", "'");

export function sentencesIn(file: string, text: string): readonly Spoken[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Spoken[] = [];
  const skipped = unspoken[file] ?? [];
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isSilent(node) || skipped.includes(nameOf(node))) return;
    const said = withoutMarkup(textOf(node));
    for (const [word, sentence] of chosenWords(node)) found.push({ file, line: lineOf(node), text: sentence, word });
    if (said !== null && !names.test(said) && /\p{L}{2}[,.:;]? [\p{L}{]|[\p{L}}][,.:;]? \p{L}{2}/u.test(said)) {
      found.push({ file, line: lineOf(node), text: said });
    }
    for (const inner of said === null ? childrenOf(node) : partsOf(node)) visit(inner);
  };
  visit(source);
  return found;
}

/** Words of which a sentence has one: `sees ${isGood ? 'well' : 'badly'}`; each with its sentence. */
function chosenWords(node: ts.Node): readonly (readonly [word: string, sentence: string])[] {
  if (!ts.isTemplateExpression(node)) return [];
  return node.templateSpans.flatMap(({ expression }, at) =>
    (ts.isConditionalExpression(expression) ? [expression.whenTrue, expression.whenFalse] : [])
      .map((choice) => textOf(choice) ?? '')
      .filter((word) => /^[a-z]{3,}$/.test(word))
      .map((word) => {
        const gaps = node.templateSpans.map(({ literal }, one) => `${one === at ? word : '{}'}${literal.text}`);
        return [word, `${node.head.text}${gaps.join('')}`] as const;
      })
      // "{} files" is a part of a sentence that stands elsewhere.
      .filter(([word, sentence]) => /\p{L}{2}/u.test(sentence.replace(word, ''))),
  );
}

/** A bug, or a list of words: 'a b c'.split(' '). */
const isSilent = (node: ts.Node): boolean =>
  (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
  (silent.test(node.expression.getText()) || /\.split$/.test(node.expression.getText()));

const nameOf = (node: ts.Node): string =>
  (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && node.name ? node.name.getText() : '';

/** A piece of a page: what is read there. */
const withoutMarkup = (text: string | null): string | null =>
  text !== null && /^\s*<[!a-z]/.test(text) ? text.replaceAll(/<[^>]*>/g, ' ').trim() : text;

/** What a literal, or several that are put together, says; null of anything else. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce((text, span) => `${text}{}${span.literal.text}`, node.head.text);
  if (!isJoined(node)) return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null && right === null ? null : `${left ?? '{}'}${right ?? '{}'}`;
}

/** What stands within a sentence, and may hold others. */
function partsOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isTemplateExpression(node)) return node.templateSpans.map((span) => span.expression);
  if (!isJoined(node)) return [];
  return [node.left, node.right].flatMap((side) => (textOf(side) === null ? [side] : partsOf(side)));
}

const isJoined = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;

function childrenOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}
