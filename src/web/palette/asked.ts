import { useEffect, useRef } from "react";

/** What the palette can have the list of requests do. */
export type ListAction = "download" | "builder" | "keys" | "live";

const asked = new EventTarget();
let pending: ListAction | undefined;

/** Has the list do something, at once or when it is there. */
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
