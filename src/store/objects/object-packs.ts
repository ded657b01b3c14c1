import { eachOf } from "./each-of.ts";
import type { ObjectStore } from "./object-store.ts";
import { PackCache } from "./pack-cache.ts";

/** The location of a pack's bytes. */
export interface PackPlace {
  readonly object: string;
  readonly at: number;
  readonly stored: number;
}

const CACHE_BYTES = 32 << 20;
/** Concurrent calls to the store. */
const CALLS = 8;
/** Packs of one object are read with one call when the gap between them is at most this. */
const GAP_BYTES = 64 << 10;
const CALL_BYTES_MAX = 8 << 20;

interface Stretch {
  readonly object: string;
  readonly from: number;
  to: number;
  readonly places: PackPlace[];
}

/** Reads packs from objects: neighbours with one call, and recently read ones from a cache. */
export class ObjectPacks {
  readonly store: ObjectStore;
  readonly #cache = new PackCache(CACHE_BYTES);

  constructor(store: ObjectStore) {
    this.store = store;
  }

  /** The bytes at each place, by `placeKey`; places in deleted objects are missing. */
  async read(places: readonly PackPlace[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const missing: PackPlace[] = [];
    for (const place of places) {
      const cached = this.#cache.get(placeKey(place));
      if (cached === undefined) missing.push(place);
      else found.set(placeKey(place), cached);
    }
    await eachOf(stretches(missing), CALLS, async ({ object, from, to, places: within }) => {
      const bytes = await this.store.get(object, { offset: from, length: to - from });
      if (bytes === undefined) return;
      for (const place of within) {
        // A copy: otherwise the cache would keep the whole fetched range in memory.
        const own = bytes.slice(place.at - from, place.at - from + place.stored);
        found.set(placeKey(place), own);
        this.#cache.put(placeKey(place), own);
      }
    });
    return found;
  }
}

export function placeKey({ object, at }: Pick<PackPlace, "object" | "at">): string {
  return `${at} ${object}`;
}

function stretches(places: readonly PackPlace[]): Stretch[] {
  const sorted = [...places].sort((a, b) => (a.object === b.object ? a.at - b.at : a.object < b.object ? -1 : 1));
  const found: Stretch[] = [];
  for (const place of sorted) {
    const { object, at, stored } = place;
    const last = found.at(-1);
    const joins = last?.object === object && at - last.to <= GAP_BYTES && at + stored - last.from <= CALL_BYTES_MAX;
    if (joins) {
      last.to = Math.max(last.to, at + stored);
      last.places.push(place);
    } else found.push({ object, from: at, to: at + stored, places: [place] });
  }
  return found;
}
