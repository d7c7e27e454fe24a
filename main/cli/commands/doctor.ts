/** `verisim doctor`: what this machine has, how fast it is, what is missing and how to fix it. */
import { t } from '../language.js';
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
      [t('doctor.platform'), `${String(results['platform'])}, ${String(results['processor'])}`],
      ['Node', String(results['node'])],
      [
        t('doctor.runtime'),
        results['runtime'] === 'tensorflow' ? `TensorFlow ${String(results['tensorflow'])}` : t('doctor.javascript'),
      ],
      [t('doctor.device'), String(results['device'])],
      [t('doctor.threads'), String(results['threads'])],
      [
        t('doctor.matrix_product'),
        t('doctor.speed', { speed: fixed(results['gflops'], 1), size: String(results['matrix_size']) }),
      ],
      [
        t('doctor.memory'),
        t('doctor.memory_free', {
          free: inWords(Number(results['memory_free'])),
          total: inWords(Number(results['memory_total'])),
        }),
      ],
      [t('doctor.disk'), t('doctor.disk_free', { free: inWords(Number(results['disk_free'])) })],
      [t('doctor.cache'), String(results['cache'])],
    ];
    const width = Math.max(...rows.map(([name]) => name.length));
    return [
      ...rows.map(([name, value]) => `${style.bold(name.padEnd(width))}  ${value}`),
      '',
      ...(missing.length === 0
        ? [style.good(t('doctor.nothing_missing'))]
        : missing.flatMap(({ what, fix }) => [style.warn(t('doctor.missing', { what })), t('doctor.fix', { fix })])),
      '',
    ].join('\n');
  },
});
