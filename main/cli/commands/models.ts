/** `verisim models`: models that a project can begin from, and what of them is on this machine. */
import { inWords } from '../../storage/disk/disk.js';
import { z } from 'zod';
import { program } from '../../../shared/config/command-line.js';
import { parameter } from '../../../shared/config/parameter.js';
import type { ModelEntry } from '../../../shared/contract/models.js';
import { defineCommand, group } from '../command.js';
import type { Style } from '../style.js';
import { compact, table } from '../words.js';

const own = {
  fetch: parameter(z.string().min(1).optional(), { option: 'models.fetch' }),
  remove: parameter(z.string().min(1).optional(), { option: 'models.remove' }),
};

const states: Readonly<Record<ModelEntry['state'], string>> = {
  absent: '-',
  partial: 'partly',
  fetching: 'arriving',
  present: 'yes',
};

const memoryOf = ({ needs }: ModelEntry, tune: 'full' | 'lora'): string => {
  const found = needs.find((each) => each.tune === tune);
  return found === undefined ? '-' : `${inWords(found.memory)}${found.fits ? '' : ' (too much)'}`;
};

function listText(models: readonly ModelEntry[], place: string, style: Style): string {
  const heading = ['model', 'weights', 'licence', 'size', 'here', 'memory, full', 'memory, lora'];
  const rows = models.map((entry) => [
    entry.source === 'setup' ? entry.title : entry.id,
    compact(entry.parameters),
    `${entry.licence ?? 'not stated'}${entry.gated ? ', on request' : ''}`,
    inWords(entry.size),
    states[entry.state],
    memoryOf(entry, 'full'),
    memoryOf(entry, 'lora'),
  ]);
  const [first = '', ...rest] = table([heading, ...rows]).split('\n');
  return [
    style.bold(first.trimEnd()),
    ...rest.map((line) => line.trimEnd()),
    '',
    `Downloaded models are kept in ${place}.`,
    `Begin from one:  ${program} train --init_from ${models.find(({ source }) => source !== 'setup')?.id ?? ''} …`,
    '',
  ].join('\n');
}

export const command = defineCommand({
  name: 'models',
  groups: [group('models', own)],
  examples: ['models', 'models --fetch HuggingFaceTB/SmolLM2-135M', 'models --remove HuggingFaceTB/SmolLM2-135M'],
  job: async () => (await import('../../jobs/commands/models.js')).modelsJob,
  report({ models, place, fetched, removed }, style) {
    if (typeof fetched === 'string') return `${style.bold('On this machine:')} ${fetched} (${String(place)})\n`;
    if (typeof removed === 'string') return `${style.bold('Removed:')} ${removed}\n`;
    return listText(models as unknown as readonly ModelEntry[], String(place), style);
  },
});
