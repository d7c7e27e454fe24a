/** Where the window was and how large, kept between starts; put right when the screens have changed since. */
import { z } from 'zod';

export interface Area {
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
export type Place = z.infer<typeof placeSchema>;

/**
 * @param kept from the last time, if any
 * @param screens the areas that windows may take, the main one first
 */
export function fittingPlace(kept: Place | null, screens: readonly Area[]): Place {
  const [main = { x: 0, y: 0, ...usual }] = screens;
  // Enough of its upper edge must be on a screen to take hold of it.
  const screen = kept === null ? undefined : screens.find((area) => reachable(kept, area));
  const area = screen ?? main;
  const width = Math.max(smallest.width, Math.min(kept?.width ?? usual.width, area.width));
  const height = Math.max(smallest.height, Math.min(kept?.height ?? usual.height, area.height));
  const at =
    kept !== null && screen !== undefined
      ? { x: kept.x, y: kept.y }
      : { x: area.x + half(area.width - width), y: area.y + half(area.height - height) };
  return { ...at, width, height, maximized: kept?.maximized ?? false };
}

const half = (space: number): number => Math.max(0, Math.floor(space / 2));

function reachable(place: Place, area: Area): boolean {
  const across = Math.min(place.x + place.width, area.x + area.width) - Math.max(place.x, area.x);
  return across >= 100 && place.y >= area.y && place.y <= area.y + area.height - 40;
}
