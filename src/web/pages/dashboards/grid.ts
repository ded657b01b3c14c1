import { GRID_COLUMNS, type Place } from "./shapes.ts";

/** Rows of a panel, at most, as in the API. */
const HEIGHT_MAX = 20;

/**
 * Moves every panel up as far as possible, in the order of rows; none overlap.
 *
 * @param moved - the panel that precedes others of its row, because it was just moved there.
 */
export function settled(places: readonly Place[], moved?: number): Place[] {
  const row = (at: number) => places[at]!.y - (at === moved ? 0.5 : 0);
  const order = [...places.keys()].sort((a, b) => row(a) - row(b) || places[a]!.x - places[b]!.x || a - b);
  const bottoms: number[] = Array.from({ length: GRID_COLUMNS }, () => 0);
  const result: Place[] = [...places];
  for (const at of order) {
    const { x, w, h } = places[at]!;
    const y = Math.max(...bottoms.slice(x, x + w));
    bottoms.fill(y + h, x, x + w);
    result[at] = { x, y, w, h };
  }
  return result;
}

/** The places after one panel has moved or changed its size; both stay within the grid. */
export function placedAt(places: readonly Place[], at: number, place: Place): Place[] {
  const w = within(place.w, 1, GRID_COLUMNS);
  const next: Place = {
    ...{ w, h: within(place.h, 1, HEIGHT_MAX) },
    ...{ x: within(place.x, 0, GRID_COLUMNS - w), y: Math.max(0, place.y) },
  };
  return settled(places.with(at, next), at);
}

export type Step = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

/** Moves a panel by one step of a key: sideways by one column, up and down to the next row where the layout changes. */
export function stepped(places: readonly Place[], at: number, key: Step): Place[] {
  const place = places[at]!;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const x = place.x + (key === "ArrowLeft" ? -1 : 1);
    return placedAt(places, at, { ...place, x });
  }
  const bottom = Math.max(...places.map(({ y, h }) => y + h));
  const by = key === "ArrowUp" ? -1 : 1;
  for (let y = place.y + by; y >= 0 && y <= bottom; y += by) {
    const next = placedAt(places, at, { ...place, y });
    if (next[at]!.y !== place.y) return next;
  }
  return [...places];
}

/** Resizes a panel by one column or row; at the right edge it grows to the left. */
export function resized(places: readonly Place[], at: number, key: Step): Place[] {
  const place = places[at]!;
  const w = place.w + (key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0);
  const h = place.h + (key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0);
  return placedAt(places, at, { ...place, w, h });
}

/** The place of a new panel: below all others. */
export function placeBelow(places: readonly Place[], size: Pick<Place, "w" | "h">): Place {
  return { x: 0, y: Math.max(0, ...places.map(({ y, h }) => y + h)), ...size };
}

const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, Math.round(value)));
