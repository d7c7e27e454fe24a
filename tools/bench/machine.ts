/** Describes the machine of the figures. */
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import { multipliesBfloat16 } from '../../main/engine/runtime/processor.js';

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
