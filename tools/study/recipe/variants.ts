/**
 * What is tried of base training's recipe: each variant is one change to another, so that what a change is worth can be
 * read off two rows. Settings are written out, whatever the presets have come to say since.
 */
import type { z } from 'zod';
import { projectConfigSchema, type ProjectConfig } from '../../../shared/config/index.js';

type Settings = Readonly<Partial<z.input<typeof projectConfigSchema>>>;

interface Variant {
  /** The one that it changes; null: nanoGPT's recipe. */
  readonly from: string | null;
  readonly change: Settings;
}

/** The preset `classic`, which was `tiny` until these trials. */
const classic: Settings = {
  ...{ tokenization: 'char', n_layer: 4, n_head: 4, n_embd: 128, block_size: 64, dropout: 0 },
  ...{ batch_size: 12, learning_rate: 1e-3, min_lr: 1e-4, warmup_iters: 100, beta2: 0.99 },
};

export const variants: Readonly<Record<string, Variant>> = {
  classic: { from: null, change: classic },
  learned: { from: 'classic', change: { tokenization: 'learned', vocab: 1024 } },
  'learned-512': { from: 'learned', change: { vocab: 512 } },
  'learned-2048': { from: 'learned', change: { vocab: 2048 } },
  'learned-linear': { from: 'learned', change: { lr_schedule: 'linear', min_lr: 0 } },
  'learned-muon': { from: 'learned', change: { optimizer: 'muon' } },
  'learned-modern': { from: 'learned', change: { architecture: 'modern' } },
  'modern-rate': { from: 'learned-modern', change: { learning_rate: 3e-3 } },
  modern: { from: 'modern-rate', change: { lr_schedule: 'linear', min_lr: 0 } },
  'modern-muon': { from: 'modern', change: { optimizer: 'muon' } },
  'modern-muon-24': { from: 'modern-muon', change: { batch_size: 24 } },
  'muon-iterations-3': { from: 'modern-muon', change: { muon_iterations: 3 } },
  'muon-0.01': { from: 'modern-muon', change: { muon_learning_rate: 0.01 } },
  'muon-0.04': { from: 'modern-muon', change: { muon_learning_rate: 0.04 } },
  // For more seconds: wider, deeper, a longer block.
  'modern-block-128': { from: 'modern', change: { block_size: 128 } },
  'modern-192': { from: 'modern-block-128', change: { n_embd: 192, learning_rate: 2e-3 } },
  'modern-192-6': { from: 'modern-192', change: { n_layer: 6, n_head: 6 } },
  'modern-192-dropout': { from: 'modern-192', change: { dropout: 0.1 } },
  'modern-192-6-dropout': { from: 'modern-192-6', change: { dropout: 0.1 } },
  'modern-192-6-dropout-0.2': { from: 'modern-192-6', change: { dropout: 0.2 } },
  'modern-192-6-muon': { from: 'modern-192-6', change: { optimizer: 'muon' } },
  'modern-192-6-muon-24': { from: 'modern-192-6-muon', change: { batch_size: 24 } },
  // For little text.
  'modern-512': { from: 'modern', change: { vocab: 512 } },
  'dropout-0.1': { from: 'modern', change: { dropout: 0.1 } },
  'dropout-0.2': { from: 'modern', change: { dropout: 0.2 } },
  'dropout-0.3': { from: 'modern', change: { dropout: 0.3 } },
  'decay-1': { from: 'modern', change: { weight_decay: 1 } },
  'dropout-0.2-decay-1': { from: 'dropout-0.2', change: { weight_decay: 1 } },
};

/** All settings of a variant: its own over those of what it changes. */
export function settingsOf(name: string, table: Readonly<Record<string, Variant>> = variants): Settings {
  const variant = table[name];
  if (!variant) throw new Error(`there is no variant ${name}`);
  return { ...(variant.from === null ? {} : settingsOf(variant.from, table)), ...variant.change };
}

/** A project's configuration with them. @param more of this run: its text, its steps */
export const configOf = (name: string, more: Settings): ProjectConfig =>
  projectConfigSchema.parse({ ...settingsOf(name), ...more });
