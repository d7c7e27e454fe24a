/**
 * Runs a job in a team if flags or environment describe one. Rank 0 works in the folder that the user named and reports
 * progress; the other ranks do the same work in temporary folders.
 */
import { localized } from '../../../shared/messages/message.js';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import packageFile from '../../../package.json' with { type: 'json' };
import { onlyCluster, withoutCluster, type ClusterConfig } from '../../../shared/config/cluster.js';
import { UserError } from '../../../shared/errors.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { joinTeam } from '../../cluster/join.js';
import { launchOf } from '../../cluster/launch.js';
import type { Team } from '../../engine/team.js';
import { stableJson } from '../../formats/stable-json.js';
import { findTensorflow } from '../../installation/locations.mjs';
import type { JobContext, MachineChoice, Results } from '../types.js';
import { openOwnFolder } from './own-folder.js';

type Settings = Readonly<Record<string, unknown>>;

interface TeamJob {
  /** The settings that must be the same on every rank. */
  readonly settings: Settings;
  readonly context: JobContext;
  /** The device to compute with; by default as the flags say. */
  readonly machine?: MachineChoice;
}

/** Whether this process is a rank other than 0, which stores no results. */
export function isHelper(config: ClusterConfig): boolean {
  return (launchOf(config, process.env)?.rank ?? 0) > 0;
}

/**
 * @param alone does the job without a team
 * @param together does it in the team; `folder` is null for rank 0, a temporary folder for the others
 * @returns for the other ranks only their rank
 */
export async function inTeam(
  { settings, context, machine }: TeamJob,
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
    timeout: config.cluster_timeout,
    stop: context.stop,
    collectivesPath: join(dirname(bindingPath), 'collectives.node'),
  });
  await mustBeSame(team, {
    'the version of Verisim': packageFile.version,
    'TensorFlow’s version': runtime.version,
    'the precision of products': runtime.precision,
    settings: sha256(stableJson(comparable(settings))),
  });
  const startedAt = performance.now();
  const own = team.rank === 0 ? null : openOwnFolder(team.rank);
  try {
    const results = await leavingLast(team, () => together(contextOf(context, team), own?.path ?? null));
    context.emit(notice(waitingMessage(team, performance.now() - startedAt)));
    return team.rank === 0 ? results : { rank: team.rank };
  } finally {
    own?.close();
  }
}

/** Milliseconds until the last message has arrived: a process that exits earlier would take it along. */
const DELIVERY = 300;

/** Keeps this rank alive, however its work ends, until the others have its last message. */
export async function leavingLast<T>(team: Team, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    // A rank that leaves before the others have finished would look dead to them.
    await team.agree();
    return result;
  } finally {
    await wait(DELIVERY);
  }
}

/** Settings that may differ by machine: paths and devices. */
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

/** @throws UserError `cluster` on every rank that names each difference from rank 0 and its rank */
export async function mustBeSame(team: Team, facts: Readonly<Record<string, string>>): Promise<void> {
  const all = await team.gather(new TextEncoder().encode(JSON.stringify(facts)));
  const [first = {}, ...others] = all.map(
    (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, string>>,
  );
  const differences = others.flatMap((other, index) =>
    Object.keys(first)
      .filter((fact) => other[fact] !== first[fact])
      .map(
        (fact) => `rank ${index + 1} has other ${fact} than rank 0 (${short(other[fact])}, not ${short(first[fact])})`,
      ),
  );
  if (differences.length === 0) return;
  throw new UserError({
    code: 'cluster',
    message: localized('cluster.members_disagree', { differences: differences.slice(0, 4).join('; ') }),
    hint: localized('cluster.same_command'),
  });
}

const short = (value = 'none') => (/^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value);

function contextOf(context: JobContext, team: Team): JobContext {
  const quiet = (event: JobEvent) => {
    if (event.event === 'notice' && event.level !== 'info') context.emit(event);
  };
  return { ...context, team, stop: team.stop, emit: team.rank === 0 ? (event) => context.emit(event) : quiet };
}

/** @param lasted milliseconds since the team was joined */
const waitingMessage = ({ rank, waited }: Team, lasted: number): string =>
  `Rank ${rank} spent ${(waited / 1000).toFixed(1)} of ${(lasted / 1000).toFixed(1)} s on sending, receiving and waiting for others`;

const notice = (message: string): JobEvent => ({ event: 'notice', level: 'info', code: 'cluster', message });

const needsTensorflow = () =>
  new UserError({
    code: 'runtime_missing',
    message: localized('cluster.needs_tensorflow'),
    hint: localized('cluster.run_setup'),
  });
