import { useEffect, useRef } from "react";

/** Actions of the list of requests that the palette can trigger. */
export type ListAction = "download" | "builder" | "keys" | "live";

const asked = new EventTarget();
let pending: ListAction | undefined;

/** Triggers an action of the list, immediately or once the list is shown. */
export function askList(action: ListAction): void {
  pending = action;
  asked.dispatchEvent(new Event("asked"));
}

export function useAsked(actions: Readonly<Record<ListAction, () => void>>): void {
  const now = useRef(actions);
  now.current = actions;
  useEffect(() => {
    const take = () => {
      const action = pending;
      pending = undefined;
      if (action !== undefined) now.current[action]();
    };
    take();
    asked.addEventListener("asked", take);
    return () => asked.removeEventListener("asked", take);
  }, []);
}
