/** The cycle's store on a project folder: models, reward data, reports and logs, each whole or not there at all. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/events.js';
import type { CycleReport, PreparedTokens, ProjectStore } from '../engine/cycle.js';
import { stableJson } from '../engine/stable-json.js';
import type { CheckpointSlot, Json } from '../engine/types.js';
import { ensureFolder, writeFileAtomic } from '../storage/atomic.js';
import { createCheckpointSlot, type StoredCheckpointSlot } from '../storage/checkpoint-store.js';
import { readText } from '../storage/file-bytes.js';
import { cutBack, openJsonLines, type JsonLinesWriter } from '../storage/json-lines.js';
import { loadModel, saveModel } from '../storage/models.js';
import { createRewardDatasetWriter, openRewardDataset } from '../storage/reward-dataset-files.js';
import type { OpenedProject } from './project.js';
import { rewardDataFacts } from './reward-data-settings.js';
import type { JobContext } from './types.js';

/** What every reader of a report needs; the rest is the engine's. */
const reportSchema = z.looseObject({
  cycle: z.int().min(0),
  name: z.string(),
  val_loss: z.number().nullable(),
  perplexity: z.number().nullable(),
  samples: z.array(z.object({ prompt: z.string(), completion: z.string() })),
});

export interface LoggingStore extends ProjectStore {
  /** The context whose events are also kept: metrics by cycle, what happened in events.jsonl. */
  readonly context: JobContext;
  /** Keeps an event without telling it again. */
  log(event: JobEvent): void;
  close(): void;
}

