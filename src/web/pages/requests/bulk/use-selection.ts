import { useMemo, useState } from "react";

/** Rows that are chosen. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all that match are chosen, loaded or not. */
  readonly isAll: boolean;
  /** Chooses a row, or no longer; with `toAnother` all between it and the one that was chosen last. */
  readonly toggle: (id: string, toAnother: boolean) => void;
  readonly choose: (ids: readonly string[]) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

interface Chosen {
  readonly of: string;
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly last: string | undefined;
}

/** @param listKey - names the list; another list has nothing chosen. */
export function useSelection(listKey: string, loaded: readonly { readonly request_id: string }[]): Selection {
  const [chosen, set] = useState<Chosen>({ of: listKey, ids: new Set(), isAll: false, last: undefined });
  const { ids, isAll, last } = chosen.of === listKey ? chosen : { ids: NONE, isAll: false, last: undefined };
  return useMemo(() => {
    const keep = (next: Iterable<string>, by?: string) =>
      set({ of: listKey, ids: new Set(next), isAll: false, last: by });
    return {
      ids,
      isAll,
      toggle(id, toAnother) {
        const places = toAnother && last !== undefined ? placesOf(loaded, last, id) : undefined;
        if (places !== undefined) {
          const between = loaded.slice(Math.min(...places), Math.max(...places) + 1);
          return keep([...ids, ...between.map(({ request_id }) => request_id)], id);
        }
        if (ids.has(id))
          keep(
            [...ids].filter((each) => each !== id),
            id,
          );
        else keep([...ids, id], id);
      },
      choose: (wanted) => keep(wanted),
      chooseAll: () => set({ of: listKey, ids, isAll: true, last: undefined }),
      clear: () => keep([]),
    };
  }, [listKey, ids, isAll, last, loaded]);
}

const NONE: ReadonlySet<string> = new Set();

/** Places of both among the rows; undefined where one is not loaded. */
function placesOf(loaded: readonly { readonly request_id: string }[], ...ids: readonly string[]) {
  const places = ids.map((id) => loaded.findIndex(({ request_id }) => request_id === id));
  return places.includes(-1) ? undefined : places;
}
