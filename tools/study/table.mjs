// Turns reports of cycles into the rows of the study's table. Pure.

/**
 * @typedef {object} Row
 * @property {string} kind
 * @property {number | string} seed a seed, or "mean"
 * @property {number | null} r2 what the reward model of the first cycle explains
 * @property {number | null} before held-out nats per character of the base model
 * @property {number | null} after the same after the last cycle
 * @property {number | null} trained_on the same of the model that each control trained on, mean over cycles
 * @property {number | null} gain nats per token by which the judge finds the last model's writing likelier than the base model's
 * @property {number | null} trained_gain the same for training on instead of a cycle, mean over cycles
 */

/** @typedef {any} Report as cycles/NN/report.json holds it (shared/reports/report.ts) */

const numberOrNull = (/** @type {unknown} */ value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** @param {readonly (number | null)[]} values */
function meanOf(values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/**
 * @param {string} kind
 * @param {number} seed
 * @param {readonly Report[]} reports base training first
 * @returns {Row}
 */
export function rowOf(kind, seed, reports) {
  const [base] = reports;
  const cycles = reports.slice(1);
  const last = cycles.at(-1);
  // The control reports a loss in nats per token; both are of the same held-out text.
  const perCharacter = base.nats_per_character / base.val_loss;
  const gain = last?.judgement?.gain;
  return {
    kind,
    seed,
    r2: numberOrNull(cycles[0]?.reward_model?.r2),
    before: numberOrNull(base.nats_per_character),
    after: numberOrNull(last?.nats_per_character),
    trained_on: meanOf(cycles.map(({ control }) => numberOrNull(control?.trained_on.val_loss * perCharacter))),
    gain: gain ? numberOrNull((gain.unconditional + gain.prompted) / 2) : null,
    trained_gain: meanOf(cycles.map(({ control }) => numberOrNull(control?.trained_on.gain))),
  };
}

/**
 * @param {readonly Row[]} rows
 * @returns {Row[]} the mean over seeds of each kind that has several
 */
export function summarise(rows) {
  return [...new Set(rows.map(({ kind }) => kind))].flatMap((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    if (own.length < 2) return [];
    const mean = (/** @type {'r2' | 'before' | 'after' | 'trained_on' | 'gain' | 'trained_gain'} */ name) =>
      meanOf(own.map((row) => row[name]));
    return [
      {
        ...{ kind, seed: 'mean', r2: mean('r2'), before: mean('before'), after: mean('after') },
        ...{ trained_on: mean('trained_on'), gain: mean('gain'), trained_gain: mean('trained_gain') },
      },
    ];
  });
}

const heads = [
  ...['reward', 'seed', 'R² of cycle 1', 'nats per character, base', 'after the cycles', 'trained on instead'],
  ...['judge’s gain, cycles', 'judge’s gain, training on'],
];

/** @param {readonly Row[]} rows */
export function formatTable(rows) {
  const figure = (/** @type {number | null} */ value) => (value === null ? '–' : value.toFixed(3));
  const lines = rows.map(({ kind, seed, r2, before, after, trained_on, gain, trained_gain }) => [
    ...[kind, String(seed)],
    ...[r2, before, after, trained_on, gain, trained_gain].map(figure),
  ]);
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
