/** `verisim doctor`: what this machine has, how fast it is, what is missing and how to fix it. */
import { inWords } from '../../storage/disk/disk.js';
import { defineCommand } from '../command.js';
import { hardware } from '../groups.js';
import { fixed } from '../words.js';

export const command = defineCommand({
  name: 'doctor',
  groups: [hardware],
  examples: ['doctor', 'doctor --json'],
  answers: true,
  job: async () => (await import('../../jobs/commands/doctor.js')).doctorJob,
  report: (results, style) => {
    const missing = (results['missing'] ?? []) as readonly { readonly what: string; readonly fix: string }[];
    const rows: readonly (readonly [string, string])[] = [
      ['Platform', `${String(results['platform'])}, ${String(results['processor'])}`],
      ['Node', String(results['node'])],
      [
        'Runtime',
        results['runtime'] === 'tensorflow' ? `TensorFlow ${String(results['tensorflow'])}` : 'plain JavaScript (slow)',
      ],
      ['Device', String(results['device'])],
      ['Threads', String(results['threads'])],
      [
        'Matrix product',
        `${fixed(results['gflops'], 1)} GFLOP/s (${String(results['matrix_size'])} × ${String(results['matrix_size'])}, the best of several)`,
      ],
      ['Memory', `${inWords(Number(results['memory_free']))} free of ${inWords(Number(results['memory_total']))}`],
      ['Disk', `${inWords(Number(results['disk_free']))} free here`],
      ['Cache', String(results['cache'])],
    ];
    const width = Math.max(...rows.map(([name]) => name.length));
    return [
      ...rows.map(([name, value]) => `${style.bold(name.padEnd(width))}  ${value}`),
      '',
      ...(missing.length === 0
        ? [style.good('Nothing is missing.')]
        : missing.flatMap(({ what, fix }) => [style.warn(`Missing: ${what}`), `  To fix it: ${fix}`])),
      '',
    ].join('\n');
  },
});
