/** Before the tests, once for all of them: the programs and the worker that reads other people's files, from the sources as they are. */
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureBuild } from '../../scripts/setup/build.mjs';
import { createReport } from '../../scripts/setup/report.mjs';

const build = () => ensureBuild(path.resolve(import.meta.dirname, '../..'), createReport(process.stdout));

export async function setup(project: TestProject): Promise<void> {
  await build();
  project.onTestsRerun(build);
}
