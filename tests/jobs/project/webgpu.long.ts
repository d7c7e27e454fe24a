/** A whole project with a cycle on WebGPU: base, reward model, GRPO. SwiftShader stands in for a GPU. */
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import { LAST_LOSS, lastLoss } from '../../../main/jobs/machine/card-check.js';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { writeLongWords } from '../../support/long-words.js';
import { useSwiftshader } from '../../support/swiftshader.js';
import { projectRequest, quick, temporaryFolder, testContext } from '../context.js';

vi.setConfig({ testTimeout: 3_600_000 });
const home = temporaryFolder();
const text = writeLongWords(home);

beforeAll(useSwiftshader);
const runtime = () => loadRuntime({ bindingPath: null, device: 'webgpu' });

it('has the loss by which a card is checked', async () => {
  expect(await lastLoss(await runtime())).toBeCloseTo(LAST_LOSS, 4);
});

it('runs from text to an improved model', async () => {
  const { context, events } = testContext();
  const request = projectRequest(join(home, 'project'), { ...quick, ...text });
  const results = await cycleJob(request, { ...context, runtime });
  expect(results['cycles']).toHaveLength(1);
  const trained = events.flatMap((event) => (event.event === 'metrics' && event.cycle === 1 ? [event.phase] : []));
  expect(trained).toContain('grpo');
});
