/** The terminal's report on a project that is done or waits: the same outcome as in the window. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Command, Given } from '../../main/cli/command.js';
import { exportModel, perplexity } from '../../main/cli/commands/models.js';
import { importProject } from '../../main/cli/commands/projects.js';
import { train, trainGrpo } from '../../main/cli/commands/training.js';
import { closingReport } from '../../main/cli/reports.js';
import type { Results } from '../../main/jobs/types.js';
import { createStyle } from '../../main/cli/style.js';
import { outcomeOf } from '../../shared/reports/outcome.js';
import { reportSchema } from '../../shared/reports/report.js';

const report = (cycle: number, more = {}) =>
  reportSchema.parse({ cycle, name: `base_model_v${cycle + 1}`, val_loss: 1, perplexity: 8, samples: [], ...more });
const change = { mean: Math.log(0.98), interval: { low: Math.log(0.975), high: Math.log(0.985) } };
const reports = [report(0), report(1, { perplexity: 7.84, loss_change: { previous: change, base: change } })];
const results = {
  ...{ project: 'my book', base: { name: 'base_model_v1', perplexity: 8 } },
  cycles: [{ cycle: 1, name: 'base_model_v2', perplexity: 7.84 }],
  outcome: JSON.parse(JSON.stringify(outcomeOf({ reports }))) as never,
};
const printed = (more = {}) => closingReport({ ...results, ...more }, createStyle(false)).replace(/\s+/g, ' ');

describe('the terminal’s summary', () => {
  it('reports the outcome, and whether another cycle is worth its time', () => {
    expect(printed()).toContain('Done: my book');
    expect(printed()).toContain('(2.079 → 2.059 nats per token, 95% interval of the change −0.0253 to −0.0151).');
    expect(printed()).toContain('Whether plain training for the same time would have helped more was not measured');
    expect(printed()).toContain('--max_cycles 2 one more cycle');
  });

  it('names the part of a long held-out text that was measured, with its interval', () => {
    const sample = { tokens: 200_000, of: 5_000_000, interval: { low: Math.log(7), high: Math.log(9) } };
    const outcome = outcomeOf({ reports: [report(0, { held_out_sample: sample })] });
    const more = { cycles: [], outcome: JSON.parse(JSON.stringify(outcome)) as never };
    const words = 'Measured on 200,000 of the 5,000,000 held-out tokens, spread evenly over them; 95% interval';
    expect(printed(more)).toContain(`${words} 1.946 to 2.197 nats per token.`);
    expect(printed({ cycles: [] })).not.toContain('spread evenly');
    const trained = { held_out_sample: sample } as never;
    expect(train.report?.(trained, createStyle(false), { out_dir: 'o' })).toContain(words);
    expect(
      perplexity.report?.({ loss: 2, tokens: 3 }, createStyle(false), { model_path: 'm', data_path: 't' }),
    ).not.toContain('spread evenly');
  });

  it('has the reward as a percentage, as in the window', () => {
    const cycles = [{ cycle: 1, name: 'base_model_v2', perplexity: 7.84, reward_first: 0.5534, reward_last: 0.6833 }];
    expect(printed({ cycles })).toMatch(/55\.3% +68\.3%/);
    expect(printed({ cycles })).not.toContain('0.683');
  });

  it('gives the command to train further if a control found plain training better', () => {
    const command = 'verisim cycle book-trained-on --max_cycles 0';
    expect(printed({ train_on: command })).toContain(`${command} plain training, which is better here`);
    expect(printed()).not.toContain('which is better here');
  });

  it('reports the votes needed, with the command to rate', () => {
    const waiting = printed({ awaits: { votes: 43, newest: 'base_model_v2', previous: 'base_model_v1' } });
    expect(waiting).toContain('Waiting for votes: my book');
    expect(waiting).toContain(
      "rate 'my book' --passages 50 about 45 more votes decide whether base_model_v2 is better than base_model_v1",
    );
    expect(waiting).not.toContain('one more cycle');
  });
});

describe('a command that is printed', () => {
  const folder = 'out of $HOME';
  const reports: readonly (readonly [command: Command, results: Results, config: Given])[] = [
    [train, {}, { out_dir: folder, data_path: 'text.txt' }],
    [trainGrpo, {}, { model_path: 'm', reward_model_path: 'r', data_path: 'text.txt', out_dir: folder }],
    [importProject, { project: folder }, { file: 'x' }],
    [exportModel, { file: folder, bytes: 1 }, { model_path: 'm', format: 'project' }],
  ];

  it.each(reports)('is quoted for a shell, whatever the folder is called', (command, results, given) => {
    const config = z.object(command.shape).parse(given);
    expect(command.report(results, createStyle(false), config)).toMatch(/verisim -- \w+ 'out of \$HOME'/);
  });
});
