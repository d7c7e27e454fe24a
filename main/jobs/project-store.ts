/** The cycle's store on a project folder: models, reward data, reports and logs, each whole or not there at all. */
import { z } from 'zod';
import packageFile from '../../package.json' with { type: 'json' };
import { UserError } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/events.js';
import type { CycleReport, PreparedTokens, ProjectStore } from '../engine/cycle-types.js';
import { parseBoundedJson } from '../engine/bounded-json.js';
import { stableJson } from '../engine/stable-json.js';
import type { CheckpointSlot, Json } from '../engine/types.js';
import { ensureFolder, writeFileAtomic } from '../storage/atomic.js';
import { createCheckpointSlot, type StoredCheckpointSlot } from '../storage/checkpoint-store.js';
import { type Circumstances, circumstancesNow, noteCircumstances } from '../storage/circumstances.js';
import { readText } from '../storage/file-bytes.js';
import { onFile } from '../storage/file-errors.js';
import { nodeFileOperations } from '../storage/file-operations.js';
import { cutBack, openJsonLines, type JsonLinesWriter, type RowsToKeep } from '../storage/json-lines.js';
import { createTensorboard } from '../storage/tensorboard.js';
import { loadModel, saveModel } from '../storage/models.js';
import { createRewardDatasetWriter, openRewardDataset, recoverRewardDataset } from '../storage/reward-dataset-files.js';
import { loggedProgress, type PhaseLog } from './logged-progress.js';
import { notExact } from './not-exact.js';
import type { OpenedProject } from './project.js';
import { rewardDataFacts } from './reward-data-settings.js';
import { createSavingPace, SAVING_SHARE } from './saving-pace.js';
import type { JobContext } from './types.js';

/** What every reader of a report needs; the rest is the engine's. */
const reportSchema = z.looseObject({
  cycle: z.int().min(0),
  name: z.string(),
  val_loss: z.number().nullable(),
  perplexity: z.number().nullable(),
  samples: z.array(z.object({ prompt: z.string(), completion: z.string() })),
});

