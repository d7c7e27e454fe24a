/** Arrow keys among cards of which one is chosen, as in any group of radio buttons: the choice and the focus go together. */
import type { Ref, ShallowRef } from 'vue';

/**
 * @param keys what each card stands for, in their order
 * @param value the chosen one, which may be none of them
 * @returns moves by so many cards, from the last to the first
 */
export function useCardKeys<T extends string | null>(
  keys: () => readonly Exclude<T, null>[],
  value: Ref<T>,
  buttons: Readonly<ShallowRef<HTMLButtonElement[] | null>>,
): (by: number) => void {
  return (by) => {
    const all = keys();
    const next = (all.findIndex((key) => key === value.value) + by + all.length) % all.length;
    value.value = all[next] ?? value.value;
    buttons.value?.[next]?.focus();
  };
}
