/**
 * How a run and whoever else looks at its project speak with each other where nothing but the folder connects them: a run that
 * was started in a terminal tells here where it is, and is asked to pause, stop or change. Everything lies in the folder of its
 * lock, and goes with that: nothing of it is ever another run's.
 *
 *     lock/run.json             where the run is
 *     lock/asked-<when>-<id>    what it is asked; taken-<id> while it does that
 *     lock/refused-<id>         why not
 */
import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runTold, type RunTold } from '../../../shared/contract/elsewhere.js';
import { steering as steeringSchema, type Steering } from '../../../shared/contract/trainer.js';
import { faultSchema, toFault, UserError, type Fault } from '../../../shared/errors.js';
import { plainJson, stableJson } from '../../formats/stable-json.js';
import { systemCode } from '../../../shared/file-faults.js';
import { writeNewFile } from '../disk/file-bytes.js';
import { nodeFileOperations as ops } from '../disk/file-operations.js';
import { readJson } from '../disk/json-file.js';
import { lockFolder, lockHolder } from '../disk/lock.js';

const RUN = 'run.json';
const asked = /^asked-\d+-([0-9a-f-]{36})$/;
/** How long who asks waits for an answer: a run answers between two steps. */
const PATIENCE = 10_000;
const LOOKING = 100;

/** Puts a file there in one step. @returns whether there was a run to put it before */
function put(project: string, name: string, value: object): boolean {
  const folder = lockFolder(project);
  const temporary = path.join(folder, `tmp-${randomUUID()}`);
  try {
    writeNewFile(temporary, stableJson(plainJson(value)), ops);
    ops.rename(temporary, path.join(folder, name));
    return true;
  } catch (error) {
    // The lock is gone, and what was in it: the folder is not made anew, or nobody could take it.
    if (systemCode(error) === 'ENOENT') return false;
    ops.remove(temporary);
    throw error;
  }
}

/** By the run: where it is now. */
export function tellRun(project: string, told: RunTold): void {
  put(project, RUN, told);
}

/** Where the run is that holds a project; null where nobody does, or who does takes no requests. */
export function readRun(project: string): RunTold | null {
  return lockHolder(project) === null ? null : readJson(path.join(lockFolder(project), RUN), runTold);
}

/**
 * By the run, between two steps: does what was asked since the last time, in that order.
 * @param act throws what is told to who has asked
 * @param onRefused of each that was not done
 */
export function takeRequests(
  project: string,
  act: (steering: Steering) => void,
  onRefused: (fault: Fault) => void,
): void {
  const folder = lockFolder(project);
  if (ops.kind(folder) !== 'folder') return;
  for (const name of ops.list(folder)) {
    const [, id] = asked.exec(name) ?? [];
    if (id === undefined) continue;
    const file = path.join(folder, `taken-${id}`);
    // What cannot be taken away must not be done again and again.
    ops.rename(path.join(folder, name), file);
    try {
      const steering = readJson(file, steeringSchema);
      if (steering === null) throw notUnderstood();
      act(steering);
    } catch (error) {
      const fault = toFault(error);
      put(project, `refused-${id}`, fault);
      onRefused(fault);
    }
    ops.remove(file);
  }
}

/**
 * Asks the run that holds a project. Returns when it has taken that, has ended, or is at a step that takes long: it is then
 * done between that one and the next.
 * @throws UserError `bad_input` where there is no run that takes requests, or what it refuses with
 */
export async function askRun(project: string, steering: Steering): Promise<void> {
  const id = randomUUID();
  const name = `asked-${String(Date.now()).padStart(15, '0')}-${id}`;
  if (readRun(project) === null || !put(project, name, steering)) throw nobodyAsks(project);
  const [before, after, answer] = [name, `taken-${id}`, `refused-${id}`].map((each) =>
    path.join(lockFolder(project), each),
  ) as [string, string, string];
  const isOpen = () => [before, after].some((file) => ops.kind(file) !== 'none');
  for (let waited = 0; waited < PATIENCE && isOpen(); waited += LOOKING) await wait(LOOKING);
  const fault = readJson(answer, faultSchema);
  if (fault === null) return;
  ops.remove(answer);
  throw new UserError(fault);
}

const notUnderstood = () =>
  new UserError({
    code: 'bad_input',
    message: 'What was asked through the project’s folder is not understood',
    hint: 'Parts of two versions of Verisim may be at work: use the same for both.',
  });

const nobodyAsks = (project: string) =>
  new UserError({
    code: 'bad_input',
    message: `${path.basename(project)} is not running`,
    hint: 'Start it first.',
  });
