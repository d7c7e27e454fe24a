/** What a report says, beside what the window says too (shared/words): its English; in other languages beside it (words-de.ts). */
import type { Language } from '../../../shared/language.js';
import { german } from './words-de.js';

/** Numbers are written already. */
export interface ReportWords {
  title(run: string): string;
  titleOfSeveral(runs: string): string;
  readonly beside: string;
  readonly noVerdict: string;
  readonly writes: string;
  readonly charts: string;
  cycle(cycle: string): string;
  readonly circumstances: string;
  settingsOf(run: string): string;
  readonly columns: {
    readonly version: string;
    readonly run: string;
    readonly natsPerCharacter: string;
    readonly bitsPerByte: string;
    readonly perplexity: string;
    readonly reward: string;
    readonly rewardModel: string;
    readonly kl: string;
    readonly judge: string;
    readonly figure: string;
    readonly value: string;
    readonly setting: string;
    readonly key: string;
    readonly where: string;
    readonly what: string;
  };
  readonly captions: {
    readonly versions: string;
    readonly overview: string;
    readonly settings: string;
    readonly changes: string;
    readonly circumstances: string;
    readonly same: string;
    readonly differences: string;
    results(command: string | null): string;
  };
  place(phase: string, cycle: string): string;
  readonly madeBy: string;
  threads(count: string): string;
  bytes(count: string): string;
}

const english: ReportWords = {
  title: (run) => `Report on ${run}`,
  titleOfSeveral: (runs) => `Report on ${runs} runs`,
  beside: 'Beside each other',
  noVerdict: 'Nothing is finished yet, so there is no verdict.',
  writes: 'What it writes',
  charts: 'Charts',
  cycle: (cycle) => `cycle ${cycle}`,
  circumstances: 'Settings and circumstances',
  settingsOf: (run) => `Settings of ${run}`,
  columns: {
    version: 'Version',
    run: 'Run',
    natsPerCharacter: 'Nats per character',
    bitsPerByte: 'Bits per byte',
    perplexity: 'Perplexity',
    reward: 'Reward, before → after',
    rewardModel: 'R² of the reward model',
    kl: 'KL',
    judge: 'Judge: nats per token',
    figure: 'Figure',
    value: 'Value',
    setting: 'Setting',
    key: 'In files',
    where: 'Where',
    what: 'What',
  },
  captions: {
    versions: 'Each version, on held-out text; lower is better of the first three.',
    overview: 'The newest version of each, on held-out text.',
    settings: 'Every setting.',
    changes: 'What was changed while it ran.',
    circumstances: 'Versions, machine and text. The same seed gives the same bytes where these are the same.',
    same: 'The runs have the same settings, versions and text, and nothing was changed while they ran.',
    differences: 'What differs: settings, changes while they ran, versions and machines, the prepared text (SHA-256).',
    results: (command) => `What ${command ?? 'it'} reported.`,
  },
  place: (phase, cycle) => `${phase} of cycle ${cycle}`,
  madeBy: 'Made by',
  threads: (count) => (count === '1' ? '1 thread' : `${count} threads`),
  bytes: (count) => `${count} bytes`,
};

export const reportWords: Readonly<Record<Language, ReportWords>> = { en: english, de: german };
