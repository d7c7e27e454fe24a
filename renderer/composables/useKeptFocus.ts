/**
 * The keyboard's focus does not vanish with what had it: a row that is taken out, a button that becomes another one. Without
 * this the page's body has it then: nothing is read out, no key is heard, and nobody sees where they are. It goes to what
 * stands in its place, or to where it was before. A button that is off while it does its work has it again when that is done.
 */
import { onMounted, onScopeDispose } from 'vue';

const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex]):not([tabindex="-1"], :disabled)';
/** What shows a whole screen: all of it may be another by now. */
const WHOLE = 'body, #content, .screen';
/** So many places that it was at before are remembered. */
const MOST_EARLIER = 12;
/** Milliseconds after which a button that is off, and does not say that it works, is not waited for. */
const OFF = 400;

/** Where the focus is, or was: what is kept of an element that may go, and is not kept from going. */
interface Place {
  readonly element: WeakRef<HTMLElement>;
  /** What surrounds it within the screen, from near to far, and how many others come before it there. */
  readonly around: readonly { readonly box: WeakRef<Element>; readonly before: number }[];
}

/** @param fallback where it goes when nothing else is left */
export function useKeptFocus(fallback: () => HTMLElement | null): void {
  /** The last one first. */
  let places: readonly Place[] = [];
  let frame = 0;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function remember({ target }: FocusEvent) {
    if (!(target instanceof HTMLElement)) return;
    clearTimeout(waiting);
    const others = places.filter(({ element }) => element.deref() !== target);
    places = [placeOf(target), ...others].slice(0, MOST_EARLIER);
  }
  /** @param isOver nothing more is waited for */
  function keep(isOver: boolean) {
    const element = places[0]?.element.deref();
    if (places.length === 0 || !isLost() || (element && isThere(element))) return;
    if (element && isOff(element) && !isOver) {
      clearTimeout(waiting);
      if (!doesWork(element)) waiting = setTimeout(() => keep(true), OFF);
      return;
    }
    // A menu goes before what it was opened from, which may go with it.
    const next = places.map(leftOf).find((one) => one !== undefined) ?? fallback();
    next?.focus();
  }
  /** When what changed is drawn: the browser takes the focus from what is hidden or off no sooner. */
  function look() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => keep(false));
    });
  }
  const changes = new MutationObserver((all) => {
    if (places.length === 0) return;
    const element = places[0]?.element.deref();
    if (!element?.isConnected) return look();
    const isSwitched = all.some(({ type, target }) => type === 'attributes' && target === element);
    if (!isSwitched) return;
    if (isLost() && isThere(element)) element.focus({ preventScroll: true });
    else look();
  });
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget === null) look();
  };

  onMounted(() => {
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', leave);
    changes.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
  });
  onScopeDispose(() => {
    document.removeEventListener('focusin', remember);
    document.removeEventListener('focusout', leave);
    changes.disconnect();
    cancelAnimationFrame(frame);
    clearTimeout(waiting);
  });
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;
const isOff = (element: HTMLElement): boolean => element.isConnected && element.matches(':disabled');
/** The library's buttons turn an icon meanwhile, and say it in no other way. */
const doesWork = (element: HTMLElement): boolean => element.querySelector('.animate-spin') !== null;
const isThere = (element: HTMLElement): boolean =>
  element.isConnected && !isOff(element) && element.getClientRects().length > 0;

const focusableIn = (box: ParentNode): HTMLElement[] => [...box.querySelectorAll<HTMLElement>(FOCUSABLE)];

function placeOf(element: HTMLElement): Place {
  const all = focusableIn(document);
  const at = Math.max(0, all.indexOf(element));
  const around: { box: WeakRef<Element>; before: number }[] = [];
  let first = at;
  // The whole screen is no neighbourhood.
  for (let box = element.parentElement; box && !box.matches(WHOLE); box = box.parentElement) {
    while (first > 0 && box.contains(all[first - 1] ?? null)) first -= 1;
    around.push({ box: new WeakRef(box), before: at - first });
  }
  return { element: new WeakRef(element), around };
}

/** Itself; or in the nearest surrounding that is still there what has as many before it, so the same button of the next row. */
function leftOf({ element, around }: Place): HTMLElement | undefined {
  const itself = element.deref();
  if (itself && isThere(itself)) return itself;
  for (const { box, before } of around) {
    const there = box.deref();
    const found = there?.isConnected ? focusableIn(there).filter(isThere) : [];
    if (found.length > 0) return found[Math.min(before, found.length - 1)];
  }
  return undefined;
}
