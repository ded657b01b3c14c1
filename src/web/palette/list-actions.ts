import { useEffect, useRef } from "react";

/** Actions of the list of requests that the palette can trigger. */
export type ListAction = "download" | "builder" | "keys" | "live";

const triggered = new EventTarget();
let pending: ListAction | undefined;

/** Triggers an action of the list, immediately or once the list is shown. */
export function askList(action: ListAction): void {
  pending = action;
  triggered.dispatchEvent(new Event("asked"));
}

export function useListActions(actions: Readonly<Record<ListAction, () => void>>): void {
  const now = useRef(actions);
  now.current = actions;
  useEffect(() => {
    const take = () => {
      const action = pending;
      pending = undefined;
      if (action !== undefined) now.current[action]();
    };
    take();
    triggered.addEventListener("asked", take);
    return () => triggered.removeEventListener("asked", take);
  }, []);
}
