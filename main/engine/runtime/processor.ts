/** What the processor can do that TensorFlow does not say. Reads Linux's /proc; elsewhere the answer is no. */
import { readFileSync } from 'node:fs';

/** Whether the processor multiplies bfloat16 itself: AVX512_BF16 and AMX, or Arm's. Elsewhere it would be slower than f32. */
export function multipliesBfloat16(): boolean {
  try {
    return /\b(avx512_bf16|amx_bf16|bf16)\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

/** All that the processor says it can do (proc(5): one line of flags for each core, all the same); empty elsewhere. */
export function processorAbilities(): string {
  try {
    return /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'latin1'))?.[1]?.trim() ?? '';
  } catch {
    return '';
  }
}
