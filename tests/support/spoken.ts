/** Finds the sentences of a source file, `{}` for each parameter. */
import ts from 'typescript';

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

export function sentencesIn(file: string, text: string): readonly Spoken[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Spoken[] = [];
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isSilent(node)) return;
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
