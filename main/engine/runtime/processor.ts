/** Instruction sets of the processor, from Linux's /proc. */
import { readFileSync } from 'node:fs';

/** The flags (x86) or features (Arm) of /proc/cpuinfo, the same for each core; null if there is no such file. */
export function processorAbilities(cpuinfo = '/proc/cpuinfo'): string | null {
  try {
    return /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync(cpuinfo, 'latin1'))?.[1]?.trim() ?? '';
  } catch {
    return null;
  }
}

/** Whether the processor multiplies bfloat16 itself (AVX512_BF16, AMX, Arm's); otherwise it is slower than f32. */
export const multipliesBfloat16 = (): boolean => /\b(avx512_bf16|amx_bf16|bf16)\b/.test(processorAbilities() ?? '');
