/**
 * A job that several processes do together, where flags or environment say so. Rank 0 works in the folder that was asked
 * for, and tells how it goes; the others do the same in a folder of their own, which is gone afterwards.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import packageFile from '../../../package.json' with { type: 'json' };
import { onlyCluster, withoutCluster, type ClusterConfig } from '../../../shared/config/cluster.js';
import { UserError } from '../../../shared/errors.js';
import type { JobEvent } from '../../../shared/events.js';
import { joinTeam } from '../../cluster/join.js';
import { keyOf } from '../../cluster/key.js';
import { launchOf } from '../../cluster/launch.js';
import type { Team } from '../../engine/team.js';
import { stableJson } from '../../formats/stable-json.js';
import { cacheFolder, findTensorflow } from '../../installation/locations.mjs';
import type { JobContext, MachineChoice, Results } from '../types.js';
import { openOwnFolder } from './own-folder.js';

type Settings = Readonly<Record<string, unknown>>;

interface Together {
  /** The settings that have to be the same everywhere. */
  readonly settings: Settings;
  readonly context: JobContext;
  /** What to compute with; left out: as the flags say. */
  readonly machine?: MachineChoice;
}

/** Whether this process is one of several, and not the one that has the folder. */
export function isHelper(config: ClusterConfig): boolean {
  return (launchOf(config, process.env)?.rank ?? 0) > 0;
}

/**
 * @param alone does the job where there is nobody else
 * @param together does it with the team; `folder` is null for rank 0, and for the others where to work
 * @returns for the others nothing but their rank
 */
export async function inTeam(
  { settings, context, machine }: Together,
  alone: () => Promise<Results>,
  together: (context: JobContext, folder: string | null) => Promise<Results>,
): Promise<Results> {
  const config = onlyCluster(settings);
  const launch = launchOf(config, process.env);
  if (launch === null) return alone();
  const runtime = await context.runtime(machine);
  const { bindingPath } = findTensorflow();
  if (runtime.kind !== 'tensorflow' || bindingPath === null) throw needsTensorflow();
  context.emit(notice(`Meeting the others: this is rank ${launch.rank} of ${launch.size} (${launch.by})`));
  const team = await joinTeam({
    launch,
    network: config.cluster_network,
    key: keyOf(process.env, join(cacheFolder(), 'cluster-key')),
    timeout: config.cluster_timeout,
    halved: config.cluster_sums === 'bf16',
    every: config.cluster_every,
    stop: context.stop,
    collectivesPath: join(dirname(bindingPath), 'collectives.node'),
  });
  await mustBeSame(team, {
    'the version of Verisim': packageFile.version,
    'TensorFlow’s version': runtime.version,
    'the precision of products': runtime.precision,
    settings: sha256(stableJson(comparable(settings))),
    cluster_sums: config.cluster_sums,
    cluster_every: String(config.cluster_every),
  });
  const began = performance.now();
  const own = team.rank === 0 ? null : openOwnFolder(team.rank);
  try {
    const results = await leavingLast(team, () => together(contextOf(context, team), own?.path ?? null));
    context.emit(notice(waitingWords(team, performance.now() - began)));
    return team.rank === 0 ? results : { rank: team.rank };
  } finally {
    own?.close();
  }
}

/** What was sent last is on its way for a moment longer, and who ends meanwhile takes it along. */
const LAST_WORDS = 300;

/** However work ends, that it was stopped too: this rank is there until the others have what it sent last. */
export async function leavingLast<T>(team: Team, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    await leave(team);
    return result;
  } catch (error) {
    await wait(LAST_WORDS);
    throw error;
  }
}

/** Who leaves first must not look as if it were gone. */
export async function leave(team: Team): Promise<void> {
  await team.agree();
  await wait(LAST_WORDS);
}

/** What is different by machine: where things lie, and what it computes with. */
const ownToEach = new Set([
  'out_dir',
  'output_dir',
  'project',
  'overwrite',
  'device',
  'threads',
  'tensorboard',
  'preset',
]);

const comparable = (settings: Settings) =>
  Object.fromEntries(
    Object.entries(withoutCluster(settings)).filter(
      ([key, value]) => !ownToEach.has(key) && !/_path$|_bin$/.test(key) && value !== undefined,
    ),
  ) as Parameters<typeof stableJson>[0];

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** @throws UserError `cluster` on every rank, that says what is not as rank 0 has it, and where */
export async function mustBeSame(team: Team, facts: Readonly<Record<string, string>>): Promise<void> {
  const all = await team.gather(new TextEncoder().encode(JSON.stringify(facts)));
  const [first = {}, ...others] = all.map(
    (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, string>>,
  );
  const differences = others.flatMap((its, index) =>
    Object.keys(first)
      .filter((what) => its[what] !== first[what])
      .map(
        (what) => `rank ${index + 1} has other ${what} than rank 0 (${short(its[what])}, not ${short(first[what])})`,
      ),
  );
  if (differences.length === 0) return;
  throw new UserError({
    code: 'cluster',
    message: `The members do not agree: ${differences.slice(0, 4).join('; ')}`,
    hint: 'Give every rank the same command, the same program and the same files. Nothing was trained.',
  });
}

const short = (value = 'none') => (/^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value);

function contextOf(context: JobContext, team: Team): JobContext {
  const quiet = (event: JobEvent) => {
    if (event.event === 'notice' && event.level !== 'info') context.emit(event);
  };
  return {
    ...context,
    team,
    stop: team.stop,
    // All of them pause together, within an exchange.
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    emit: team.rank === 0 ? (event) => context.emit(event) : quiet,
    // Only who has the folder can know what was changed in it.
    ...(team.rank === 0 ? {} : { savingShare: 1 }),
  };
}

/** @param lasted milliseconds since the members knew each other */
const waitingWords = ({ rank, waited }: Team, lasted: number): string =>
  `Rank ${rank} spent ${(waited / 1000).toFixed(1)} of ${(lasted / 1000).toFixed(1)} s on sending, receiving and waiting for others`;

const notice = (message: string): JobEvent => ({ event: 'notice', level: 'info', code: 'cluster', message });

const needsTensorflow = () =>
  new UserError({
    code: 'runtime_missing',
    message: 'Several processes can work together only with TensorFlow, which is not installed or does not load.',
    hint: 'Run: npm run setup',
  });
