/** What the processor can do that TensorFlow does not say. Reads Linux's /proc; elsewhere nothing is known. */
import { readFileSync } from 'node:fs';

/**
 * All that the processor says it can do: proc(5), one line of flags (x86) or features (Arm) for each core, all the same.
 * Null where the system has no such file.
 */
export function processorAbilities(cpuinfo = '/proc/cpuinfo'): string | null {
  try {
    return /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync(cpuinfo, 'latin1'))?.[1]?.trim() ?? '';
  } catch {
    return null;
  }
}

/** Whether the processor multiplies bfloat16 itself: AVX512_BF16 and AMX, or Arm's. Elsewhere it would be slower than f32. */
export const multipliesBfloat16 = (): boolean => /\b(avx512_bf16|amx_bf16|bf16)\b/.test(processorAbilities() ?? '');
