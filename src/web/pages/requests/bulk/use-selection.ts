import { useMemo, useState } from "react";

/** Selected rows. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all matching rows are selected, loaded or not. */
  readonly isAll: boolean;
  /** Toggles a row; with `toAnother` also all rows between it and the last selected one. */
  readonly toggle: (id: string, toAnother: boolean) => void;
  readonly choose: (ids: readonly string[]) => void;
  readonly chooseAll: () => void;
  /** Ends the selection of rows that are gone: after a change. */
  readonly keepLoaded: () => void;
  readonly clear: () => void;
}

interface Chosen {
  readonly of: string;
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly last: string | undefined;
}

/** @param listKey - identifies the list; another list starts with an empty selection. */
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
      keepLoaded() {
        if (!isAll) keep(loaded.map(({ request_id }) => request_id).filter((id) => ids.has(id)));
        else if (loaded.length === 0) keep([]);
      },
      clear: () => keep([]),
    };
  }, [listKey, ids, isAll, last, loaded]);
}

const NONE: ReadonlySet<string> = new Set();

/** Indexes of both among the rows; undefined if one is not loaded. */
function placesOf(loaded: readonly { readonly request_id: string }[], ...ids: readonly string[]) {
  const places = ids.map((id) => loaded.findIndex(({ request_id }) => request_id === id));
  return places.includes(-1) ? undefined : places;
}
