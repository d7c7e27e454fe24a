/** Several ranks within one process, by the real team over collectives that only lay together what each rank gives. */
import type { Team } from '../../main/engine/team.js';
import { createTeam } from '../../main/cluster/team.js';
import { collectivesOf } from './collectives.js';

/** @param stops whether each rank's user wants to stop */
export function teamOf(stops: readonly Team['stop'][]): readonly Team[] {
  const members = stops.map((_, rank) => `127.0.0.1:${4000 + rank}`);
  return collectivesOf(stops.length).map((collectives, rank) =>
    createTeam({ collectives, rank, members, timeout: 5, stop: stops[rank] ?? { requested: false } }),
  );
}
