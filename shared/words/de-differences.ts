/** How runs differ, in German: the words of differences.ts. */
import type { DifferenceWords } from './differences.js';

export const differencesInGerman: DifferenceWords = {
  change: (phase) => `Geändert: ${phase}`,
  changed: {
    setting: (label, value) => `${label} ist ${value}`,
    longer: (steps) => `${steps} weitere Schritte`,
    ended: 'beendet',
    at: (step, what) => `Schritt ${step}: ${what}`,
  },
  versions: {
    verisim: 'Verisim',
    runtime: 'Laufzeit',
    device: 'Gerät',
    precision: 'Genauigkeit',
    processor: 'Prozessor',
    threads: 'Threads',
  },
  data: (file) => `Text (${file})`,
};
