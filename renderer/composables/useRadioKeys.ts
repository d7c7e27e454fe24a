/**
 * Handles the keys of a group of radio buttons that are no inputs: Tab enters at the chosen one, arrows move choice and
 * focus.
 */

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function useRadioKeys<Key>(keys: () => readonly Key[], chosen: () => unknown, choose: (key: Key) => void) {
  const at = () => keys().findIndex((key) => key === chosen());
  return {
    /** The button at a place; the first is focusable while none is chosen. */
    tabindex: (place: number) => (place === Math.max(0, at()) ? 0 : -1),
    press(event: KeyboardEvent) {
      const step = STEPS[event.key];
      const group = (event.currentTarget as HTMLElement).closest('[role="radiogroup"]');
      if (step === undefined || group === null) return;
      event.preventDefault();
      // Moves by so many places, wrapping from the last to the first.
      const next = (at() + step + keys().length) % keys().length;
      const key = keys()[next];
      if (key !== undefined) choose(key);
      group.querySelectorAll<HTMLElement>('[role="radio"]')[next]?.focus();
    },
  };
}
