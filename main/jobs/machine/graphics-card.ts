/**
 * Chooses between graphics card and processor for `--device auto`. A card is measured once, when a wide model is first trained, and its
 * figures are stored. The window reads them, so nothing here loads the engine.
 */
import { cpus } from 'node:os';
import process from 'node:process';
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { initialModelPath } from '../../../shared/config/init.js';
import type { MachineConfig } from '../../../shared/config/machine.js';
import { precisionFor } from '../../../shared/costs/precision.js';
import { usableCores } from '../../installation/environment.mjs';
import { findTensorflow } from '../../installation/locations.mjs';
import { storedValues } from './figures.js';

/** Training is not only matrix products, and each operation takes longer to start on a card. */
const FASTER_BY = 2;

const schema = z.object({
  /** Billions of operations a second in matrix products. */
  processor: z.number().positive().nullable(),
  /** Null if there is none that computes correctly. */
  card: z.object({ name: z.string(), gflops: z.number().positive() }).nullable(),
  isMeasured: z.boolean(),
});
type CardFigures = z.infer<typeof schema>;
const unknown: CardFigures = { processor: null, card: null, isMeasured: false };
export type Card = NonNullable<CardFigures['card']>;

export function cardFigures(threads: number | null) {
  const { get, set } = storedValues('graphics-card.json', schema);
  const tensorflow = findTensorflow().bindingPath === null ? 'WASM' : 'TensorFlow';
  const browser = process.versions['electron'] ?? 'Node';
  const key = [cpus()[0]?.model.trim(), threads ?? usableCores(), tensorflow, browser, packageFile.version].join(', ');
  const found = (): CardFigures => get(key) ?? unknown;
  const store = (figures: Partial<CardFigures>) => set(key, { ...found(), ...figures });
  return {
    isMeasured: () => found().isMeasured,
    storeCard: (card: Card | null) => store({ card, isMeasured: true }),
    /** @param peaks operations a second, by precision */
    storeProcessor: (peaks: Readonly<Record<string, number>>) =>
      store({ processor: Math.max(...Object.values(peaks)) / 1e9 }),
    /** The card, and how many times as fast as the processor it is; null if none is known. */
    card(): { readonly name: string; readonly times: number } | null {
      const { card, processor } = found();
      return card && processor !== null ? { name: card.name, times: card.gflops / processor } : null;
    },
  };
}

export const isFaster = (card: { readonly times: number } | null): boolean => (card?.times ?? 0) >= FASTER_BY;

type Wanted = Pick<MachineConfig, 'device' | 'threads' | 'precision'> & {
  readonly n_embd?: unknown;
  readonly init_from?: unknown;
};

/** Whether training with these settings takes the card if it is faster: a narrow model spends its time on starting operations. */
export const suitsCard = ({ device, precision, ...model }: Wanted): boolean =>
  device === 'auto' &&
  process.env['VERISIM_GPU'] !== 'off' &&
  precision !== 'bf16' &&
  (initialModelPath(model) !== null ||
    (typeof model.n_embd === 'number' && precisionFor('auto', { n_embd: model.n_embd }) === 'bf16'));

/** Whether a project of these settings is for a process with WebGPU, which also measures a card that is unknown. */
export function trainsOnCard(wanted: Wanted): boolean {
  if (!suitsCard(wanted)) return wanted.device === 'webgpu';
  const figures = cardFigures(wanted.threads);
  return !figures.isMeasured() || isFaster(figures.card());
}
