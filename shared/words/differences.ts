/** How runs differ (../run-report.ts), in English; the window and reports have it in their other languages too. */

/** Numbers and values are written already. */
export interface DifferenceWords {
  change(phase: string): string;
  readonly changed: {
    setting(label: string, value: string): string;
    longer(steps: string): string;
    readonly ended: string;
    at(step: string, what: string): string;
  };
  /** By what they are called in an environment. */
  readonly versions: Readonly<Record<string, string>>;
  data(file: string): string;
}

export const differenceWords: DifferenceWords = {
  change: (phase) => `Changed in ${phase}`,
  changed: {
    setting: (label, value) => `${label} is ${value}`,
    longer: (steps) => `${steps} more steps`,
    ended: 'ended',
    at: (step, what) => `Step ${step}: ${what}`,
  },
  versions: {
    verisim: 'Verisim',
    runtime: 'Runtime',
    device: 'Device',
    precision: 'Precision',
    processor: 'Processor',
    threads: 'Threads',
  },
  data: (file) => `Text (${file})`,
};
