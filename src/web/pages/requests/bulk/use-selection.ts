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
  /** From now on only rows that the list has are selected: after a change, which may take some from it once it is loaded again. */
  readonly keepLoaded: () => void;
  readonly clear: () => void;
}

interface Chosen {
  readonly of: string;
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly last: string | undefined;
  /** Whether rows that the list does not have are no longer selected. */
  readonly onlyLoaded: boolean;
}

const NOTHING = { ids: new Set<string>(), isAll: false, last: undefined, onlyLoaded: false } as const;

/** @param listKey - identifies the list; another list starts with an empty selection. */
export function useSelection(listKey: string, loaded: readonly { readonly request_id: string }[]): Selection {
  const [chosen, set] = useState<Chosen>({ of: listKey, ...NOTHING });
  const { ids: all, isAll: isEach, last, onlyLoaded } = chosen.of === listKey ? chosen : NOTHING;
  return useMemo(() => {
    const ids = onlyLoaded ? new Set(loaded.map(({ request_id }) => request_id).filter((id) => all.has(id))) : all;
    const isAll = isEach && !(onlyLoaded && loaded.length === 0);
    const keep = (next: Iterable<string>, by?: string) =>
      set({ ...NOTHING, of: listKey, ids: new Set(next), last: by });
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
      chooseAll: () => set({ ...NOTHING, of: listKey, ids, isAll: true }),
      keepLoaded: () => set({ of: listKey, ids, isAll, last, onlyLoaded: true }),
      clear: () => keep([]),
    };
  }, [listKey, all, isEach, last, onlyLoaded, loaded]);
}

/** Indexes of both among the rows; undefined if one is not loaded. */
function placesOf(loaded: readonly { readonly request_id: string }[], ...ids: readonly string[]) {
  const places = ids.map((id) => loaded.findIndex(({ request_id }) => request_id === id));
  return places.includes(-1) ? undefined : places;
}
