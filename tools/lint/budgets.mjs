// How large each part of the repository may be: physical lines, comments and blanks included, or words of the documents.
// `npm run size` prints the sizes; tests/tools/lint/budgets.test.ts fails above a budget. Message catalogues are not counted.

const code = /\.(ts|vue|css|mjs|cjs)$/;

/**
 * @typedef {object} Budget
 * @property {string} name
 * @property {RegExp} files paths from the root that are counted
 * @property {RegExp} [except]
 * @property {number} goal what the part may have
 * @property {number} [now] the present limit of a part above its goal; it only ever falls
 * @property {'words'} [unit] left out: lines
 */

const inFolder = (/** @type {string} */ folder, endings = code) => new RegExp(`^${folder}/.*${endings.source}`);

// `now`: not at its goal yet. Lower it with every removal.
/** @type {readonly Budget[]} */
export const budgets = [
  { name: 'main/engine', files: inFolder('main/engine'), goal: 14_000, now: 17_323 },
  { name: 'main/formats', files: inFolder('main/formats'), goal: 5000, now: 5_791 },
  { name: 'main/storage', files: inFolder('main/storage'), goal: 6500, now: 9_946 },
  { name: 'main/jobs', files: inFolder('main/jobs'), goal: 5500, now: 7_724 },
  {
    ...{ name: 'main, everything else', files: inFolder('main'), goal: 8500, now: 11_310 },
    except: /^main\/(engine|formats|storage|jobs)\//,
  },
  { name: 'renderer', files: inFolder('renderer'), goal: 12_500, now: 14_210 },
  { name: 'shared', files: inFolder('shared'), goal: 6800, now: 8_972 },
  { name: 'scripts', files: inFolder('scripts', /\.(ts|mjs|cjs|c|cc|cpp|h)$/), goal: 3500 },
  { name: 'tools', files: inFolder('tools', /\.(ts|vue|css|mjs|cjs|py|sh)$/), goal: 5000, now: 5_142 },
  { name: 'tests', files: inFolder('tests', /\.(ts|vue|css|mjs|cjs|py)$/), goal: 34_000, now: 48_322 },
  { name: 'tests, JSON', files: inFolder('tests', /\.json$/), goal: 1000 },
  {
    name: 'docs',
    files: inFolder('docs', /\.md$/),
    except: /configuration\.md$/,
    goal: 15_000,
    unit: 'words',
  },
];

/** Names of budgets that are no part of the product. */
const besides = ['tools', 'tests', 'tests, JSON', 'docs'];
export const isProduct = (/** @type {string} */ name) => !besides.includes(name);
