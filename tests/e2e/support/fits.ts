/** What does not fit on a page as it is: text that is cut off, stands out of its box, or lies over other text. */
import type { Page } from 'playwright-core';

export interface Misfit {
  readonly what: 'cut off' | 'stands out' | 'overlaps';
  readonly text: string;
  /** The element that it does not fit into, or the text that it lies over. */
  readonly by: string;
}

/** Of text that anybody sees. What a region scrolls to is reached, and what ends in dots is whole in its title. */
export const misfits = (page: Page): Promise<readonly Misfit[]> =>
  page.evaluate(() => {
    const found = new Map<string, Misfit>();
    const note = (what: Misfit['what'], text: string, by: string) => {
      const short = text.trim().replace(/\s+/g, ' ').slice(0, 80);
      found.set(`${what} ${short} ${by}`, { what, text: short, by });
    };
    const named = (one: Element) => `${one.tagName.toLowerCase()}.${[...one.classList].slice(0, 6).join('.')}`;
    const isOpaque = (one: Element) =>
      !/^(transparent|rgba\(.*, 0\)|.* \/ 0\))$/.test(getComputedStyle(one).backgroundColor);
    const isHidden = (one: Element) => {
      const { clipPath, visibility, opacity, position } = getComputedStyle(one);
      const { width, height } = one.getBoundingClientRect();
      return (
        clipPath !== 'none' ||
        visibility === 'hidden' ||
        opacity === '0' ||
        (position === 'absolute' && width <= 1 && height <= 1)
      );
    };
    const seen: { node: Node; holder: Element; box: DOMRect; text: string }[] = [];

    function lookAt(node: Node, holder: Element): void {
      const text = node.nodeValue ?? '';
      const range = document.createRange();
      range.selectNodeContents(node);
      // What lies before the window’s beginning waits there until it has the keyboard’s focus.
      const boxes = [...range.getClientRects()].filter(
        ({ width, height, right, bottom }) => width > 1 && height > 1 && right > 0 && bottom > 0,
      );
      if (boxes.length === 0) return;
      const ancestors: Element[] = [];
      for (let one: Element | null = holder; one; one = one.parentElement) ancestors.push(one);
      if (ancestors.some(isHidden)) return;
      for (const box of boxes) {
        let isReached = false;
        let isWithin = true;
        for (const one of ancestors) {
          const { overflowX, overflowY, textOverflow, webkitLineClamp, borderTopWidth, boxShadow } =
            getComputedStyle(one);
          const around = one.getBoundingClientRect();
          const beyond = box.right > around.right + 1 || box.left < around.left - 1;
          const below = box.bottom > around.bottom + 2 || box.top < around.top - 2;
          if (['auto', 'scroll'].includes(overflowX) || ['auto', 'scroll'].includes(overflowY)) {
            if (beyond && !['auto', 'scroll'].includes(overflowX)) note('cut off', text, named(one));
            // What has been scrolled away is not on the page now.
            isWithin &&= !(beyond || below);
            isReached = true;
            break;
          }
          if (overflowX !== 'visible' && overflowX !== '') {
            if (beyond || below) {
              isWithin = false;
              const isTold = ancestors.some((other) => other.hasAttribute('title'));
              const hasDots = textOverflow === 'ellipsis' || webkitLineClamp !== 'none';
              if (!hasDots || !isTold) note('cut off', text, named(one));
              break;
            }
          } else if (one !== document.documentElement && one !== document.body && (beyond || below)) {
            const isBox = isOpaque(one) || parseFloat(borderTopWidth) > 0 || boxShadow !== 'none';
            if (isBox && getComputedStyle(one).display !== 'inline') note('stands out', text, named(one));
          }
        }
        if (!isReached && (box.right > innerWidth + 1 || box.left < -1)) note('cut off', text, 'window');
        if (isWithin) seen.push({ node, holder, box, text });
      }
    }

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeValue?.trim() && node.parentElement && !node.parentElement.closest('script, style, svg'))
        lookAt(node, node.parentElement);
    }
    const lies = (over: Element, x: number, y: number, under: Element) => {
      const stack = document.elementsFromPoint(x, y);
      const [first, second] = [stack.indexOf(over), stack.indexOf(under)].sort((a, b) => a - b);
      if (first === undefined || second === undefined || first < 0) return false;
      return !stack.slice(0, second).some(isOpaque);
    };
    for (const [at, one] of seen.entries())
      for (const other of seen.slice(at + 1)) {
        if (one.node === other.node) continue;
        const left = Math.max(one.box.left, other.box.left);
        const right = Math.min(one.box.right, other.box.right);
        const top = Math.max(one.box.top, other.box.top);
        const bottom = Math.min(one.box.bottom, other.box.bottom);
        if (right - left < 3 || bottom - top < 5) continue;
        if (lies(one.holder, (left + right) / 2, (top + bottom) / 2, other.holder))
          note('overlaps', one.text, other.text.trim().slice(0, 60));
      }
    return [...found.values()];
  });
