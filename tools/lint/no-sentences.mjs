// Reports English that a user could read outside resources/locales: two words in a literal, or text in a Vue template.
// Messages have codes (shared/messages/README.md). Errors that only a developer meets, logs and schemas may have plain text.

const WORDS = /\p{L}{2,}[,.:;!?)”’]* [(“‘]?\p{L}{2,}/u;
const LETTERS = /\p{L}{2,}/u;
/** `flex items-center gap-2`: lower-case names of which one has a hyphen or a colon, and no sentence's mark. */
const CLASSES = /^(?=.*[a-z][-:[/])[a-z0-9\-:[\]()/.,_%&>*!#'=\s{}]+$/;
/** `<p class="soft">`, of which a user reads nothing. */
const MARKUP = /<[^>]*>/g;

const developerErrors = /^(?:Error|RangeError|TypeError|SyntaxError|AssertionError)$/;
const developerCalls = /^(?:console\.\w+|\w*[lL]og\.\w+|.*\.describe|.*\.split|untraceable|localized|t)$/;
const visibleAttributes = new Set(['title', 'label', 'aria-label', 'placeholder', 'alt']);
const styleAttributes = new Set(['class', 'style', 'ui']);

/** @param {string} text */
const isSentence = (text) =>
  WORDS.test(text.replace(MARKUP, ' ')) && !CLASSES.test(text.trim()) && !text.includes('; charset=');

/** A node of the parsers' trees, which have no common type. @typedef {any} Node */
/** @typedef {import('eslint').SourceCode} Source */

/**
 * Returns the source text of a callee such as `console.error`.
 * @param {Source} source
 * @param {Node} node
 */
const nameOf = (source, node) => source.getText(node).replace(/\s+/g, '');

/**
 * @param {Source} source
 * @param {Node} literal
 */
function isForDevelopers(source, literal) {
  for (let parent = literal.parent; parent; parent = parent.parent) {
    switch (parent.type) {
      case 'ImportDeclaration':
      case 'ImportExpression':
      case 'TSLiteralType':
      case 'TSTemplateLiteralType':
        return true;
      case 'ExpressionStatement':
        return typeof parent.directive === 'string';
      case 'NewExpression':
        if (developerErrors.test(nameOf(source, parent.callee))) return true;
        break;
      case 'CallExpression':
        if (developerCalls.test(nameOf(source, parent.callee))) return true;
        break;
      // Command lines.
      case 'Property':
        if (parent.key.name === 'examples') return true;
        break;
      case 'VAttribute':
        return parent.directive && styleAttributes.has(parent.key.argument?.name ?? '');
      default:
    }
  }
  return false;
}

export default {
  rules: {
    'no-sentences': {
      meta: {
        type: 'problem',
        schema: [],
        messages: { sentence: 'Give this text a code in resources/locales: “{{text}}”.' },
      },
      /** @param {import('eslint').Rule.RuleContext} context */
      create(context) {
        const source = context.sourceCode;
        const report = (/** @type {Node} */ node, /** @type {string} */ text) =>
          context.report({ node, messageId: 'sentence', data: { text: text.trim().slice(0, 60) } });
        const check = (/** @type {Node} */ node, /** @type {string} */ text) => {
          if (isSentence(text) && !isForDevelopers(source, node)) report(node, text);
        };
        const literals = {
          Literal: (/** @type {Node} */ node) => typeof node.value === 'string' && check(node, node.value),
          TemplateLiteral: (/** @type {Node} */ node) =>
            check(node, node.quasis.map((/** @type {Node} */ part) => part.value.cooked ?? part.value.raw).join('{}')),
        };
        const services = source.parserServices;
        if (!services?.defineTemplateBodyVisitor) return literals;
        const template = {
          ...literals,
          VText: (/** @type {Node} */ node) =>
            LETTERS.test(node.value) && node.parent.rawName !== 'kbd' && report(node, node.value),
          'VAttribute[directive=false]'(/** @type {Node} */ node) {
            const text = node.value?.value ?? '';
            if (visibleAttributes.has(node.key.rawName) && LETTERS.test(text)) report(node, text);
          },
        };
        return services.defineTemplateBodyVisitor(template, literals);
      },
    },
  },
};
