/** Restores the window's place and size of the last start, corrected if the screens have changed. */
import { z } from 'zod';

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const smallest = { width: 900, height: 600 };
const usual = { width: 1280, height: 840 };

export const placeSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(1).max(100_000),
  height: z.int().min(1).max(100_000),
  maximized: z.boolean(),
});
type Place = z.infer<typeof placeSchema>;

/** @param screens usable areas, the main one first */
export function fittingPlace(stored: Place | null, screens: readonly Area[]): Place {
  const [main = { x: 0, y: 0, ...usual }] = screens;
  const sizeOn = (area: Area) => ({
    width: Math.max(smallest.width, Math.min(stored?.width ?? usual.width, area.width)),
    height: Math.max(smallest.height, Math.min(stored?.height ?? usual.height, area.height)),
  });
  const maximized = stored?.maximized ?? false;
  if (stored !== null) {
    const { x, y } = stored;
    // Enough of its upper edge must be on a screen to take hold of it.
    const screen = screens.find((area) => canBeReached({ x, y, ...sizeOn(area) }, area));
    if (screen !== undefined) return { x, y, ...sizeOn(screen), maximized };
  }
  const size = sizeOn(main);
  const at = { x: main.x + half(main.width - size.width), y: main.y + half(main.height - size.height) };
  return { ...at, ...size, maximized };
}

const half = (space: number): number => Math.max(0, Math.floor(space / 2));

function canBeReached(place: Area, area: Area): boolean {
  const across = Math.min(place.x + place.width, area.x + area.width) - Math.max(place.x, area.x);
  return across >= 100 && place.y >= area.y && place.y <= area.y + area.height - 40;
}
