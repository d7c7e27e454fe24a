/**
 * Runs a job in a team if flags or environment describe one. Rank 0 works in the folder that the user named and reports
 * progress; the other ranks do the same work in temporary folders.
 */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import packageFile from '../../../package.json' with { type: 'json' };
import { onlyCluster, withoutCluster, type ClusterConfig } from '../../../shared/config/cluster.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { joinTeam } from '../../cluster/join.js';
import { launchOf } from '../../cluster/launch.js';
import type { Team } from '../../engine/team.js';
import type { NamedArrays } from '../../engine/types.js';
import { stableJson } from '../../formats/stable-json.js';
import { findTensorflow } from '../../installation/locations.mjs';
import { isRunning, ownStart } from '../../installation/process-identity.mjs';
import { makeTemporaryFolder } from '../../storage/disk/temporary-folder.js';
import { notice, type JobContext, type MachineChoice, type Results } from '../types.js';
import { pack } from './shared-project.js';

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
  if (runtime.kind !== 'tensorflow' || bindingPath === null) {
    throw new UserError({
      code: 'runtime_missing',
      message: localized('cluster.needs_tensorflow'),
      hint: localized('cluster.run_setup'),
    });
  }
  const { rank, size, by } = launch;
  context.emit(notice('cluster', localized('cluster.meeting', { rank, size, by })));
  const team = await joinTeam({
    launch,
    network: config.cluster_network,
    timeout: PATIENCE,
    stop: context.stop,
    collectivesPath: join(dirname(bindingPath), 'collectives.node'),
  });
  await mustBeSame(team, {
    verisim: packageFile.version,
    tensorflow: runtime.version,
    precision: runtime.precision,
    settings: createHash('sha256')
      .update(stableJson(comparable(settings)))
      .digest('hex'),
  });
  const startedAt = performance.now();
  const own = rank === 0 ? null : openOwnFolder(rank);
  try {
    const results = await leavingLast(team, () => together(contextOf(context, team), own?.path ?? null));
    const [waited, lasted] = [team.waited, performance.now() - startedAt].map((time) => (time / 1000).toFixed(1));
    context.emit(notice('cluster', localized('cluster.waited', { rank, waited, lasted })));
    return rank === 0 ? results : { rank };
  } finally {
    own?.close();
  }
}

/** Milliseconds until the last message has arrived: a process that exits earlier would lose it. */
const DELIVERY = 300;
/** Seconds for a member that takes no part. */
const PATIENCE = 600;

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

/** Settings that may differ by machine, next to paths. */
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

const facts = ['verisim', 'tensorflow', 'precision', 'settings', 'text'] as const;

/** @throws UserError `cluster` on every rank that names each difference from rank 0 and its rank */
export async function mustBeSame(
  team: Team,
  own: Readonly<Partial<Record<(typeof facts)[number], string>>>,
): Promise<void> {
  const all = await team.gather(new TextEncoder().encode(JSON.stringify(own)));
  const [first = {}, ...others] = all.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as typeof own);
  const differences = others.flatMap((other, index) =>
    facts
      .filter((fact) => other[fact] !== first[fact])
      .map((fact) => {
        const [here, there] = [other[fact], first[fact]].map((value) =>
          value?.replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1'),
        );
        return localized('cluster.difference', {
          rank: index + 1,
          fact: localized(`cluster.fact.${fact}`),
          here,
          there,
        });
      }),
  );
  if (differences.length === 0) return;
  throw new UserError({
    code: 'cluster',
    message: localized('cluster.members_disagree', { differences: differences.slice(0, 4) }),
    hint: localized('cluster.same_command'),
  });
}

/**
 * Reports whether all ranks ended with the same weights, which machines of other kinds may round differently.
 * @param model its name; null for the model of a single command
 */
export async function compareWeights(team: Team, model: string | null, weights: NamedArrays, emit: JobContext['emit']) {
  const own = createHash('sha256')
    .update(pack({ weights, state: {} }))
    .digest();
  const [first = '', ...others] = (await team.gather(own)).map((bytes) => Buffer.from(bytes).toString('hex'));
  const ranks = others.flatMap((other, index) => (other === first ? [] : [String(index + 1)])).join(', ');
  if (ranks === '') {
    const same = localized('cluster.same_weights', { size: team.size, model, hash: first.slice(0, 16) });
    emit(notice('cluster', same));
  } else emit(notice('cluster', localized('cluster.other_weights', { ranks, model }), 'warning'));
}

function contextOf(context: JobContext, team: Team): JobContext {
  const onlyWarnings: JobContext['emit'] = (event) => {
    if (event.event === 'notice' && event.level !== 'info') context.emit(event);
  };
  return { ...context, team, stop: team.stop, emit: team.rank === 0 ? (event) => context.emit(event) : onlyWarnings };
}

/**
 * Makes the temporary folder of a rank other than 0, and deletes those of ranks on this machine that were killed. Its name
 * identifies its process from the start: `verisim-rank-<rank>-<machine>-<process>-<its start>-…`; machines may share the disk.
 */
export function openOwnFolder(rank: number): { readonly path: string; close(): void } {
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  const folder = makeTemporaryFolder(`rank-${rank}-${machine}-${process.pid}-${ownStart}`);
  for (const name of readdirSync(tmpdir())) {
    const [, where, pid, start = ''] = /^verisim-rank-\d+-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-/.exec(name) ?? [];
    if (where !== machine || isRunning(Number(pid), start)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
  return { path: join(folder.path, 'work'), close: folder.remove };
}
