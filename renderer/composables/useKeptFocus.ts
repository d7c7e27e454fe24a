/**
 * Moves the keyboard's focus when the focused element disappears, such as a removed row. Otherwise the page's body gets
 * it: no key is heard, and no screen reader says where it is. The focus goes to the element that replaced it, or to an
 * earlier place. A button that is disabled while it works gets it back afterwards.
 */
import { onMounted, onScopeDispose } from 'vue';

const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex]):not([tabindex="-1"], :disabled)';
/** Elements that show a whole screen: all of their content may have changed. */
const WHOLE = 'body, #content, .screen';
/** Number of earlier focus places to remember: more than a menu has items, so that the button that opened it is among them. */
const MOST_EARLIER = 40;
/** Milliseconds to wait for a disabled button that does not show that it works. */
const OFF = 400;

/** A present or earlier place of the focus; it does not retain the element. */
interface Place {
  readonly element: WeakRef<HTMLElement>;
  /**
   * Surrounding elements within the screen, innermost first, each with the number of like elements in it before the place, and
   * which of its children the place is in.
   */
  readonly around: readonly { readonly box: WeakRef<Element>; readonly before: number; readonly child: number }[];
}

/** @param fallback element to focus when nothing else is left */
export function useKeptFocus(fallback: () => HTMLElement | null): void {
  /** Most recent first. */
  let places: readonly Place[] = [];
  let frame = 0;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function remember({ target }: FocusEvent) {
    if (!(target instanceof HTMLElement)) return;
    clearTimeout(waiting);
    const others = places.filter(({ element }) => element.deref() !== target);
    places = [placeOf(target), ...others].slice(0, MOST_EARLIER);
  }
  /** @param isOver whether nothing is waited for any more */
  function keep(isOver: boolean) {
    const element = places[0]?.element.deref();
    if (places.length === 0 || !isLost() || (element && isThere(element))) return;
    if (element && isOff(element) && !isOver) {
      clearTimeout(waiting);
      if (!doesWork(element)) waiting = setTimeout(() => keep(true), OFF);
      return;
    }
    // A menu closes before the element it was opened from, which may go with it.
    const next = places.map(leftOf).find((one) => one !== undefined) ?? fallback();
    next?.focus();
  }
  /** Runs after drawing: the browser takes the focus from hidden or disabled elements no sooner. */
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
/** The library's buttons show that they work only by a spinning icon. */
const doesWork = (element: HTMLElement): boolean => element.querySelector('.animate-spin') !== null;
const isThere = (element: HTMLElement): boolean =>
  element.isConnected && !isOff(element) && element.getClientRects().length > 0;

const focusableIn = (box: ParentNode): HTMLElement[] => [...box.querySelectorAll<HTMLElement>(FOCUSABLE)];

function placeOf(element: HTMLElement): Place {
  const all = focusableIn(document);
  const at = Math.max(0, all.indexOf(element));
  const around: { box: WeakRef<Element>; before: number; child: number }[] = [];
  let first = at;
  let inside: Element = element;
  // The whole screen is too large to search.
  for (let box = element.parentElement; box && !box.matches(WHOLE); box = box.parentElement) {
    while (first > 0 && box.contains(all[first - 1] ?? null)) first -= 1;
    around.push({ box: new WeakRef(box), before: at - first, child: [...box.children].indexOf(inside) });
    inside = box;
  }
  return { element: new WeakRef(element), around };
}

/**
 * Finds the element itself, or the one at the same position in the nearest surrounding left, such as the next row's
 * button.
 */
function leftOf({ element, around }: Place): HTMLElement | undefined {
  const itself = element.deref();
  if (itself && isThere(itself)) return itself;
  for (const [level, { box, before, child }] of around.entries()) {
    const there = box.deref();
    if (!there?.isConnected) continue;
    // In what came in its place, as rows may hold different numbers of controls.
    const next = there.children[Math.min(child, there.children.length - 1)];
    const [inNext, inBox] = [next ?? null, there].map((one) => (one ? focusableIn(one).filter(isThere) : []));
    const inner = around[level - 1]?.before ?? 0;
    const found = inNext?.[Math.min(inner, inNext.length - 1)] ?? inBox?.[Math.min(before, inBox.length - 1)];
    if (found) return found;
  }
  return undefined;
}
