import { useEffect, useRef } from "react";

/**
 * Keyboard shortcuts by `KeyboardEvent.key`, active while no field has the focus and no dialog or menu is open. A handler
 * that returns "unused" leaves the key to the browser.
 */
type Keys = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

export function useKeys(keys: Keys): void {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!Object.hasOwn(now.current, event.key) || isBusy(event.target)) return;
      if (now.current[event.key]!(event) !== "unused") event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]") !== null) return true;
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), select, textarea, .menu-panel, [contenteditable]") !== null
  );
}
