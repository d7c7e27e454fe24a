/** A project in memory, for cycles in tests: what a folder on the disk would keep. */
import type { CycleReport } from '../../shared/reports/report.js';
import type { ProjectStore } from '../../main/engine/cycle/cycle-types.js';
import { tokenLengths } from '../../main/engine/tokenizer/token-lengths.js';
import type { RewardSamples, LanguageModel } from '../../main/engine/types.js';
import { memorySlot, patternTokens, samplesInMemory } from './engine.js';

export interface MemoryStore extends ProjectStore {
  readonly models: Map<string, LanguageModel>;
  readonly reports: Map<number, CycleReport>;
  readonly data: Map<string, { readonly train: RewardSamples; readonly val: RewardSamples }>;
}

export function memoryStore(): MemoryStore {
  const models = new Map<string, LanguageModel>();
  const reports = new Map<number, CycleReport>();
  const data: MemoryStore['data'] = new Map();
  const slots = new Map<string, ReturnType<typeof memorySlot>>();
  return {
    models,
    reports,
    data,
    prepare: async () => ({
      train: patternTokens(2000),
      val: patternTokens(300),
      method: 'char',
      vocabSize: 8,
      special: [],
      decode: (ids) => Array.from(ids).join(''),
      createDecoder: () => ({ push: (ids) => Array.from(ids).join(''), flush: () => '' }),
      // As of long words, so that samples, which have 500 characters, take 25 steps.
      lengths: () => tokenLengths(8, (id) => new Array<number>(20).fill(0x30 + id)),
    }),
    slot(name) {
      const slot = slots.get(name) ?? memorySlot();
      slots.set(name, slot);
      return slot;
    },
    loadModel: async (name) => models.get(name) ?? null,
    saveModel: async (name, model) => void models.set(name, structuredClone(model)),
    openRewardData: async (name) => data.get(name) ?? null,
    async createRewardData(name, { model: { block_size } }) {
      const rows: Record<'train' | 'val', { x: number[][]; y: number[] }> = {
        train: { x: [], y: [] },
        val: { x: [], y: [] },
      };
      return {
        settled: { train: { planned: 0, skipped: 0 }, val: { planned: 0, skipped: 0 } },
        append(split, x, y) {
          for (let row = 0; row < y.length / 2; row++) {
            rows[split].x.push(Array.from(x.subarray(row * block_size, (row + 1) * block_size)));
            rows[split].y.push(y[row * 2] ?? NaN);
          }
        },
        async finish() {
          const samples = (split: 'train' | 'val') => samplesInMemory(block_size, rows[split].x, rows[split].y);
          data.set(name, { train: samples('train'), val: samples('val') });
        },
        close: async () => undefined,
      };
    },
    loadReport: async (cycle) => reports.get(cycle) ?? null,
    saveReport: async (report) => void reports.set(report.cycle, structuredClone(report)),
  };
}
