/** What the figures were measured on, and how much of it others used meanwhile. Reads Linux's /proc where there is one. */
import { readFileSync } from 'node:fs';
import { multipliesBfloat16 } from '../../main/engine/runtime/processor.js';
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export function describeMachine(threads: number) {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    threads,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
    bf16: multipliesBfloat16(),
    load_average: loadavg()[0] ?? 0,
  };
}

/** Clock ticks of all processors (busy, in all) and of some processes, since the machine and they were started. */
interface ProcessorTime {
  readonly busy: number;
  readonly all: number;
  readonly ours: number;
}

/** Null where the system does not say. */
export function processorTime(pids: readonly number[]): ProcessorTime | null {
  const fields = /^cpu +(.*)$/m.exec(textOf('/proc/stat'))?.[1]?.split(' ').map(Number);
  if (!fields) return null;
  // user nice system idle iowait irq softirq steal: what follows is counted in the first two already.
  const all = fields.slice(0, 8).reduce((sum, ticks) => sum + ticks, 0);
  const busy = all - (fields[3] ?? 0) - (fields[4] ?? 0);
  const ours = pids.reduce((sum, pid) => {
    // pid (name) state ppid … ; user and system time are the 14th and 15th fields, and names may hold spaces.
    const rest =
      textOf(`/proc/${String(pid)}/stat`)
        .split(') ')
        .at(-1)
        ?.split(' ') ?? [];
    return sum + (Number(rest[11] ?? 0) || 0) + (Number(rest[12] ?? 0) || 0);
  }, 0);
  return { busy, all, ours };
}

/** Share of the whole processor, 0 to 1, that other processes took between two looks. */
export function otherLoad(before: ProcessorTime | null, after: ProcessorTime | null): number | null {
  if (!before || !after || after.all <= before.all) return null;
  const others = after.busy - before.busy - (after.ours - before.ours);
  return Math.max(0, others / (after.all - before.all));
}