interface LoggedRow {
  readonly phase?: string;
  readonly step?: number;
}

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
  const pace = createSavingPace(outer.savingShare ?? SAVING_SHARE);

  const tensorboard = config.tensorboard ? createTensorboard(paths.tensorboard) : null;

  const opened = (logs: Map<number, JsonLinesWriter>, cycle: number, kind: 'metrics' | 'completions') => {
    const log = logs.get(cycle) ?? openJsonLines(paths.cycle(cycle)[kind]);
    logs.set(cycle, log);
    return log;
  };
  const log = (event: JobEvent) => {
    if (event.event === 'metrics') {
      opened(metrics, event.cycle ?? 0, 'metrics').append(event);
      const run = `${String(event.cycle ?? 0).padStart(2, '0')}-${event.phase}`;
      tensorboard?.append(run, event.step, event.values, outer.now());
    } else if (event.event === 'phase' || event.event === 'notice') {
      events.append({ at: new Date(outer.now()).toISOString(), ...event });
      events.sync(); // they are few, and nothing that was said is to be lost or garbled
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

  /** The logs of the phase that makes `name`: its cycle's metrics, which the cycle's phases share, and its completions. */
  const logOf = (name: string): PhaseLog => {
    const { cycle, phase } = placeOf(name);
    const inside = paths.cycle(cycle);
    const cut = (logs: Map<number, JsonLinesWriter>, file: string, keep: RowsToKeep) => {
      logs.get(cycle)?.close();
      logs.delete(cycle);
      cutBack(file, keep);
    };
    return {
      settle() {
        for (const logs of [metrics, completions]) logs.get(cycle)?.sync();
        return opened(metrics, cycle, 'metrics').byteLength;
      },
      cut(step, bytes) {
        const isEarlier = (row: unknown) => ((row as LoggedRow).step ?? 0) <= step;
        const isOthers = (row: unknown) => (row as LoggedRow).phase !== phase;
        // What a later phase of this cycle has logged since stays: this phase was over then.
        const keep = bytes === null ? (row: unknown) => isOthers(row) || isEarlier(row) : isOthers;
        if (phase === 'grpo') cut(completions, inside.completions, { keep: isEarlier });
        cut(metrics, inside.metrics, bytes === null ? { keep } : { after: bytes, keep });
      },
    };
  };

  let circumstances: Promise<Circumstances> | null = null;
  /** Before anything is computed: says so when this is not the machine, or the version, of what is there already. */
  const beginWork = () =>
    (circumstances ??= outer.runtime(config).then((runtime) => {
      const now = circumstancesNow(packageFile.version, runtime, config.threads);
      const changes = noteCircumstances(paths.circumstances, now, new Date(outer.now()).toISOString());
      if (changes.length > 0) context.emit(notExact(changes));
      return now;
    }));

  const slotOf = (name: string) => {
    const onNotice = (message: string) =>
      context.emit({ event: 'notice', level: 'warning', code: 'checkpoint', message });
    const slot = slots.get(name) ?? createCheckpointSlot(paths.progress(name), { onNotice });
    slots.set(name, slot);
    return slot;
  };

  /** The cycle is over: what its phases would have gone on from goes, the critic's and the compared models' too. */
  const clearProgress = (cycle: number) => {
    const names = onFile(paths.checkpoints, 'read', () =>
      nodeFileOperations.kind(paths.checkpoints) === 'folder' ? nodeFileOperations.list(paths.checkpoints) : [],
    );
    for (const entry of names) {
      const [, name] = /^(.+)\.progress$/.exec(entry) ?? [];
      if (name !== undefined && placeIfKnown(name)?.cycle === cycle) slotOf(name).clear();
    }
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
      const onNotice = (message: string) =>
        context.emit({ event: 'notice', level: 'warning', code: 'checkpoint', message });
      const progress = async () => {
        const made = { ...(await beginWork()), configuration: plain(config) };
        return loggedProgress({ slot: slotOf(name), log: logOf(name), made, onNotice });
      };
      return {
        latest: async () => (await progress()).latest(),
        due: () => pace.due(),
        async save(checkpoint, step) {
          await pace.saved(async () => (await progress()).save(checkpoint, step));
          context.emit({ event: 'checkpoint', name, step });
        },
      };
    },
    hasModel: async (name) => isThere(paths.model(name)),
    async loadModel(name) {
      if (!isThere(paths.model(name))) return null;
      const { config, weights } = loadModel(paths.model(name));
      return { model: config, weights };
    },
    async saveModel(name, { model, weights }, facts) {
      const provenance = { ...plain(facts), name };
      saveModel(paths.model(name), { weights, config: model, tokenization: text.tokenization, provenance });
    },
    async openRewardData(name) {
      const folder = rewardFolder(name);
      recoverRewardDataset(folder);
      if (!isThere(folder)) return null;
      return { train: openRewardDataset(folder, 'train'), val: openRewardDataset(folder, 'val') };
    },
    async createRewardData(name, { model, weights }, seed) {
      await beginWork();
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
    async savePredictions(cycle, predictions) {
      // Not with the report: the samples that were judged most wrongly are looked at while GRPO still runs.
      writeFileAtomic(paths.cycle(cycle).rewardPredictions, `${JSON.stringify([...predictions])}\n`);
    },
    async loadReport(cycle) {
      const file = paths.cycle(cycle).report;
      if (!isThere(file)) return null;
      const report = parseReport(file, readText(file));
      clearProgress(cycle); // a crash may have come between the report and this
      return report;
    },
    async saveReport(report) {
      const { samples, report: file } = paths.cycle(report.cycle);
      ensureFolder(paths.cycle(report.cycle).folder);
      for (const logs of [metrics, completions]) logs.get(report.cycle)?.sync();
      const rows = report.samples.map((sample) =>
        JSON.stringify({ cycle: report.cycle, name: report.name, ...sample }),
      );
      writeFileAtomic(samples, rows.map((row) => `${row}\n`).join(''));
      // The report is what says that the cycle is over: it comes after everything else.
      writeFileAtomic(file, `${stableJson(plain(report), 2)}\n`);
      clearProgress(report.cycle);
    },
    close() {
      events.close();
      tensorboard?.close();
      for (const logs of [metrics, completions]) for (const writer of logs.values()) writer.close();
    },
  };
}

const isThere = (path: string) => onFile(path, 'read', () => nodeFileOperations.kind(path)) !== 'none';

/** As JSON has it: without what is undefined; what is not a number becomes null. */
const plain = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, Json>;

function parseReport(file: string, text: string): CycleReport {
  try {
    return reportSchema.parse(parseBoundedJson(text)) as unknown as CycleReport;
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

interface Place {
  readonly cycle: number;
  readonly phase: string;
}

function placeOf(name: string): Place {
  const place = placeIfKnown(name);
  if (place === null) throw new Error(`not the name of something a cycle makes: ${name}`);
  return place;
}

/** Which cycle a model or dataset belongs to, and which phase makes it: base_model_v2 is what GRPO of cycle 1 makes. */
function placeIfKnown(name: string): Place | null {
  const [, kind, version] =
    /^(base_model|reward_data|reward_model|critic_model|judge_model)_v(\d+)(?:_\w+)?$/.exec(name) ?? [];
  if (kind === undefined) return null;
  if (kind === 'judge_model') return { cycle: 0, phase: 'judge' };
  if (kind === 'critic_model') return { cycle: Number(version), phase: 'critic' };
  if (kind !== 'base_model') return { cycle: Number(version), phase: kind };
  const cycle = Number(version) - 1;
  return { cycle, phase: cycle === 0 ? 'base_training' : 'grpo' };
}
