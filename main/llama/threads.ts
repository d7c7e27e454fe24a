/** Chooses how many threads compute: with one more than there are free cores, all wait for it, up to sixty times as long. */
import { cpus } from 'node:os';

export interface Usage {
  /** Seconds since some moment. */
  readonly at: number;
  /** Core-seconds that all processes together have used, and this one. */
  readonly all: number;
  readonly own: number;
}

function usageNow(): Usage {
  const all = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  const { user, system } = process.cpuUsage();
  return { at: performance.now() / 1000, all: all / 1000, own: (user + system) / 1e6 };
}

/** Seconds that are measured at least: the system counts in hundredths. */
const SPAN = 0.25;
/** Cores that others may use before a thread makes room: each token has hundreds of places where all threads wait. */
const TOLERATED = 0.1;

/** @returns the number of cores that other processes left free lately, at least 1 */
export function createThreadChoice(cores: number, usage = usageNow): () => number {
  let last = usage();
  let threads = cores;
  return () => {
    const now = usage();
    const seconds = now.at - last.at;
    if (seconds < SPAN) return threads;
    const others = (now.all - last.all - (now.own - last.own)) / seconds;
    last = now;
    return (threads = Math.max(1, Math.min(cores, cores - Math.ceil(others - TOLERATED))));
  };
}
