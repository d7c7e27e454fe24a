/** The specification's scripts under their own names. */
import { expect, it } from 'vitest';
import { temporaryFolder, verisim } from './program.js';

it.each([
  ['prepare_reward_data.py', 'Usage: npm run -s verisim -- prepare_reward_data'],
  ['reward_dataset_loader.py', 'Usage: npm run -s verisim -- dataset_info'],
  ['train_reward_model.py', 'Usage: npm run -s verisim -- train_reward_model'],
  ['train_grpo.py', 'Usage: npm run -s verisim -- train_grpo'],
  ['train.py', 'Usage: npm run -s verisim -- train '],
])('%s is the command of that name', async (script, usage) => {
  const { code, stdout } = await verisim([script, '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain(usage);
});

it('reward_dataset_loader.py without anything looks at data/reward_dataset', async () => {
  const { code, stderr } = await verisim(['reward_dataset_loader.py'], { cwd: temporaryFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain('Reward dataset not found: data/reward_dataset');
});