export function createProjectStore({ project, config, text }: OpenedProject, outer: JobContext): LoggingStore {
  const { paths } = project;
  const events = openJsonLines(paths.events);
  const metrics = new Map<number, JsonLinesWriter>();
  const completions = new Map<number, JsonLinesWriter>();
  const slots = new Map<string, StoredCheckpointSlot>();

  const opened = (logs: Map<number, JsonLinesWriter>, cycle: number, kind: 'metrics' | 'completions') => {
    const log = logs.get(cycle) ?? openJsonLines(paths.cycle(cycle)[kind]);
    logs.set(cycle, log);
    return log;
  };
  const log = (event: JobEvent) => {
    if (event.event === 'metrics') opened(metrics, event.cycle ?? 0, 'metrics').append(event);
    else if (event.event === 'phase' || event.event === 'notice') {
      events.append({ at: new Date(outer.now()).toISOString(), ...event });
    }
  };
  const context: JobContext = {
    ...outer,
    stop: outer.stop,
    emit(event) {
      // The text was prepared, and that was told, before there was a store.
      if (event.event === 'phase' && event.phase === 'prepare') return;
      log(event);
      outer.emit(event);
    },
  };

  /** After a resume, what was logged past the checkpoint is logged again. */
  const cutLogs = (name: string, step: number) => {
    const { cycle, phase } = placeOf(name);
    const cut = (logs: Map<number, JsonLinesWriter>, file: string, keep: (row: LoggedStep) => boolean) => {
      logs.get(cycle)?.close();
      logs.delete(cycle);
      if (existsSync(file)) cutBack(file, (row) => keep(row as LoggedStep));
    };
    const inside = paths.cycle(cycle);
    cut(metrics, inside.metrics, (row) => row.phase !== phase || (row.step ?? 0) <= step);
    if (phase === 'grpo') cut(completions, inside.completions, (row) => (row.step ?? 0) <= step);
  };

  const slotOf = (name: string) => {
    const onNotice = (message: string) =>
      context.emit({ event: 'notice', level: 'warning', code: 'checkpoint', message });
    const slot = slots.get(name) ?? createCheckpointSlot(paths.progress(name), { onNotice });
    slots.set(name, slot);
    return slot;
  };

  const rewardFolder = (name: string) => paths.cycle(placeOf(name).cycle).rewardData;

  return {
    context,
    log,
    async prepare(): Promise<PreparedTokens> {
      const { train, val, tokenizer } = text;
      return {
        train,
        val,
        method: tokenizer.method,
        vocabSize: tokenizer.vocabSize,
        decode: (ids) => tokenizer.decode(ids),
      };
    },
    slot(name): CheckpointSlot {
      const slot = slotOf(name);
      return {
        async latest() {
          const checkpoint = await slot.latest();
          cutLogs(name, Number(checkpoint?.state['step'] ?? 0));
          return checkpoint;
        },
        async save(checkpoint, step) {
          for (const logs of [metrics, completions]) logs.get(placeOf(name).cycle)?.sync();
          await slot.save(checkpoint, step);
          context.emit({ event: 'checkpoint', name, step });
        },
      };
    },
    async loadModel(name) {
      if (!existsSync(paths.model(name))) return null;
      const { config, weights } = loadModel(paths.model(name));
      return { model: config, weights };
    },
    async saveModel(name, { model, weights }, facts) {
      const provenance = { ...(JSON.parse(JSON.stringify(facts)) as Record<string, Json>), name };
      saveModel(paths.model(name), { weights, config: model, tokenization: text.tokenization, provenance });
    },
    async openRewardData(name) {
      const folder = rewardFolder(name);
      if (!existsSync(folder)) return null;
      return { train: openRewardDataset(folder, 'train'), val: openRewardDataset(folder, 'val') };
    },
    async createRewardData(name, { model, weights }, seed) {
      const { method, vocabSize } = text.tokenizer;
      const folder = rewardFolder(name);
      ensureFolder(paths.cycle(placeOf(name).cycle).folder);
      const blockSize = model.block_size;
      const trainSplit = config.input_mode === 'text' ? config.train_split : null;
      const writer = createRewardDatasetWriter(folder, {
        blockSize,
        tokenization: { method, vocabSize, metaPath: text.metaPath },
        ...rewardDataFacts({ weights, blockSize, vocabSize, tokens: text, config, seed, trainSplit }),
        overwrite: true,
      });
      return {
        settled: writer.settled,
        append: (split, x, y, settled) => writer.append(split, x, y, settled),
        finish: async () => writer.finish(),
        close: async () => writer.close(),
      };
    },
    keepCompletions(cycle, rows) {
      for (const row of rows) opened(completions, cycle, 'completions').append(row);
    },
    async loadReport(cycle) {
      const file = paths.cycle(cycle).report;
      return existsSync(file) ? parseReport(file, readText(file)) : null;
    },
    async saveReport(report) {
      const { samples, report: file } = paths.cycle(report.cycle);
      ensureFolder(paths.cycle(report.cycle).folder);
      metrics.get(report.cycle)?.sync();
      const rows = report.samples.map((sample) =>
        JSON.stringify({ cycle: report.cycle, name: report.name, ...sample }),
      );
      writeFileAtomic(samples, rows.map((row) => `${row}\n`).join(''));
      // The report is what says that the cycle is over: it comes after everything else.
      writeFileAtomic(file, `${stableJson(JSON.parse(JSON.stringify(report)) as Json, 2)}\n`);
      for (const [name, slot] of slots) if (placeOf(name).cycle === report.cycle) slot.clear();
      events.sync();
    },
    close() {
      events.close();
      for (const logs of [metrics, completions]) for (const writer of logs.values()) writer.close();
    },
  };
}

interface LoggedStep {
  readonly phase?: string;
  readonly step?: number;
}

function parseReport(file: string, text: string): CycleReport {
  try {
    return reportSchema.parse(JSON.parse(text)) as unknown as CycleReport;
  } catch (error) {
    throw new UserError(
      {
        code: 'file_damaged',
        message: `${file} is damaged`,
        hint: 'Delete it: the cycle is then finished again from its last checkpoint.',
      },
      { cause: error },
    );
  }
}

/** Which cycle a model or dataset belongs to, and which phase makes it: base_model_v2 is what GRPO of cycle 1 makes. */
function placeOf(name: string): { readonly cycle: number; readonly phase: string } {
  const [, kind, version] = /^(base_model|reward_data|reward_model)_v(\d+)$/.exec(name) ?? [];
  if (kind === undefined) throw new Error(`not the name of something a cycle makes: ${name}`);
  if (kind !== 'base_model') return { cycle: Number(version), phase: kind };
  const cycle = Number(version) - 1;
  return { cycle, phase: cycle === 0 ? 'base_training' : 'grpo' };
}
