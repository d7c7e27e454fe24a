// How `npm test` counts: what vitest's JSON report holds, so that nothing that went wrong is left out of the last line.

/** @typedef {{ passed: number, failed: number }} Count */

/**
 * @param {Record<string, unknown> | null} results vitest's JSON report; null when there is none
 * @param {number} code vitest's exit code
 * @returns {Count}
 */
export function countTests(results, code) {
  const files = /** @type {{ status: string, assertionResults: unknown[] }[]} */ (results?.['testResults'] ?? []);
  // A file that could not be loaded has no tests; it fails as one.
  const broken = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const passed = Number(results?.['numPassedTests'] ?? 0);
  const failed = Number(results?.['numFailedTests'] ?? 0) + broken;
  // Errors outside any test, a run that ended early, no tests at all.
  return { passed, failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed };
}

/**
 * A check that passes or fails as a whole.
 * @param {number} code its exit code
 * @returns {Count}
 */
export const countOne = (code) => (code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
