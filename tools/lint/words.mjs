// Plain words in identifiers and comments, as an ESLint rule: the field's own terms instead of a private register.
// Strings, regular expressions and users' data are not looked at.

/** Banned words, each with what the message proposes instead. */
export const banned = new Map([
  ['told', 'reported, logged, the name of the value'],
  ['tell', 'report, log, distinguish'],
  ['tells', 'reports, logs, distinguishes'],
  ['telling', 'reporting, logging'],
  ['said', 'reported, stated'],
  ['saying', 'reporting, stating'],
  ['spoken', 'language, phrase'],
  ['whoever', 'the user, the caller, the process that'],
  ['whomever', 'the user, the caller'],
  ['somebody', 'a user, a caller'],
  ['nobody', 'no caller, no user, unused'],
  ['anybody', 'a user, a caller'],
  ['anew', 'again, from scratch'],
  ['afresh', 'again, from scratch'],
  ['beside', 'next to, along with'],
  ['stands', 'is, is stored, appears'],
  ['begun', 'started'],
  ['asked', 'requested, queried'],
  ['unasked', 'without a request'],
  ['untold', 'unreported'],
  ['lest', 'so that … does not'],
]);

/** An identifier's words: `lastRowAt`, `MAX_ROWS` and `row_count` have three, three and two… */
export const wordsOf = (/** @type {string} */ name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);

const inText = new RegExp(String.raw`(?<![\w'-])(${[...banned.keys()].join('|')})(?![\w-])`, 'gi');

/**
 * Reports banned words of every comment, HTML's included.
 * @param {import('eslint').Rule.RuleContext} context
 */
function checkComments(context) {
  const { sourceCode } = context;
  const spans = sourceCode.getAllComments().map(({ range = [0, 0] }) => range);
  if (context.filename.endsWith('.vue')) {
    for (const { index, 0: text } of sourceCode.text.matchAll(/<!--[^]*?-->/g))
      spans.push([index, index + text.length]);
  }
  for (const [from, to] of spans) {
    // Code in backticks and quoted text are strings.
    const text = sourceCode.text.slice(from, to).replace(/`[^`\n]*`|"[^"\n]*"/g, (quoted) => ' '.repeat(quoted.length));
    for (const { index, 0: word } of text.matchAll(inText)) {
      const loc = {
        start: sourceCode.getLocFromIndex(from + index),
        end: sourceCode.getLocFromIndex(from + index + word.length),
      };
      context.report({ loc, messageId: 'comment', data: { word, instead: banned.get(word.toLowerCase()) ?? '' } });
    }
  }
}

/** @type {import('eslint').Rule.RuleModule} */
const words = {
  meta: {
    type: 'suggestion',
    messages: {
      identifier: "'{{name}}' holds the word '{{word}}': name it in the field's terms ({{instead}}).",
      comment: "'{{word}}': use the field's term ({{instead}}).",
    },
    schema: [
      {
        type: 'object',
        properties: { stored: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
      },
    ],
  },
  create(context) {
    // Names of fields that are stored on disk or sent: renaming them would change files.
    const stored = new Set(context.options[0]?.stored);
    const isField = (/** @type {any} */ { parent }) => /Property|MemberExpression/.test(parent?.type ?? '');
    const check = (/** @type {import('estree').Identifier | import('estree').PrivateIdentifier} */ node) => {
      if (stored.has(node.name) && isField(node)) return;
      const word = wordsOf(node.name).find((one) => banned.has(one));
      if (!word) return;
      const data = { name: node.name, word, instead: banned.get(word) ?? '' };
      context.report({ node, messageId: 'identifier', data });
    };
    const visitor = { Identifier: check, PrivateIdentifier: check };
    /** @type {import('eslint').Rule.RuleListener} */
    const script = { ...visitor, 'Program:exit': () => checkComments(context) };
    return context.sourceCode.parserServices?.defineTemplateBodyVisitor?.(visitor, script) ?? script;
  },
};

export default { rules: { words } };
